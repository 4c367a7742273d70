package walk

import (
	"bytes"
	"strings"
)

// gitConfig is the little of git's configuration that matters here. Included
// files and the system's are not read.
type gitConfig struct {
	excludesFile string
	hasExcludes  bool
	ignoreCase   bool
	sha256       bool
}

// parse lets data's settings replace those of c.
func (c *gitConfig) parse(data []byte) {
	section := ""
	for line := range bytes.Lines(data) {
		text := strings.TrimSpace(string(line))
		if rest, ok := strings.CutPrefix(text, "["); ok {
			name, after, closed := strings.Cut(rest, "]")
			if !closed {
				continue
			}
			section, text = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(after)
		}
		key, value, set := strings.Cut(text, "=")
		if text == "" || text[0] == '#' || text[0] == ';' {
			continue
		}
		c.set(section+"."+strings.ToLower(strings.TrimSpace(key)), configValue(value), set)
	}
}

func (c *gitConfig) set(key, value string, set bool) {
	switch key {
	case "core.excludesfile":
		c.excludesFile, c.hasExcludes = value, true
	case "core.ignorecase":
		switch strings.ToLower(value) {
		case "true", "yes", "on", "1":
			c.ignoreCase = true
		default:
			c.ignoreCase = !set
		}
	case "extensions.objectformat":
		c.sha256 = strings.EqualFold(value, "sha256")
	}
}

// configValue takes off quotes, escapes and a comment.
func configValue(s string) string {
	var b strings.Builder
	quoted, end := false, 0
	s = strings.TrimSpace(s)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '"':
			quoted = !quoted
			end = b.Len()
			continue
		case c == '\\' && i+1 < len(s):
			i++
			c = unescape(s[i])
		case (c == '#' || c == ';') && !quoted:
			return b.String()[:end]
		case c == ' ' && !quoted:
			b.WriteByte(c)
			continue
		}
		b.WriteByte(c)
		end = b.Len()
	}
	return b.String()[:end]
}

func unescape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	}
	return c
}
