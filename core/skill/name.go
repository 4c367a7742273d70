package skill

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxName is how many characters a name has at most.
const MaxName = 64

// Normal is name as it is compared and shown: lower case, with - for a space.
func Normal(name string) string {
	return strings.ToLower(strings.Join(strings.Fields(name), "-"))
}

// ValidName says what is wrong with a name, nil when nothing is: it has letters of
// any script, digits, and - _ . : between them, and at most MaxName characters.
// Letter case and spaces are no matter, see Normal.
func ValidName(name string) error {
	name = Normal(name)
	switch {
	case name == "":
		return fmt.Errorf("the name is empty")
	case !utf8.ValidString(name) || utf8.RuneCountInString(name) > MaxName:
		return fmt.Errorf("the name has more than %d characters or is not UTF-8", MaxName)
	}
	first := true
	for _, r := range name {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
		if !letter && (first || !strings.ContainsRune("-_.:", r)) {
			return fmt.Errorf("the name %q is not letters, digits, and - _ . : behind the first", name)
		}
		first = false
	}
	return nil
}
