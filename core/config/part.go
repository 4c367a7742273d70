package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
)

// PartKind says what a part is about.
type PartKind string

// The kinds of part.
const (
	PartRule        PartKind = "rule"        // permissions.allow
	PartPermissions PartKind = "permissions" // the other keys of [permissions]
	PartSandbox     PartKind = "sandbox"
	PartTools       PartKind = "tools"
	PartShell       PartKind = "shell"
	PartEnvironment PartKind = "environment"
	PartSkills      PartKind = "skills"
	PartPrompt      PartKind = "prompt"
	PartModel       PartKind = "model"
	PartHook        PartKind = "hook"
	PartServer      PartKind = "server" // [[plugins]] and .mcp.json
	PartProvider    PartKind = "provider"
)

// Part is one thing a project's files say that would let a run do or reach more.
// It counts only when Input.Granted says so. A list is one part an element, a
// [[block]] one part.
type Part struct {
	Key  string // canonical: permissions.allow, plugins.docs, mcpServers.docs
	Kind PartKind
	// Hash is that of the key and the value in their canonical form: how the file
	// spells them, and comments, change nothing. That of a server leaves out its
	// limits and the values of its variables and headers.
	Hash         string
	File         string
	Line, Column int
	Text         string // the value for a person, whole, safe to print; no secrets
	Effect       string // what granting it means, in a few words
}

// Label is the key, safe to print: names in it are the project's.
func (p Part) Label() string { return printable(p.Key) }

// ID is a short name of the part, unique enough to be typed.
func (p Part) ID() string { return p.Hash[:min(idLength, len(p.Hash))] }

const idLength = 8

// TrustCommand is the command line that asks about granting the part. It can be typed
// as it stands, whatever the project calls its servers.
func (p Part) TrustCommand() string {
	parts, err := SplitPath(p.Key)
	if p.Kind == PartServer && err == nil && len(parts) > 1 && typeable(parts[1]) {
		return "reasonix mcp trust " + parts[1]
	}
	return strings.TrimSpace("reasonix permissions trust " + p.ID())
}

// typeable reports whether every shell takes name for one word, and no command for a
// flag.
func typeable(name string) bool {
	return name != "" && name[0] != '-' && name[0] != '@' && strings.Trim(name, wordRunes) == ""
}

// wordRunes mean nothing to a shell.
const wordRunes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:@+"

// RulePart is the part that rule is in a project's permissions.allow.
func RulePart(rule string) Part {
	return newPart("permissions.allow", PartRule, rule, shownText(rule))
}

func newPart(key string, kind PartKind, value any, text string) Part {
	return Part{Key: key, Kind: kind, Hash: hashOf(key, value), Text: text, Effect: effect(key, kind, value)}
}

// hashOf is the SHA-256 of the key and the value as JSON with sorted names. What
// has no such form has no hash and cannot be granted.
func hashOf(key string, value any) string {
	text, err := json.Marshal(canonical(value))
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(slices.Concat([]byte(key), []byte{0}, text))
	return hex.EncodeToString(sum[:])
}

// canonical gives the numbers that JSON lacks a form.
func canonical(v any) any {
	switch t := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(t))
		for name, e := range t {
			out[name] = canonical(e)
		}
		return out
	case []any:
		out := make([]any, len(t))
		for i, e := range t {
			out[i] = canonical(e)
		}
		return out
	case float64:
		if math.IsNaN(t) || math.IsInf(t, 0) {
			return map[string]any{"number": fmt.Sprint(t)}
		}
	}
	return v
}

// printable writes what a terminal would act on, or not show, as an escape: a file
// of a stranger must look like what it is.
func printable(s string) string {
	if strings.IndexFunc(s, unseen) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !unseen(r):
			b.WriteRune(r)
		case r > math.MaxUint16:
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	return b.String()
}

// unseen reports whether a terminal acts on r, or shows nothing, or a gap, for it: also
// letters and marks that are blank.
func unseen(r rune) bool {
	return !unicode.IsPrint(r) || r == brailleBlank || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

const brailleBlank = '\u2800'

// shownText is a text as it stands, or in quotes where its ends could not be seen.
func shownText(s string) string {
	if strings.ContainsAny(s, "\n\r\t") {
		return printable(quote(s))
	}
	s = printable(s)
	if s == "" || strings.TrimSpace(s) != s {
		return `"` + s + `"`
	}
	return s
}

// shownTable is a block on one line: its fields in the order of the key table,
// without its name and without the values of what may hold secrets.
func shownTable(table string, m map[string]any) string {
	rank := map[string]int{}
	for i, k := range Keys() {
		if rest, ok := strings.CutPrefix(k.Path, table+".<name>."); ok {
			field, _, _ := strings.Cut(rest, ".")
			if _, seen := rank[field]; !seen {
				rank[field] = i - len(Keys()) // before what the table does not know
			}
		}
	}
	var fields []string
	for field := range m {
		if field != "name" {
			fields = append(fields, field)
		}
	}
	slices.SortFunc(fields, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank[a], rank[b]), strings.Compare(a, b))
	})
	for i, field := range fields {
		fields[i] = quoteKey(field) + " = " + shownField(field, m[field])
	}
	return printable(strings.Join(fields, ", "))
}

