package config

import (
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// SplitPath takes a dotted key path apart. Parts with dots or spaces are quoted
// as in TOML: providers.deepseek.model_overrides."deepseek-v4.5".vision.
func SplitPath(path string) ([]string, error) {
	text := path + " = 0"
	var p unstable.Parser
	p.Reset([]byte(text))
	if !p.NextExpression() || p.Expression().Kind != unstable.KeyValue || int(p.Expression().Raw.Length) != len(text) {
		return nil, fmt.Errorf("key %q: want names with dots between them, quoted where they hold a dot themselves", path)
	}
	return keyParts(p.Expression()), nil
}

// JoinPath is the canonical text of a key path.
func JoinPath(parts []string) string {
	quoted := make([]string, len(parts))
	for i, p := range parts {
		quoted[i] = quoteKey(p)
	}
	return strings.Join(quoted, ".")
}

func quoteKey(s string) string {
	if s == "" || strings.IndexFunc(s, func(r rune) bool { return !bareKeyRune(r) }) >= 0 {
		return quote(s)
	}
	return s
}

func bareKeyRune(r rune) bool {
	return r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_'
}

func keyParts(n *unstable.Node) []string {
	var parts []string
	for it := n.Key(); it.Next(); {
		parts = append(parts, string(it.Node().Data))
	}
	return parts
}

// quote writes s as a TOML basic string.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
