package permission

import (
	"cmp"
	"path/filepath"
	"strings"
)

// hearing is the judgement of one shell command.
type hearing struct {
	*Policy
	readOnly         bool
	deny, ask, allow []Rule // about the shell tool
	reads, edits     []ruling
	text             string
	script           script
	whole            Rule // an allow rule that says the whole text
	dir              string
	buffer           [maxDirs]reach // for the paths of one word
}

// verdict is what is decided about one step.
type verdict struct {
	Part
	explicit bool
	release  []string
}

// rank orders verdicts from mildest to strictest.
func (v *verdict) rank() int {
	switch {
	case v.Decision == Deny:
		return 4
	case v.Decision == Allow:
		return 0
	case v.Fresh:
		return 3
	case v.explicit:
		return 2
	}
	return 1
}

// raise makes a verdict stricter.
func (v *verdict) raise(d Decision, r Rule, source, why string) {
	next := verdict{Part: v.Part, explicit: true, release: v.release}
	next.Decision, next.Rule, next.Source, next.Why, next.Fresh = d, r, source, why, false
	if next.rank() > v.rank() {
		*v = next
	}
}

// fresh makes a verdict a fresh review, unless it is denied.
func (v *verdict) fresh(r Rule, source, why string) {
	if v.rank() < 3 {
		v.Decision, v.Rule, v.Source, v.Why, v.Fresh, v.explicit = Ask, r, source, why, true, true
	}
}

// judgeShell judges every step of a script and takes the strictest verdict.
func (p *Policy) judgeShell(toolName string, readOnly bool, s *subjects, explain bool) Reason {
	h := p.hear(toolName, readOnly, s)
	if !explain && h.indifferent() {
		return p.fallback(readOnly)
	}
	h.read(s.more)
	return h.decide()
}

// hear prepares the judgement of one command.
func (p *Policy) hear(toolName string, readOnly bool, s *subjects) *hearing {
	own := *p // so that the policy of a call about a file stays off the heap
	if own.Resolve != nil {
		own.linked = &linked{}
	}
	return &hearing{
		Policy: &own, readOnly: readOnly, text: s.command, dir: cmp.Or(filepath.ToSlash(p.Dir), p.root()),
		reads: p.rulings(readTool), edits: p.rulings(editTool),
		deny: about(p.Deny, toolName), ask: about(p.Ask, toolName), allow: about(p.Allow, toolName),
	}
}

// indifferent reports whether nothing in a command could change what becomes of
// it.
func (h *hearing) indifferent() bool {
	return len(h.Deny)+len(h.Ask)+len(h.Allow) == 0 && h.Places.empty() && h.Root == "" && !h.ReadOnlyCommands
}

// read takes the command apart. repeated says that the arguments hold more than
// one, or none that can be read; then it is one step that cannot be analysed.
func (h *hearing) read(repeated bool) {
	home := filepath.ToSlash(h.Home)
	switch {
	case repeated:
		h.script = script{unread: "the arguments do not say one command"}
	case h.PowerShell:
		h.script = plain(h.text, h.dir, home)
	default:
		h.script = analyse(h.text, h.dir, home)
	}
	if h.script.unread != "" {
		s := step{kind: PartCommand, text: strings.TrimSpace(h.text), parent: -1}
		s.obscure("it cannot be read: " + h.script.unread)
		h.script.steps = append(h.script.steps, s)
	}
	for _, r := range h.allow {
		if r.Spec == h.text && h.text != "" {
			h.whole = r
		}
	}
}

// decide judges the steps and puts their verdicts together.
func (h *hearing) decide() Reason {
	var worst, last verdict
	parts := make([]Part, 0, len(h.script.steps))
	var release []string
	for i := range h.script.steps {
		v := h.judge(&h.script.steps[i])
		if h.script.steps[i].free && v.Decision == Allow && v.Rule == (Rule{}) {
			continue // what it starts speaks for it
		}
		parts = append(parts, v.Part)
		release = append(release, v.release...)
		if v.rank() > worst.rank() {
			worst = v
		}
		if v.Decision == Allow && (v.Rule != (Rule{}) || last.Rule == (Rule{}) && v.Source == OnlyReads) {
			last = v
		}
	}
	verdict := h.fallback(h.readOnly)
	switch {
	case worst.rank() > 0:
		verdict = worst.reason()
		if !worst.explicit && len(parts) > 1 {
			verdict.Why = "no rule covers " + worst.Text
		}
	case last.Rule != (Rule{}) || last.Source != "":
		verdict = last.reason()
	}
	verdict = h.bySpeakingOfAll(verdict)
	if verdict.Fresh {
		verdict.Release = compact(release)
	}
	verdict.Parts = parts
	return verdict
}

// bySpeakingOfAll applies deny and ask rules that say the whole script.
func (h *hearing) bySpeakingOfAll(verdict Reason) Reason {
	for _, r := range h.deny {
		if (r.Spec == "" || r.Spec == h.text) && (verdict.Decision != Deny || !verdict.Explicit) {
			return byRule(Deny, r)
		}
	}
	for _, r := range h.ask {
		if (r.Spec == "" || r.Spec == h.text) && (!verdict.Explicit || verdict.Decision == Allow) {
			return byRule(Ask, r)
		}
	}
	return verdict
}