// plainFields are those of a block that hold no secrets, or only in a URL. What a
// hook's file is named is shown, too.
var plainFields = []string{
	"type", "command", "args", "call_timeout_seconds", "tool_timeout_seconds", "trusted_read_only_tools",
	"default_tools_approval_mode", "tools", "approvals_reviewer", "event", "match", "description", "timeout_seconds", "dir",
	"headers_helper", "headersHelper", "enabled", "disabled", "start_timeout_seconds", "protocol_version", "file",
	"kind", "price", "prices", "base_url", "chat_url", "models_url", "api_key_env", "url",
}

func shownField(field string, v any) string {
	if s, ok := v.(string); ok && strings.HasSuffix(field, "url") {
		return quote(shownURL(s))
	}
	if slices.Contains(plainFields, field) {
		return renderAny(v)
	}
	m, ok := v.(map[string]any)
	if !ok {
		return Hidden
	}
	names := make([]string, 0, len(m))
	for name := range m {
		value := withheld(m[name])
		if field == "env" && decides(name) || field == "oauth" && slices.Contains(plainLogin, name) {
			value = renderAny(m[name])
		}
		names = append(names, quoteKey(name)+" = "+value)
	}
	slices.Sort(names)
	return "{ " + strings.Join(names, ", ") + " }"
}

// plainLogin are the fields of a server's oauth that hold no secrets, in both spellings:
// variables hold those, and what they are called is shown.
var plainLogin = []string{
	"grant", "issuer", "client_id", "client_secret_env", "private_key_env", "key_id", "signing_algorithm", "scopes", "callback_port",
	"clientId", "callbackPort",
}

// withheld is a value that may be a secret: what stands in its place, with the variables
// it is put together from.
func withheld(v any) string {
	s, ok := v.(string)
	if !ok {
		return Hidden
	}
	if shown := hideLiterals(s); shown != Hidden {
		return quote(shown)
	}
	return Hidden
}

// hideLiterals hides all of a text but the variables that it names.
func hideLiterals(text string) string {
	var b strings.Builder
	hide := func(literal, in string) {
		if literal != "" {
			b.WriteString(in)
		}
	}
	literal := ""
	for {
		before, after, found := strings.Cut(text, "${")
		literal += before
		inner, rest, closed := strings.Cut(after, "}")
		name, fallback, has := strings.Cut(inner, ":-")
		switch {
		case !found:
			hide(literal, Hidden)
			return b.String()
		case !closed || !variableName(name):
			literal, text = literal+"${", after
			continue
		}
		hide(literal, Hidden)
		b.WriteString("${" + name)
		if has {
			b.WriteString(":-")
			hide(fallback, Hidden)
		}
		b.WriteString("}")
		literal, text = "", rest
	}
}

// decides reports whether a variable says which program runs, or what else it loads: no
// secret, and what somebody who is asked about a program has to see.
func decides(name string) bool {
	name = strings.ToUpper(name)
	for _, prefix := range []string{"LD_", "DYLD_", "NODE_", "NPM_CONFIG_", "PYTHON", "PERL5", "RUBY", "GEM_", "JAVA_", "GIT_SSH", "GIT_EXEC", "GIT_CONFIG"} {
		if strings.HasPrefix(name, prefix) && !strings.Contains(name, "TOKEN") && !strings.Contains(name, "AUTH") {
			return true
		}
	}
	return slices.Contains([]string{"PATH", "PATHEXT", "COMSPEC", "SHELL", "BASH_ENV", "ENV", "IFS", "ZDOTDIR", "HOME", "EDITOR", "VISUAL", "PAGER", "CLASSPATH"}, name)
}

// renderAny is render for what JSON may hold, too.
func renderAny(v any) string {
	switch t := v.(type) {
	case nil:
		return "null"
	case json.Number:
		return t.String()
	case []any:
		parts := make([]string, len(t))
		for i, e := range t {
			parts[i] = renderAny(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		parts := make([]string, 0, len(t))
		for _, name := range slices.Sorted(maps.Keys(t)) {
			parts = append(parts, quoteKey(name)+" = "+renderAny(t[name]))
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	default:
		return render(v)
	}
}

// Printable is s with what a terminal would act on, or not show, as an escape.
func Printable(s string) string { return printable(s) }

// ShownURL is a URL without what may be a secret in it: a user, and the values of a query.
func ShownURL(s string) string { return printable(shownURL(s)) }

// shownURL is a URL without what may be a secret in it.
func shownURL(s string) string {
	s, query, _ := strings.Cut(s, "?")
	if scheme, rest, ok := strings.Cut(s, "://"); ok {
		host, path, slash := strings.Cut(rest, "/")
		if i := strings.LastIndexByte(host, '@'); i >= 0 {
			host = Hidden + host[i:]
		}
		s = scheme + "://" + host
		if slash {
			s += "/" + path
		}
	}
	if query != "" {
		s += "?" + shownQuery(query)
	}
	return s
}

// shownQuery is the query of a URL: the names in it, and the variables in their values.
func shownQuery(query string) string {
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			name, value = "", pair
		} else {
			name += "="
		}
		pairs[i] = name + hideLiterals(value)
	}
	return strings.Join(pairs, "&")
}
