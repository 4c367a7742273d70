package textenc

import (
	"bytes"
	"unicode/utf8"
)

// Detect says how data, a whole file, is encoded.
func Detect(data []byte) Encoding {
	for _, e := range []Encoding{UTF8BOM, UTF16LEBOM, UTF16BEBOM} {
		if body, ok := bytes.CutPrefix(data, []byte(e.BOM())); ok && (e.IsUTF8() || e.exact(body)) {
			return e
		}
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return detectWide(data)
	}
	if utf8.Valid(data) {
		if controls(data) {
			return Binary
		}
		return UTF8
	}
	return detectLegacy(data)
}

// DetectPrefix is Detect for the beginning of a longer file, which may end inside
// a character: up to three bytes of its end are left out.
func DetectPrefix(data []byte) Encoding {
	first := Detect(data)
	for cut := range min(utf8.UTFMax, len(data)) {
		if e := Detect(data[:len(data)-cut]); e != Binary && e != Latin1 && e != Windows1252 {
			return e
		}
	}
	return first
}

// detectWide tells UTF-16 without a mark from binary: mostly ASCII text has a
// zero in every second byte and nowhere else.
func detectWide(data []byte) Encoding {
	var zeros [2]int
	for i, b := range data {
		if b == 0 {
			zeros[i%2]++
		}
	}
	e, n := UTF16LE, zeros[1]
	if zeros[0] > 0 {
		e, n = UTF16BE, zeros[0]
	}
	mostly := n*10 >= len(data)/2*7
	if len(data)%2 != 0 || zeros[0]*zeros[1] != 0 || !mostly || !e.exact(data) || controls([]byte(e.Decode(data))) {
		return Binary
	}
	return e
}

// detectLegacy chooses for bytes that are neither UTF-8 nor hold a zero.
func detectLegacy(data []byte) Encoding {
	if controls(data) {
		return Binary
	}
	if damagedUTF8(data) {
		return UTF8
	}
	if looksChinese(data) && GB18030.exact(data) {
		return GB18030
	}
	if hasC1(data) && Windows1252.exact(data) {
		return Windows1252
	}
	return Latin1
}

// controls reports whether the beginning of data holds more control characters
// than any text.
func controls(data []byte) bool {
	data = data[:min(len(data), 64<<10)]
	n := 0
	for _, b := range data {
		if b < ' ' && b != '\t' && b != '\n' && b != '\r' && b != '\f' && b != 0x1b {
			n++
		}
	}
	return n*20 > len(data)
}

// damagedUTF8 reports whether data is UTF-8 but for a few bytes.
func damagedUTF8(data []byte) bool {
	good, bad := 0, 0
	for i := 0; i < len(data); {
		if data[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			bad++
		} else {
			good++
		}
		i += n
	}
	return good >= 4*bad
}

// looksChinese tells GB18030 from one-byte encodings, in which many pairs are
// legal by chance: in Chinese text nearly all pairs are of two high bytes, in
// Western text a high byte mostly stands before an ASCII letter.
func looksChinese(data []byte) bool {
	pairs, chance := 0, 0
	for i := 0; i < len(data); i++ {
		if data[i] < 0x80 {
			continue
		}
		if i+1 == len(data) {
			chance++
			break
		}
		switch next := data[i+1]; {
		case data[i] >= 0xa1 && data[i] <= 0xf7 && next >= 0xa1 && next <= 0xfe:
			pairs++
		case next >= '0' && next <= '9' && i+3 < len(data) && data[i+2] >= 0x81: // four bytes
			pairs++
			i += 2
		default:
			chance++
		}
		i++
	}
	return pairs > 2*chance
}

// hasC1 reports whether data uses the bytes that Latin-1 has no characters for.
func hasC1(data []byte) bool {
	for _, b := range data {
		if b >= 0x80 && b <= 0x9f {
			return true
		}
	}
	return false
}

// exact reports whether decoding and encoding gives the same bytes back.
func (e Encoding) exact(data []byte) bool {
	c := e.codec()
	text, err := c.NewDecoder().Bytes(data)
	if err != nil {
		return false
	}
	again, err := c.NewEncoder().Bytes(text)
	return err == nil && bytes.Equal(data, again)
}
