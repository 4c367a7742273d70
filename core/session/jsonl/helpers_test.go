package jsonl_test

import (
	"fmt"
	"hash/crc32"
)

func crcOf(body string) string {
	return fmt.Sprintf("%08x", crc32.Checksum([]byte(body), crc32.MakeTable(crc32.Castagnoli)))
}
