package permission

import "strings"

// matchGlob compares a pattern with the whole text of a command.
func matchGlob(pattern string, words []word, strict bool) chance {
	if !strict {
		return yes(!words[0].dynamic && wildcard(pattern, joined(words, "")))
	}
	head, tail, _ := strings.Cut(pattern, "*")
	program, more := field(head)
	if !words[0].dynamic && more != "" && base(program) != base(words[0].text) {
		return impossible
	}
	if !words[0].dynamic && (wildcard(pattern, joined(words, "")) || wildcard(pattern, joined(words, base(words[0].text)))) {
		return certain
	}
	begins := strictly(head, words, false, !strings.HasSuffix(head, " "))
	if strings.Trim(tail, "*") == "" {
		return begins
	}
	for i := range words {
		if words[i].dynamic {
			return min(possible, begins)
		}
	}
	return impossible
}

// joined puts words together with blanks; first replaces the first one unless it
// is empty.
func joined(words []word, first string) string {
	var b strings.Builder
	n := len(words) + len(first)
	for i := range words {
		n += len(words[i].text)
	}
	b.Grow(n)
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
