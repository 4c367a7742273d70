package search

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// matcher is what is known of a pattern. It is immutable; each scanner has its own
// finder and automaton.
type matcher struct {
	re    *regexp.Regexp
	auto  *dfa     // to be forked; nil for a pattern that is exact
	need  literals // one of these is in every match; none is known when empty
	exact bool     // and wherever one of them is, there is a match
	ascii bool     // need is ASCII, so it is found in undecoded text too
	edges bool     // the pattern looks at what is around a match
	ends  bool     // it looks for the end of a line
}

// compile prepares a pattern for lines: nothing in it matches a line feed, and
// the anchors mean the ends of a line. A line to be matched has lost its carriage
// return.
func compile(pattern string, ignoreCase bool) (*matcher, error) {
	flags := syntax.Perl &^ syntax.OneLine
	if ignoreCase {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(pattern, flags)
	if err != nil {
		return nil, patternError(pattern, err)
	}
	m := &matcher{}
	tree = m.forLines(tree)
	if m.re, err = regexp.Compile(tree.String()); err != nil {
		return nil, patternError(pattern, err)
	}
	m.need, m.exact = needed(tree)
	if !m.exact {
		m.auto = newDFA(tree)
	}
	m.ascii = m.need.any != nil
	for _, s := range m.need.any {
		for i := range len(s) {
			m.ascii = m.ascii && s[i] < utf8.RuneSelf
		}
	}
	return m, nil
}

func patternError(pattern string, err error) error {
	var se *syntax.Error
	if !errors.As(err, &se) {
		return fmt.Errorf("pattern %q: %w", pattern, err)
	}
	hint := ""
	switch {
	case se.Code == syntax.ErrInvalidPerlOp:
		hint = "; RE2 has no lookaround"
	case se.Code == syntax.ErrInvalidEscape && len(se.Expr) == 2 && '1' <= se.Expr[1] && se.Expr[1] <= '9':
		hint = "; RE2 has no back-references"
	case strings.ContainsAny(pattern, "()[]{}*+?"):
		hint = `; put \ before a character meant as itself`
	}
	return fmt.Errorf("pattern %q: %s: `%s`%s", pattern, se.Code, se.Expr, hint)
}

// forLines rewrites a tree as compile promises.
func (m *matcher) forLines(re *syntax.Regexp) *syntax.Regexp {
	for i, sub := range re.Sub {
		re.Sub[i] = m.forLines(sub)
	}
	switch re.Op {
	case syntax.OpAnyChar:
		re.Op = syntax.OpAnyCharNotNL
	case syntax.OpCharClass:
		re.Rune = withoutLF(re.Rune)
		if len(re.Rune) == 0 {
			re.Op = syntax.OpNoMatch
		}
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r == '\n' {
				re.Op, re.Rune = syntax.OpNoMatch, nil
				break
			}
		}
	case syntax.OpBeginText, syntax.OpBeginLine:
		re.Op = syntax.OpBeginLine
		m.edges = true
	case syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		m.edges = true
	case syntax.OpEndText, syntax.OpEndLine:
		re.Op = syntax.OpEndLine
		m.edges, m.ends = true, true
	default: // means the same in a line
	}
	return re
}

// withoutLF takes the line feed out of a class of rune ranges.
func withoutLF(class []rune) []rune {
	var out []rune
	for i := 0; i+1 < len(class); i += 2 {
		lo, hi := class[i], class[i+1]
		if lo > '\n' || hi < '\n' {
			out = append(out, lo, hi)
			continue
		}
		if lo < '\n' {
			out = append(out, lo, '\n'-1)
		}
		if hi > '\n' {
			out = append(out, '\n'+1, hi)
		}
	}
	return out
}
