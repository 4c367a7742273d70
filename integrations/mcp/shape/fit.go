package shape

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// fit shortens text to what is shown at once: its head and its tail, with a line
// between them that says where all of it is.
func fit(text string, opt Options) (shown, full string) {
	limit := opt.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	if len(text) <= limit {
		return text, ""
	}
	where := "nothing else is kept"
	if opt.Save != nil {
		hash, path, err := opt.Save(strings.NewReader(text))
		if err != nil {
			where = "it could not be kept: " + oneLine(err.Error())
		} else {
			where, full = "all of it: "+filepath.ToSlash(path), hash
		}
	}
	marker := func(left int) string {
		return fmt.Sprintf("\n[... %d of %d bytes left out here; %s]\n", left, len(text), where)
	}
	room := limit - len(marker(len(text)))
	if room <= 0 {
		return cutEnd(strings.TrimSpace(marker(len(text))), limit), full
	}
	head, tail := lineEnd(cutEnd(text, room/2)), lineStart(cutStart(text, room/2))
	return strings.TrimSuffix(head, "\n") + marker(len(text)-len(head)-len(tail)) + tail, full
}

// cutEnd is at most size bytes of the start of s, not cut in a character.
func cutEnd(s string, size int) string {
	if len(s) <= size {
		return s
	}
	for size > 0 && !utf8.RuneStart(s[size]) {
		size--
	}
	return s[:size]
}

// cutStart is at most size bytes of the end of s, not cut in a character.
func cutStart(s string, size int) string {
	start := max(0, len(s)-size)
	for start < len(s) && !utf8.RuneStart(s[start]) {
		start++
	}
	return s[start:]
}

// lineEnd ends s with a line when one ends in its second half.
func lineEnd(s string) string {
	if i := strings.LastIndexByte(s, '\n'); i >= len(s)/2 {
		return s[:i+1]
	}
	return s
}

// lineStart begins s with a line when one begins in its first half.
func lineStart(s string) string {
	if i := strings.IndexByte(s, '\n'); i >= 0 && i < len(s)/2 {
		return s[i+1:]
	}
	return s
}
