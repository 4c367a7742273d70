package permission

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// Sources of a decision that no rule made.
const (
	// Fallback is what happens when nothing speaks of a call.
	Fallback = "fallback"
	// Builtin is what holds without a rule: hidden, protected and secret paths.
	Builtin = "built-in"
	// OnlyReads is a command of the table that ReadOnlyCommands lists.
	OnlyReads = "read-only command"
)

func (p *Policy) judge(toolName string, readOnly bool, args json.RawMessage, explain bool) Reason {
	family := memberOf(toolName)
	remote, isRemote := p.remote(family, toolName)
	readOnly = readOnly || remote.ReadOnly
	if !isRemote && family != familyBash && len(p.Deny)+len(p.Ask)+len(p.Allow) == 0 && p.Places.empty() && p.Root == "" && !lasting(toolName) {
		return p.fallback(readOnly)
	}
	s := subjectsOf(args)
	if family == familyBash {
		return p.judgeShell(toolName, readOnly, &s, explain)
	}
	if p.Resolve != nil {
		p.linked = &linked{}
		s.resolve(p)
	}
	verdict := p.byRules(toolName, readOnly, &s)
	if isRemote {
		return remote.judge(verdict, readOnly)
	}
	switch family {
	case familyEdit:
		p.guardWrite(&verdict, &s)
	case familyRead:
		p.guardRead(&verdict, toolName, &s)
	case noFamily, familyBash:
		if lasting(toolName) && verdict.Decision != Deny {
			verdict = builtin(Ask, whyLasting)
			verdict.Fresh = true
		}
	}
	return verdict
}

// lasting reports whether a tool changes what later sessions are told.
func lasting(toolName string) bool { return toolName == "remember" || toolName == "forget" }

const whyLasting = "it changes what is kept for later sessions"

// byRules is the precedence of rules: deny, ask, allow, fallback.
func (p *Policy) byRules(toolName string, readOnly bool, s *subjects) Reason {
	for i, rules := range [...][]Rule{p.Deny, p.Ask} {
		for _, r := range rules {
			if r.speaksOf(toolName) && p.hits(r, s) {
				return byRule([...]Decision{Deny, Ask}[i], r)
			}
		}
	}
	for _, r := range p.Allow {
		if r.speaksOf(toolName) && p.covers(r, s) {
			return byRule(Allow, r)
		}
	}
	if r, ok := p.coverEach(toolName, s); ok {
		return byRule(Allow, r)
	}
	return p.fallback(readOnly)
}

// coverEach reports whether every path of a call with several is covered by an
// allow rule of its own, and returns the last one.
func (p *Policy) coverEach(toolName string, s *subjects) (last Rule, ok bool) {
	for i := range s.n {
		at := slices.IndexFunc(p.Allow, func(r Rule) bool {
			return r.Spec != "" && r.speaksOf(toolName) && !r.aboutHost() && p.matchPath(r, s.real(i), false)
		})
		if at < 0 || s.more || s.n < 2 {
			return Rule{}, false
		}
		last = p.Allow[at]
	}
	return last, s.n > 1
}

func (p *Policy) fallback(readOnly bool) Reason {
	if readOnly {
		return Reason{Decision: Allow, Source: Fallback}
	}
	return Reason{Decision: p.Mode, Source: Fallback}
}

func byRule(d Decision, r Rule) Reason {
	return Reason{Decision: d, Rule: r, Source: r.Source, Explicit: true}
}

// guardWrite makes a verdict about a file tool stricter where a path is hidden,
// protected or outside of every root, where no tool can write.
func (p *Policy) guardWrite(verdict *Reason, s *subjects) {
	if verdict.Decision == Deny && verdict.Explicit || p.Places.empty() && p.Root == "" {
		return
	}
	for i := range s.n {
		for _, name := range [...]string{p.plain(s.paths[i]), p.plain(s.real(i))} {
			if p.isHidden(name) {
				*verdict = builtin(Deny, whyHidden(name))
				return
			}
			p.review(verdict, name, s.n > 1)
		}
	}
	for i := range s.n {
		name := p.plain(s.real(i))
		if _, ok := p.protection(name); !ok && p.isOutside(name) {
			*verdict = builtin(Deny, whyOutside(absolute(p.root(), name)))
			return
		}
	}
}

// review makes the writing of a protected path a fresh review, unless it is
// denied. whole says that everything below name goes with it.
func (p *Policy) review(verdict *Reason, name string, whole bool) {
	if verdict.Decision == Deny {
		return
	}
	var below []string
	place, ok := p.protection(name)
	switch {
	case ok:
		below = []string{place}
	case whole:
		below = p.protectedBelow(name)
	default:
		below = p.protectedHead(name)
	}
	for _, place := range below {
		if !verdict.Fresh {
			*verdict = builtin(Ask, whyProtected(place))
			verdict.Fresh = true
		}
		if !slices.Contains(verdict.Release, place) {
			verdict.Release = append(verdict.Release, place)
		}
	}
}

// guardRead makes a verdict about a reader stricter where a path is hidden or
// holds secrets.
func (p *Policy) guardRead(verdict *Reason, toolName string, s *subjects) {
	if verdict.Decision == Deny || p.Places.empty() {
		return
	}
	if toolName == globTool && s.text != "" {
		s.addPath(p.globbed(s))
	}
	for i := range s.n {
		for _, name := range [...]string{p.plain(s.paths[i]), p.plain(s.real(i))} {
			switch {
			case p.isHidden(name):
				*verdict = builtin(Deny, whyHidden(name))
				return
			case p.isSecret(name) && !p.names(toolName, s):
				*verdict = builtin(Ask, whySecret(name))
				verdict.Fresh = true
			}
		}
	}
}

// globTool is the tool whose pattern may name a directory.
const globTool = "glob"

// globbed is the directory that the pattern of a glob begins with.
func (p *Policy) globbed(s *subjects) string {
	pattern := p.expand(filepath.ToSlash(s.text))
	if at := strings.IndexAny(pattern, `*?[{`); at >= 0 {
		pattern = pattern[:strings.LastIndexByte(pattern[:at], '/')+1]
	}
	if s.n > 0 {
		return absolute(absolute(p.root(), p.expand(filepath.ToSlash(s.paths[0]))), pattern)
	}
	return absolute(p.root(), pattern)
}

// names reports whether an allow rule speaks of just the paths of a call.
func (p *Policy) names(toolName string, s *subjects) bool {
	return slices.ContainsFunc(p.Allow, func(r Rule) bool {
		return r.Spec != "" && r.speaksOf(toolName) && p.covers(r, s)
	})
}

// plain is name with slashes and without "~", clean.
func (p *Policy) plain(name string) string {
	name = p.expand(filepath.ToSlash(name))
	if rel, ok := p.relative(name); ok && !isAbs(name) {
		return rel
	}
	return absolute(p.root(), name)
}

func builtin(d Decision, why string) Reason {
	return Reason{Decision: d, Source: Builtin, Explicit: true, Why: why}
}

func whyHidden(name string) string {
	return name + " is neither read nor written here"
}

func whyProtected(name string) string {
	return "a write to " + name + " can run or allow things later, so it is asked every time"
}

func whySecret(name string) string {
	return name + " holds secrets, so reading it is asked every time"
}

func whyOutside(name string) string {
	return name + " is outside the workspace: write below $TMPDIR instead, or start with --add-dir for its directory"
}
