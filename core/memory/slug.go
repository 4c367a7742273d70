package memory

import (
	"strings"
	"unicode"
)

// maxSlug is how many bytes of a title a file name shows.
const maxSlug = 48

// slug is the words of a title as part of a file name, legal on every system.
func slug(title string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(title) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			gap = b.Len() > 0
			continue
		}
		if b.Len()+len(string(r))+1 > maxSlug {
			break
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(r)
	}
	return b.String()
}
