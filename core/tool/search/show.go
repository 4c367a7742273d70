package search

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A line of at most maxLine bytes is shown whole, of a longer one beforeHit bytes
// before the match and afterHit from its start on.
const (
	maxLine   = 400
	beforeHit = 80
	afterHit  = 240
)

// show makes a line fit to be shown, at being where its match begins. A line may
// be given in part: from is where in it the part begins, toEnd says that it ends
// with the line.
func show(line []byte, at, from int, toEnd bool) string {
	if from == 0 && toEnd && len(line) <= maxLine {
		return clean(line)
	}
	start, end := max(0, at-beforeHit), min(len(line), at+afterHit)
	for start > 0 && start > at-beforeHit-utf8.UTFMax && !utf8.RuneStart(line[start]) {
		start--
	}
	for end < len(line) && end > at && !utf8.RuneStart(line[end]) {
		end--
	}
	text := clean(line[start:end])
	if from+start > 0 {
		text = "..." + text
	}
	if end < len(line) || !toEnd {
		text += "..."
	}
	return fmt.Sprintf("%s [cut, match at byte %d of the line]", text, from+at+1)
}

// showContext makes a line fit to be shown that has no match.
func showContext(line []byte, whole bool) string {
	if whole && len(line) <= maxLine {
		return clean(line)
	}
	return clean(trimPartial(line[:min(len(line), afterHit)])) + "... [cut]"
}

// trimPartial leaves out the rest of a character at the start of text and the
// beginning of one at its end.
func trimPartial(text []byte) []byte {
	for i := 0; i < utf8.UTFMax-1 && len(text) > 0 && !utf8.RuneStart(text[0]); i++ {
		text = text[1:]
	}
	for i := len(text) - 1; i >= 0 && i >= len(text)-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				return text[:i]
			}
			break
		}
	}
	return text
}

// clean writes control characters and bytes that are no text as escapes, so that
// a line stays a line and a terminal is not steered.
func clean(line []byte) string {
	if isClean(line) {
		return string(line)
	}
	var b strings.Builder
	for len(line) > 0 {
		r, n := utf8.DecodeRune(line)
		if r == utf8.RuneError && n == 1 || r != '\t' && (r < ' ' || 0x7f <= r && r < 0xa0) {
			for _, c := range line[:n] {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		} else {
			b.Write(line[:n])
		}
		line = line[n:]
	}
	return b.String()
}

func isClean(line []byte) bool {
	for _, c := range line {
		if c >= utf8.RuneSelf-1 || c < ' ' && c != '\t' {
			return false
		}
	}
	return true
}
