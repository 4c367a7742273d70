package permission

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// covers reports whether an allow rule of a file tool or of any tool without a
// family covers the call: every path must match, with its links resolved. In an
// allow rule "*" stays within one directory.
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
	for i := range s.n {
		if !p.matchPath(r, s.real(i), false) {
			return false
		}
	}
	return true
}

// hits reports whether a deny or ask rule hits the call: one path is enough, as
// given or resolved, and "*" also crosses directories, so that the stricter
// reading wins.
func (p *Policy) hits(r Rule, s *subjects) bool {
	if r.Spec == "" {
		return true
	}
	if r.aboutHost() {
		return s.more || r.matchHost(s.host, true)
	}
	for i, name := range s.paths[:s.n] {
		if p.matchPath(r, name, true) || s.resolved[i] != "" && p.matchPath(r, s.resolved[i], true) {
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
	rel, inside := p.relative(name)
	switch {
	case isAbs(spec):
		name = absolute(p.root(), name)
	case inside:
		name = rel
	case strict && strings.HasPrefix(spec, "**/"):
		name = absolute(p.root(), name)
	default:
		return false
	}
	if p.FoldCase {
		name, spec = strings.ToLower(name), strings.ToLower(spec)
	}
	return r.matchName(spec, name, strict)
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
