package search

import (
	"math/bits"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// literals are texts of which at least one is in every match. fold says that the
// letters A to Z are compared without case; the texts are then in lower case.
// With no texts nothing is known.
//
// Searching for them first is what makes a search fast: the regexp package alone
// takes ten to twenty-five times as long.
type literals struct {
	any  []string
	fold bool
}

// maxLiterals bounds how many texts one pass looks for.
const maxLiterals = 16

// needed reads from a pattern what each of its matches has. exact says that the
// texts are all there is to it: wherever one is, there is a match.
func needed(re *syntax.Regexp) (lits literals, exact bool) {
	if set, ok := whole(re); ok && usable(set) {
		return literals{any: set}, !slices.ContainsFunc(set, hasCR)
	}
	if re.Op == syntax.OpLiteral {
		lits, exact = foldRun(re.Rune)
	} else {
		lits = required(re)
	}
	if !exact && score(lits) < worthwhile {
		return literals{}, false
	}
	return lits, exact && !slices.ContainsFunc(lits.any, hasCR)
}

// hasCR tells that a text may be the end of a line, which is cut off before a
// line is matched.
func hasCR(s string) bool { return strings.Contains(s, "\r") }

func usable(set []string) bool {
	return len(set) > 0 && !slices.Contains(set, "")
}

// whole lists all texts that re matches, if they are few and case matters.
func whole(re *syntax.Regexp) ([]string, bool) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return []string{""}, true
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 && hasCase(re.Rune) {
			return nil, false
		}
		return []string{string(re.Rune)}, true
	case syntax.OpCharClass:
		return wholeClass(re.Rune)
	case syntax.OpCapture:
		return whole(re.Sub[0])
	case syntax.OpQuest:
		set, ok := whole(re.Sub[0])
		return append(set, ""), ok && len(set) < maxLiterals
	case syntax.OpConcat:
		set := []string{""}
		for _, sub := range re.Sub {
			var ok bool
			if set, ok = cross(set, sub); !ok {
				return nil, false
			}
		}
		return set, true
	case syntax.OpAlternate:
		var set []string
		for _, sub := range re.Sub {
			more, ok := whole(sub)
			if set = append(set, more...); !ok || len(set) > maxLiterals {
				return nil, false
			}
		}
		return set, true
	default:
		return nil, false
	}
}

func wholeClass(ranges []rune) ([]string, bool) {
	var set []string
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if set = append(set, string(r)); len(set) > maxLiterals {
				return nil, false
			}
		}
	}
	return set, true
}

// cross appends to each text of set each text of re.
func cross(set []string, re *syntax.Regexp) ([]string, bool) {
	tails, ok := whole(re)
	if !ok || len(set)*len(tails) > maxLiterals {
		return nil, false
	}
	out := make([]string, 0, len(set)*len(tails))
	for _, s := range set {
		for _, t := range tails {
			out = append(out, s+t)
		}
	}
	return out, true
}

// required finds the rarest texts that a match must have.
func required(re *syntax.Regexp) literals {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			part, _ := foldRun(re.Rune)
			return part
		}
		return literals{any: []string{string(re.Rune)}}
	case syntax.OpCharClass:
		if set, ok := wholeClass(re.Rune); ok {
			return literals{any: set}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		return requiredConcat(re.Sub)
	case syntax.OpAlternate:
		return requiredAlternate(re.Sub)
	default: // may match nothing, or anything
	}
	return literals{}
}

// requiredConcat joins neighbours that are known completely and takes the best
// of what it has.
func requiredConcat(subs []*syntax.Regexp) literals {
	best := literals{}
	run := []string{""}
	for _, sub := range subs {
		joined, ok := cross(run, sub)
		if ok {
			run = joined
			continue
		}
		best = better(best, literals{any: run})
		best = better(best, required(sub))
		run = []string{""}
		if set, ok := whole(sub); ok {
			run = set
		}
	}
	return better(best, literals{any: run})
}

// requiredAlternate needs something of every branch.
func requiredAlternate(subs []*syntax.Regexp) literals {
	var all literals
	for _, sub := range subs {
		part := required(sub)
		if len(part.any) == 0 {
			return literals{}
		}
		all.any = append(all.any, part.any...)
		all.fold = all.fold || part.fold
	}
	if len(all.any) > maxLiterals {
		return literals{}
	}
	if all.fold {
		for i, s := range all.any {
			all.any[i] = strings.Map(lowerASCII, s)
		}
	}
	return all
}

// better chooses the literals that will be met less often by chance.
func better(a, b literals) literals {
	if score(b) > score(a) {
		return b
	}
	return a
}

// worthwhile is the score below which nearly every line has a literal.
const worthwhile = 19

// score is about three times the bits of information in the commonest literal,
// less what looking for several costs.
func score(l literals) int {
	if !usable(l.any) {
		return 0
	}
	lowest := 1 << 20
	for _, s := range l.any {
		sum := 0
		for i := range len(s) {
			sum += 10 + rarity(s[i])/4
		}
		lowest = min(lowest, sum)
	}
	return lowest - 3*bits.Len(uint(len(l.any)-1))
}

// foldRun is the best part of a text without case that can be searched byte by
// byte: k and s also stand for the Kelvin sign and the long s, other letters
// than A to Z have their cases elsewhere. complete says that it is all of it.
func foldRun(text []rune) (part literals, complete bool) {
	start := 0
	best := literals{}
	for i := 0; i <= len(text); i++ {
		if i < len(text) && foldsInASCII(text[i]) {
			continue
		}
		if i > start {
			run := text[start:i]
			lit := literals{any: []string{strings.Map(lowerASCII, string(run))}, fold: hasCase(run)}
			if best = better(best, lit); len(run) == len(text) {
				return lit, true
			}
		}
		start = i + 1
	}
	return best, false
}

func foldsInASCII(r rune) bool {
	if r < utf8.RuneSelf && unicode.IsLetter(r) {
		l := lowerASCII(r)
		return l != 'k' && l != 's'
	}
	return unicode.SimpleFold(r) == r
}

func hasCase(text []rune) bool {
	return slices.ContainsFunc(text, func(r rune) bool { return unicode.SimpleFold(r) != r })
}

func lowerASCII(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}
