package permission

import "strings"

// chance says whether a rule hits a command.
type chance int

const (
	impossible chance = iota
	possible          // it depends on words made at run time
	certain
)

// coveredBy returns the allow rule that covers c: the program as written, and
// the words of the rule one by one.
func (c *command) coveredBy(rules []Rule) (Rule, bool) {
	for _, r := range rules {
		if r.Spec == c.text && c.text != "" {
			return r, true
		}
	}
	words := c.words
	if inner := through(words); len(inner) < len(words) && c.never == startsAnother {
		budget := 0
		a, again := analysis{budget: &budget}, command{words: inner}
		if a.unwrap(&again); again.never != "" {
			return Rule{}, false
		}
		words = inner
	} else if c.never != "" && !c.named(rules) {
		return Rule{}, false
	}
	if len(words) == 0 || words[0].dynamic {
		return Rule{}, false
	}
	for _, r := range rules {
		if matchWords(r, words, false) == certain {
			return r, true
		}
	}
	return Rule{}, false
}

// named reports whether a rule spells out what a wrapper starts, as xargs grep:*
// does and xargs:* does not.
func (c *command) named(rules []Rule) bool {
	if c.never != startsAnother {
		return false
	}
	for _, r := range rules {
		words, prefix := strings.CutSuffix(r.Spec, ":*")
		if prefix && !strings.Contains(words, "*") && len(strings.Fields(words)) > 1 && matchWords(r, c.words, false) == certain {
			last := strings.Fields(words)
			return !strings.HasPrefix(last[len(last)-1], "-")
		}
	}
	return false
}

// hitBy reports whether a deny or ask rule hits c or a command that c starts.
func (c *command) hitBy(r Rule) chance {
	best := matchWords(r, c.words, true)
	if r.Spec == c.text {
		return certain
	}
	for i := range c.inner {
		best = max(best, c.inner[i].hitBy(r))
	}
	return best
}

// matchWords compares a rule with the words of a command. strict is for deny and
// ask: there a program is known by its name wherever it lies, and words made at
// run time make the answer uncertain. Otherwise such a word matches nothing but a
// star.
func matchWords(r Rule, words []word, strict bool) chance {
	if len(words) == 0 {
		return impossible
	}
	if r.Literal {
		return yes(len(words) == len(strings.Fields(r.Spec)) && eachWord(r.Spec, words, strict) == certain)
	}
	prefix, isPrefix := strings.CutSuffix(r.Spec, ":*")
	if !strings.Contains(prefix, "*") {
		got := eachWord(prefix, words, strict)
		if !isPrefix && got == certain && len(words) != len(strings.Fields(prefix)) {
			return impossible
		}
		return got
	}
	if isPrefix {
		prefix += "*"
	}
	return matchGlob(prefix, words, strict)
}

// eachWord compares the first words of a command with those of spec.
func eachWord(spec string, words []word, strict bool) chance {
	i := 0
	for want := range strings.FieldsSeq(spec) {
		switch {
		case i == len(words):
			return impossible
		case words[i].dynamic && strict:
			return possible
		case words[i].text == want:
		case i == 0 && strict && base(words[0].text) == base(want):
		default:
			return impossible
		}
		i++
	}
	return yes(i > 0)
}

// matchGlob compares a pattern with the whole text of a command.
func matchGlob(pattern string, words []word, strict bool) chance {
	if !strict {
		return yes(wildcard(pattern, joined(words, "")))
	}
	if wildcard(pattern, joined(words, "")) || wildcard(pattern, joined(words, base(words[0].text))) {
		return certain
	}
	known := words
	for i, w := range words {
		if w.dynamic {
			known = words[:i]
			break
		}
	}
	if len(known) == len(words) {
		return impossible
	}
	if len(known) == 0 {
		return possible
	}
	head, text := pattern[:strings.IndexByte(pattern, '*')], joined(known, base(known[0].text))+" "
	if strings.HasPrefix(head, text) || strings.HasPrefix(text, head) {
		return possible
	}
	return impossible
}

// joined puts words together with blanks; first replaces the first one unless it
// is empty.
func joined(words []word, first string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if i == 0 && first != "" {
			b.WriteString(first)
			continue
		}
		b.WriteString(w.text)
	}
	return b.String()
}

func yes(ok bool) chance {
	if ok {
		return certain
	}
	return impossible
}
