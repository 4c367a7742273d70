// Package sealed is how a record of a session's journal looks on its line: a JSON object
// that ends with its checksum, {"seq":1,...,"crc":"0a1b2c3d"}, CRC-32C over the bytes
// before ,"crc". It seals and unseals lines and reads what stands at the fixed beginning
// of a record without decoding it. It knows neither files nor what is in a record; who
// stores journals and who only searches them read them alike through it.
package sealed

import (
	"bytes"
	"encoding/hex"
	"hash/crc32"
	"sync"

	"reasonix/core/event"
)

const key = `,"crc":"`

// Len is how many bytes the checksum takes at the end of a line, with the brace that
// closes the object.
const Len = len(key + `01234567"}`)

// head is how much of a record holds its number, time, turn and type.
const head = 200

var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// Sum is the checksum of data.
func Sum(data []byte) uint32 { return crc32.Checksum(data, castagnoli()) }

// Line ends the JSON object dst[start:] with its checksum and a newline.
func Line(dst []byte, start int) []byte {
	dst = dst[:len(dst)-1]
	sum := Sum(dst[start:])
	dst = append(dst, key...)
	dst = hex.AppendEncode(dst, []byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)})
	return append(dst, "\"}\n"...)
}

// Open checks a line's checksum and returns the object without it. The object
// overlays the line, which is changed until Restore; a line that does not check is not.
func Open(line []byte) (object []byte, ok bool) {
	if len(line) <= Len {
		return nil, false
	}
	body, end := line[:len(line)-Len], line[len(line)-Len:]
	if string(end[:len(key)]) != key || string(end[Len-2:]) != `"}` {
		return nil, false
	}
	var want [4]byte
	if _, err := hex.Decode(want[:], end[len(key):Len-2]); err != nil {
		return nil, false
	}
	sum := Sum(body)
	if want != [4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)} {
		return nil, false
	}
	line[len(body)] = '}'
	return line[:len(body)+1], true
}

// Restore undoes what Open did to a line, which must have checked.
func Restore(line []byte) { line[len(line)-Len] = ',' }

// HasSeal reports whether there is a checksum in a line, be it right or not.
func HasSeal(line []byte) bool { return bytes.Contains(line, []byte(key)) }

// Checksum is the one at the end of a line, as text; empty when the line is too short.
func Checksum(line []byte) string {
	if len(line) < Len {
		return ""
	}
	return string(line[len(line)-Len+len(key) : len(line)-2])
}

// Seq reads the number a record begins with, 0 when it has none.
func Seq(object []byte) event.Seq {
	digits, ok := bytes.CutPrefix(object, []byte(`{"seq":`))
	if !ok {
		return 0
	}
	var seq event.Seq
	for i, c := range digits {
		if c < '0' || c > '9' || i == 19 {
			break
		}
		seq = seq*10 + event.Seq(c-'0')
	}
	return seq
}

// Type reads the type from the beginning of a record, be it sealed or open; empty when it
// has none.
func Type(record []byte) []byte {
	name, _ := Member(record[:min(len(record), head)], `"type":"`)
	return name
}

// Member returns the string behind key. It is meant for the fixed beginning of a record,
// where no string holds an escape.
func Member(start []byte, key string) (value []byte, ok bool) {
	_, rest, ok := bytes.Cut(start, []byte(key))
	if !ok {
		return nil, false
	}
	value, _, ok = bytes.Cut(rest, []byte(`"`))
	return value, ok
}
