package permission

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// covers reports whether an allow rule of a file tool or of any tool without a
// family covers the call: every path must match. In an allow rule "*" stays
// within one directory.
func (p *Policy) covers(r Rule, s *subjects) bool {
	if r.Spec == "" {
		return true
	}
	if s.more {
		return false
	}
	if r.aboutHost() {
		return r.matchHost(s.host, false)
	}
	if s.n == 0 {
		return r.hasText(s)
	}
	for _, name := range s.paths[:s.n] {
		if !p.matchPath(r, name, false) {
			return false
		}
	}
	return true
}

// hits reports whether a deny or ask rule hits the call: one path is enough, and
// "*" also crosses directories, so that the stricter reading wins.
func (p *Policy) hits(r Rule, s *subjects) bool {
	if r.Spec == "" {
		return true
	}
	if r.aboutHost() {
		return s.more || r.matchHost(s.host, true)
	}
	for _, name := range s.paths[:s.n] {
		if p.matchPath(r, name, true) {
			return true
		}
	}
	return r.hasText(s)
}

// hasText matches the subject of a call that has no path.
func (r Rule) hasText(s *subjects) bool {
	if familyOf(r.Tool) != noFamily {
		return false
	}
	for _, text := range [...]string{s.text, s.command} {
		if text != "" && (text == r.Spec || !r.Literal && wildcard(r.Spec, text)) {
			return true
		}
	}
	return false
}

// matchPath compares one path with the rule's pattern: relative to the workspace
// when it lies inside, absolute otherwise.
func (p *Policy) matchPath(r Rule, name string, strict bool) bool {
	name = p.expand(filepath.ToSlash(name))
	spec := strings.TrimPrefix(p.expand(r.Spec), "./")
	if p.FoldCase {
		name, spec = strings.ToLower(name), strings.ToLower(spec)
	}
	if isAbs(spec) {
		return r.matchName(spec, p.absolute(name), strict)
	}
	if rel, inside := p.relative(name); inside {
		return r.matchName(spec, rel, strict)
	}
	return strict && strings.HasPrefix(spec, "**/") && r.matchName(spec, p.absolute(name), strict)
}

func (r Rule) matchName(spec, name string, strict bool) bool {
	switch {
	case r.Literal:
		return name == path.Clean(spec)
	case strings.HasSuffix(spec, "/"):
		return strings.HasPrefix(name, spec) || name == spec[:len(spec)-1]
	case doublestar.MatchUnvalidated(spec, name):
		return true
	}
	return strict && wildcard(spec, name)
}

// expand replaces a leading "~/".
func (p *Policy) expand(name string) string {
	if p.Home != "" && strings.HasPrefix(name, "~/") {
		return filepath.ToSlash(p.Home) + name[1:]
	}
	return name
}

func (p *Policy) absolute(name string) string {
	if isAbs(name) {
		return path.Clean(name)
	}
	return path.Join(p.root(), name)
}

// relative cleans name and reports whether it lies in the workspace.
func (p *Policy) relative(name string) (string, bool) {
	if !isAbs(name) {
		rel := path.Clean(name)
		if rel != ".." && !strings.HasPrefix(rel, "../") {
			return rel, true
		}
		name = path.Join(p.root(), rel)
	}
	abs, root := path.Clean(name), p.root()
	if root == "" {
		return "", false
	}
	if abs == root {
		return ".", true
	}
	root = strings.TrimSuffix(root, "/")
	rel, ok := strings.CutPrefix(abs, root)
	return strings.TrimPrefix(rel, "/"), ok && strings.HasPrefix(rel, "/")
}

func (p *Policy) root() string {
	root := filepath.ToSlash(p.Root)
	if p.FoldCase {
		root = strings.ToLower(root)
	}
	return root
}

// isAbs knows the roots of every system: a rule is judged where it was written.
func isAbs(name string) bool {
	return strings.HasPrefix(name, "/") || len(name) > 2 && name[1] == ':' && name[2] == '/'
}

// wildcard matches the whole of text: "*" is any run of characters, "?" one.
func wildcard(pattern, text string) bool {
	star, mark := -1, 0
	i, j := 0, 0
	for j < len(text) {
		switch {
		case i < len(pattern) && pattern[i] == '*':
			star, mark = i, j
			i++
		case i < len(pattern) && (pattern[i] == '?' || pattern[i] == text[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[i:], "*") == ""
}
