package file

import "strings"

// mostlyCRLF reports whether more lines of text end in CRLF than in LF alone.
func mostlyCRLF(text string) bool {
	crlf := strings.Count(text, "\r\n")
	return crlf > 0 && 2*crlf > strings.Count(text, "\n")
}

// withEnds gives every line of s the line end eol, "\n" or "\r\n". A CR that is
// not before a LF stays.
func withEnds(s, eol string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if eol == "\r\n" {
		s = strings.ReplaceAll(s, "\n", "\r\n")
	}
	return s
}

// endsNear is the line end in use around a span of text: in it, else behind it,
// else before it; "" when the text is a single line.
func endsNear(text string, at span) string {
	if i := strings.IndexByte(text[at.start:], '\n'); i >= 0 {
		return endAt(text, at.start+i)
	}
	if i := strings.LastIndexByte(text[:at.start], '\n'); i >= 0 {
		return endAt(text, i)
	}
	return ""
}

func endAt(text string, newline int) string {
	if newline > 0 && text[newline-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// adapt gives s the line ends in use around the span it goes to.
func adapt(s, text string, at span) string {
	if !strings.Contains(s, "\n") {
		return s
	}
	if eol := endsNear(text, at); eol != "" {
		return withEnds(s, eol)
	}
	return s
}

// lineAt is the number, from 1, of the line that holds offset i.
func lineAt(text string, i int) int { return 1 + strings.Count(text[:i], "\n") }
