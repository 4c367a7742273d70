package retrieval

import "math/bits"

// A document's length in terms is kept in one byte: exact up to 15, then with four
// significant bits, which ranking cannot tell from the truth.

// lengthCode returns the byte for a length of n terms.
func lengthCode(n int) byte {
	if n < 16 {
		return byte(max(n, 0))
	}
	shift := min(bits.Len64(uint64(n))-4, 30)
	mantissa := min(n>>shift, 15)
	return byte(shift<<3 + mantissa)
}

// lengthOf is the smallest length that has code c.
func lengthOf(c byte) int {
	if c < 16 {
		return int(c)
	}
	return (8 + int(c&7)) << (c>>3 - 1)
}