func (v *verdict) reason() Reason {
	return Reason{Decision: v.Decision, Rule: v.Rule, Source: v.Source, Explicit: v.explicit, Why: v.Why, Fresh: v.Fresh}
}

// judge decides about one step.
func (h *hearing) judge(s *step) verdict {
	v := verdict{Part: Part{Kind: s.kind, Text: s.text, Dir: s.dirs.first()}}
	if s.kind == PartCommand {
		h.judgeCommand(&v, s)
	} else {
		h.judgeFile(&v, s)
	}
	return v
}

// judgeCommand decides about a simple command: by rules first, then by what holds
// without one.
func (h *hearing) judgeCommand(v *verdict, s *step) {
	h.mildest(v, s)
	for _, r := range h.ask {
		switch s.hitBy(r, h.FoldCase) {
		case certain:
			if v.Decision == Allow || !v.explicit {
				v.Decision, v.Rule, v.Source, v.Why, v.explicit = Ask, r, r.Source, "", true
			}
		case possible:
			v.raise(Ask, r, r.Source, madeLater)
		case impossible:
			if s.opaque {
				v.raise(Ask, r, r.Source, s.why)
			} else if s.passes(r) {
				v.raise(Ask, r, r.Source, mayStart)
			}
		}
	}
	h.guardWords(v, s)
	h.guardGit(v, s)
	for _, r := range h.deny {
		switch s.hitBy(r, h.FoldCase) {
		case certain:
			v.raise(Deny, r, r.Source, "")
			v.Rule, v.Source, v.Why, v.Fresh, v.explicit = r, r.Source, "", false, true
			return
		case possible:
			h.doubt(v, r, madeLater)
		case impossible:
			if s.opaque {
				h.doubt(v, r, s.why)
			} else if s.passes(r) {
				h.doubt(v, r, mayStart)
			}
		}
	}
}

const (
	madeLater = "part of the command is made at run time"
	mayStart  = "it may start the command that the rule is about"
)

// doubt is what becomes of a command that a deny rule may be about: a fresh
// review, and no milder than the fallback.
func (h *hearing) doubt(v *verdict, r Rule, why string) {
	if h.Mode == Deny {
		v.raise(Deny, r, r.Source, why)
		return
	}
	v.fresh(r, r.Source, why)
}

// mildest is what a command gets when no rule is against it.
func (h *hearing) mildest(v *verdict, s *step) {
	if r, ok := h.covering(s); ok {
		v.Decision, v.Rule, v.Source, v.explicit = Allow, r, r.Source, true
		return
	}
	v.Why = s.why
	fallback := h.fallback(h.readOnly)
	v.Decision, v.Source = fallback.Decision, fallback.Source
	switch {
	case s.opaque:
	case s.free || s.inert && s.limit == byPattern:
		v.Decision, v.Source, v.Why = Allow, "", ""
		if h.ReadOnlyCommands && h.Mode == Ask {
			v.Source = OnlyReads
		}
	case v.Decision == Ask && h.ReadOnlyCommands && h.onlyReads(s):
		v.Decision, v.Source = Allow, OnlyReads
	case v.Why == "" && v.Decision == Ask && h.ReadOnlyCommands && h.reading(s): // only git gets here
		v.Why = whyOtherRepository
	case v.Why == "" && len(h.allow) > 0:
		v.Why = firstRisk(s.words).why
	}
}

// covering returns the allow rule that covers a step, or the command that starts
// it by name.
func (h *hearing) covering(s *step) (Rule, bool) {
	if r, ok := bare(h.allow); ok {
		return r, true
	}
	if h.whole != (Rule{}) && s.limit != byNone && (!s.reads || s.known) {
		return h.whole, true
	}
	if s.opaque {
		return Rule{}, false
	}
	for _, r := range h.allow {
		if s.coveredBy(r) || h.spelled(s, r) {
			return r, true
		}
	}
	return Rule{}, false
}

// spelled reports whether a rule names the command that starts s together with
// what it starts.
func (h *hearing) spelled(s *step, r Rule) bool {
	for up := s.parent; up >= 0; up = h.script.steps[up].parent {
		outer := &h.script.steps[up]
		if outer.limit != byNone && outer.text == r.Spec || outer.spelledBy(r) && (s.harmless() || s.limit == bySetting && s.setsOnly(r.settings())) {
			return true
		}
	}
	return false
}

// harmless reports whether a command that a wrapper starts may be covered by a rule
// that names both: nothing in it runs a program that the rule may not have meant.
func (s *step) harmless() bool {
	return (s.limit == byPattern || s.wrapper) && (s.kind != PartCommand || firstRisk(s.words).at == 0)
}

// about returns the rules that speak of toolName.
func about(rules []Rule, toolName string) []Rule {
	for i, r := range rules {
		if !r.speaksOf(toolName) {
			kept := append([]Rule(nil), rules[:i]...)
			for _, r := range rules[i+1:] {
				if r.speaksOf(toolName) {
					kept = append(kept, r)
				}
			}
			return kept
		}
	}
	return rules
}

func bare(rules []Rule) (Rule, bool) {
	for _, r := range rules {
		if r.Spec == "" {
			return r, true
		}
	}
	return Rule{}, false
}
