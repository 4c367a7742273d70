package openai

import (
	"crypto/sha256"
	"encoding/binary"

	"reasonix/core/provider"
)

// callID is id as the endpoint takes it. It depends on id alone, so that a call
// and its result agree in whatever request they are: an id that will do stays, and
// any other becomes nine characters of its hash.
func callID(want provider.CallIDs, id string) string {
	if want != provider.NineIDs || isNine(id) {
		return id
	}
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sum := sha256.Sum256([]byte(id))
	n := binary.BigEndian.Uint64(sum[:])
	var out [nine]byte
	for i := range out {
		out[i] = digits[n%uint64(len(digits))]
		n /= uint64(len(digits))
	}
	return string(out[:])
}

const nine = 9

func isNine(id string) bool {
	for i := range len(id) {
		if !wordByte(id[i]) || id[i] == '_' {
			return false
		}
	}
	return len(id) == nine
}
