package slash

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxText is the longest text, in bytes, that a custom command becomes.
const MaxText = 1 << 20

// all is the placeholder of all arguments.
const all = "ARGUMENTS"

// Expand puts args into template: $ARGUMENTS is all arguments with one space
// between them, $1 the first and so on (nothing when there are fewer), $$ a dollar
// sign; any other dollar sign is itself. The arguments are what stands between
// spaces; other white space, line ends for one, is part of them. What is put in is
// not looked at again. It is an error when the result exceeds MaxText.
func Expand(template, args string) (string, error) {
	given := Arguments(args, -1)
	joined := strings.Join(given, " ")
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(template, "$")
		b.WriteString(before)
		if !found {
			break
		}
		put, taken := placeholder(rest, given, joined)
		b.WriteString(put)
		template = rest[taken:]
		if b.Len() > MaxText {
			break
		}
	}
	if b.Len() > MaxText {
		return "", fmt.Errorf("the text of the command with its arguments exceeds %d KB", MaxText>>10)
	}
	return b.String(), nil
}

// Arguments splits what was typed behind a command at its spaces into n arguments at
// most, of which the last one is the rest just as it was typed, without outer spaces.
// With a negative n every argument stands between spaces.
func Arguments(args string, n int) []string {
	var list []string
	for rest := strings.Trim(args, " "); rest != "" && n != 0; n-- {
		if n == 1 {
			return append(list, rest)
		}
		var one string
		one, rest, _ = strings.Cut(rest, " ")
		list, rest = append(list, one), strings.TrimLeft(rest, " ")
	}
	return list
}

// placeholder is what a dollar sign with rest behind it stands for, and how many
// bytes of rest belong to it.
func placeholder(rest string, given []string, joined string) (put string, taken int) {
	switch {
	case strings.HasPrefix(rest, "$"):
		return "$", 1
	case strings.HasPrefix(rest, all):
		return joined, len(all)
	}
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if digits == 0 || rest[0] == '0' {
		return "$", 0
	}
	n, err := strconv.Atoi(rest[:digits])
	if err != nil || n > len(given) {
		return "", digits
	}
	return given[n-1], digits
}

// hasPlace reports whether template has a place for arguments.
func hasPlace(template string) bool {
	for {
		_, rest, found := strings.Cut(template, "$")
		if !found {
			return false
		}
		put, taken := placeholder(rest, nil, "")
		if put == "" {
			return true
		}
		template = rest[taken:]
	}
}
