package permission

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"unsafe"
)

// subjects are the strings of a call's arguments that rules speak of. Arrays of
// fixed size keep the usual call off the heap.
type subjects struct {
	command string
	text    string // pattern: what a search looks for
	host    string // of the url that is fetched, "" when it cannot be read
	paths   [4]string
	// resolved are the paths with their links followed, "" where the name says it.
	resolved [4]string
	n        int
	more     bool // malformed, or more subjects than fit: no allow rule with a spec covers it
}

func (s *subjects) addPath(p string) {
	if s.n == len(s.paths) {
		s.more = true
		return
	}
	s.paths[s.n] = p
	s.n++
}

// real is what the path i leads to.
func (s *subjects) real(i int) string {
	if s.resolved[i] != "" {
		return s.resolved[i]
	}
	return s.paths[i]
}

// resolve follows the links of every path.
func (s *subjects) resolve(p *Policy) {
	for i, name := range s.paths[:s.n] {
		if real := p.resolve(absolute(p.root(), p.expand(filepath.ToSlash(name)))); real != name {
			s.resolved[i] = real
		}
	}
}

// subjectsOf reads the known keys of the top-level object. Keys ignore case and
// every occurrence of a repeated key counts, because the tool's own decoder does
// the one and may do the other.
func subjectsOf(args json.RawMessage) subjects {
	var s subjects
	seen, fetches := false, false
	ok := eachString(args, func(key string, raw []byte) {
		command, pattern, address := strings.EqualFold(key, "command"), strings.EqualFold(key, "pattern"), strings.EqualFold(key, "url")
		if !command && !pattern && !address && !isPathKey(key) {
			return
		}
		value, ok := decode(raw)
		switch {
		case !ok:
			s.more = true
		case command:
			s.more = s.more || seen && value != s.command
			s.command, seen = value, true
		case pattern:
			s.text = value
		case address:
			host := hostOf(value)
			s.more = s.more || host == "" || fetches && host != s.host
			s.host, fetches = host, true
		default:
			s.addPath(value)
		}
	})
	s.more = s.more || !ok
	return s
}

func isPathKey(key string) bool {
	for _, k := range [...]string{"path", "file_path", "source_path", "destination_path"} {
		if strings.EqualFold(key, k) {
			return true
		}
	}
	return false
}

// eachString calls f for every member of a JSON object whose value is a string,
// with the value as written, quotes and all. It reports whether args is a
// well-formed object.
func eachString(args json.RawMessage, f func(key string, raw []byte)) bool {
	i := skipSpace(args, 0)
	if i >= len(args) || args[i] != '{' {
		return false
	}
	i = skipSpace(args, i+1)
	for i < len(args) && args[i] != '}' {
		start := i
		var ok bool
		if i, ok = skipString(args, i); !ok {
			return false
		}
		key, ok := decode(args[start:i])
		if !ok {
			return false
		}
		if i = skipSpace(args, i); i >= len(args) || args[i] != ':' {
			return false
		}
		i = skipSpace(args, i+1)
		start = i
		if i < len(args) && args[i] == '"' {
			if i, ok = skipString(args, i); !ok {
				return false
			}
			f(key, args[start:i])
		} else if i, ok = skipValue(args, i); !ok {
			return false
		}
		if i = skipSpace(args, i); i < len(args) && args[i] == ',' {
			i = skipSpace(args, i+1)
		}
	}
	return i < len(args)
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// skipString passes over the JSON string at b[i].
func skipString(b []byte, i int) (int, bool) {
	if i >= len(b) || b[i] != '"' {
		return i, false
	}
	for j := i + 1; j < len(b); j++ {
		switch b[j] {
		case '\\':
			j++
		case '"':
			return j + 1, true
		}
	}
	return i, false
}

// decode reads a quoted JSON string. It allocates only when there are escapes;
// otherwise the result is valid as long as raw is not changed.
func decode(raw []byte) (string, bool) {
	if bytes.IndexByte(raw, '\\') < 0 {
		return view(raw[1 : len(raw)-1]), true
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

// view is string(b) without the copy; b must not change while it is in use.
func view(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	return unsafe.String(&b[0], len(b))
}

// skipValue passes over a value that is not a string.
func skipValue(b []byte, i int) (int, bool) {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			next, ok := skipString(b, i)
			if !ok {
				return i, false
			}
			i = next
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i, true
			}
			depth--
		case ',':
			if depth == 0 {
				return i, true
			}
		}
		i++
	}
	return i, false
}
