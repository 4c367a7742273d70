package acp

import (
	"maps"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"reasonix/integrations/internal/jsonrpc"
)

// withoutHome writes ~ for the user's home directory, whose name is nobody's business,
// wherever a path begins with it.
func withoutHome(home, text string) string {
	home = strings.TrimRight(home, `/\`)
	if home == "" {
		return text
	}
	text = tilde(home, text)
	if slashes := filepath.ToSlash(home); slashes != home { // as paths are shown, and quoted
		text = tilde(strings.ReplaceAll(home, `\`, `\\`), tilde(slashes, text))
	}
	return text
}

func tilde(home, text string) string {
	var said strings.Builder
	for from := 0; ; {
		i := strings.Index(text[from:], home)
		if i < 0 {
			said.WriteString(text[from:])
			return said.String()
		}
		at, end := from+i, from+i+len(home)
		said.WriteString(text[from:at])
		if begins(text[:at]) && ends(text[end:]) {
			said.WriteString("~")
		} else {
			said.WriteString(home)
		}
		from = end
	}
}

// begins reports whether a path can begin behind before: nothing that belongs to a path
// stands there, but for the scheme of an address.
func begins(before string) bool {
	if before == "" || strings.HasSuffix(before, "://") {
		return true
	}
	c := before[len(before)-1]
	letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
	return !letter && !strings.ContainsRune(`/\._-+~%@$}`, rune(c))
}

// ends reports whether a name can end before behind: a separator or no part of a name
// stands there. A dot belongs to a name unless a sentence ends with it.
func ends(behind string) bool {
	behind = strings.TrimLeft(behind, ".")
	r, _ := utf8.DecodeRuneInString(behind)
	return behind == "" || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-+~@$", r)
}

// reword has an error show no home directory. Its data keeps what a client needs as it
// is: the directory to ask for, and what it sent itself.
func (s *server) reword(e *jsonrpc.Error) *jsonrpc.Error {
	said := &jsonrpc.Error{Code: e.Code, Message: withoutHome(s.opts.Home, e.Message), Data: e.Data}
	data, ok := e.Data.(map[string]any)
	if !ok {
		return said
	}
	data = maps.Clone(data)
	for name, value := range data {
		if text, ok := value.(string); ok && name != "cwd" && name != "value" {
			data[name] = withoutHome(s.opts.Home, text)
		}
	}
	said.Data = data
	return said
}
