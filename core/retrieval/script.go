package retrieval

import "unicode"

// class is what a character is to the tokeniser.
type class byte

const (
	other class = iota // between words
	lower              // a letter that is no capital
	upper
	digit
	mark // belongs to the character before it
	underscore
)

// classes are those of ASCII.
var classes = func() (t [128]class) {
	for c := range t {
		switch {
		case 'a' <= c && c <= 'z':
			t[c] = lower
		case 'A' <= c && c <= 'Z':
			t[c] = upper
		case '0' <= c && c <= '9':
			t[c] = digit
		}
	}
	t['_'] = underscore
	return t
}()

func classOf(r rune) class {
	switch {
	case r < 128:
		return classes[r]
	case unspaced(r) && unicode.IsLetter(r), unicode.IsLower(r):
		return lower
	case unicode.IsUpper(r), unicode.IsTitle(r):
		return upper
	case unicode.IsLetter(r):
		return lower
	case unicode.IsNumber(r):
		return digit
	case unicode.IsMark(r):
		return mark
	default:
		return other
	}
}

// wordy reports whether r is part of a word; a mark only is inside of one.
func wordy(r rune, inside bool) bool {
	c := classOf(r)
	return c != other && (c != mark || inside)
}

// unspaced reports whether r is of a script that is written without spaces between
// words, or, as Korean, with endings grown to them.
func unspaced(r rune) bool {
	switch {
	case r < 0x0e00:
		return false
	case r < 0x1800:
		return r < 0x0f00 || 0x1000 <= r && r < 0x10a0 || 0x1100 <= r && r < 0x1200 || 0x1780 <= r // Thai, Lao; Burmese; Hangul; Khmer
	case r < 0x3005:
		return false
	case r < 0xa000:
		return r < 0x3008 || 0x3031 <= r && r < 0x3036 || 0x3041 <= r // kana, Hangul, Han
	case r < 0xac00:
		return 0xa960 <= r && r < 0xa980
	default:
		return r < 0xd800 || 0xf900 <= r && r < 0xfb00 || 0xff66 <= r && r < 0xffdd || 0x20000 <= r && r < 0x40000
	}
}
