package mention

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// attr is a name and a value in the opening tag of a block.
type attr struct{ name, value string }

// block wraps content, so that nothing in it can end it.
func block(tag string, content string, attrs ...attr) string {
	var b strings.Builder
	b.WriteString("<" + tag)
	for _, a := range attrs {
		b.WriteString(" " + a.name + `="` + escapeAttr(a.value) + `"`)
	}
	b.WriteString(">\n" + closeless(content))
	if !strings.HasSuffix(content, "\n") {
		b.WriteString("\n")
	}
	b.WriteString("</" + tag + ">")
	return b.String()
}

// closer is the end of a block, in any form that a reader might take for one.
var closer = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)<(\s*/\s*(?:file|dir|resource))`)
})

// closeless is text without the end of a block: </file> becomes <\/file>.
func closeless(text string) string {
	if !strings.Contains(text, "<") {
		return text
	}
	return closer().ReplaceAllStringFunc(text, func(m string) string {
		return strings.Replace(m, "/", `\/`, 1)
	})
}

// escapeAttr makes a value fit to stand in quotes on one line.
func escapeAttr(value string) string {
	var b strings.Builder
	for _, r := range value {
		switch {
		case r == '"':
			b.WriteString("&quot;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case !unicode.IsGraphic(r):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// cutAt is at most n bytes of text: whole lines unless they are long, and never half a
// character.
func cutAt(text string, n int) string {
	if len(text) <= n {
		return text
	}
	n = max(n, 0)
	if at := strings.LastIndexByte(text[:n], '\n'); at >= n/2 {
		return text[:at+1]
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// size is a number of bytes for a reader.
func size(n int64) string {
	switch {
	case n < 10<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 10<<20:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d MB", n>>20)
}
