package symbol

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

var shellHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[ \t]*(?:function[ \t]+([\w:.+-]+)[ \t]*(?:\([ \t]*\))?|([\w:.+-]+)[ \t]*\([ \t]*\))[ \t]*(.*)$`)
})

func listShell(text string) ([]Symbol, error) {
	x := lex(text, &dialect{name: "sh", hash: true, single: true, backtick: true, multiline: true, code: "$(", codeIn: '"', heredoc: "<<"})
	lines := rows(text, x)
	var found []Symbol
	for i := 0; i < len(lines); i++ {
		r := lines[i]
		m := shellHead().FindStringSubmatch(r.code)
		if r.hidden || m == nil || m[3] != "" && !strings.HasPrefix(m[3], "{") {
			continue
		}
		s := Symbol{Name: m[1] + m[2], Kind: "func", Line: i + 1}
		s, last := shellBody(text, s, lines, i, from(x.list, r.start+len(r.code)-len(m[3])))
		found = append(found, s)
		i = last
	}
	return found, nil
}

// shellBody goes to the brace that closes the function whose header is line i.
func shellBody(text string, s Symbol, lines []row, i int, list []item) (Symbol, int) {
	head := lines[i]
	s.Start, s.End = lines[above(lines, i)].start, head.end
	depth := 0
	for k, t := range list {
		if !braceWord(text, list, k) {
			if k == 0 {
				break
			}
			continue
		}
		if depth += map[bool]int{true: 1, false: -1}[t.is("{")]; depth > 0 {
			continue
		}
		last := i
		for last+1 < len(lines) && lines[last+1].start <= t.start {
			last++
		}
		s.End = lines[last].end
		rest := strings.TrimSpace(lines[last].code[min(t.end-lines[last].start, len(lines[last].code)):])
		switch {
		case last > i && (t.fresh && lines[last].indent() != head.indent() || !t.fresh):
			s.Unsure = fmt.Sprintf("the brace that closes it, at line %d, is not as deep as its name", last+1)
		case rest != "" && rest != ";":
			s.Unsure = sharesLine
		}
		for j := i + 1; j < last; j++ {
			if lines[j].hidden && strings.TrimSpace(lines[j].raw) == "}" && s.Unsure == "" {
				s.Unsure = fmt.Sprintf("the string at line %d holds what looks like its end", j+1)
			}
		}
		return s, last
	}
	s.Unsure = "the brace that closes it was not found"
	return s, i
}

// from is the part of the list that begins at an offset.
func from(list []item, at int) []item {
	for i, t := range list {
		if t.start >= at {
			return list[i:]
		}
	}
	return nil
}

// braceWord reports whether token k is a brace that is a word of its own.
func braceWord(text string, list []item, k int) bool {
	t := list[k]
	if !t.is("{", "}") {
		return false
	}
	before, after := byte('\n'), byte('\n')
	if t.start > 0 {
		before = text[t.start-1]
	}
	if t.end < len(text) {
		after = text[t.end]
	}
	if t.is("{") {
		return strings.IndexByte(" \t\r\n;)&|", before) >= 0 && strings.IndexByte(" \t\r\n", after) >= 0
	}
	command := t.fresh || k > 0 && list[k-1].is(";", "}", "&", "{") || before == '\n'
	return command && strings.IndexByte(" \t\r\n;)&|<>", after) >= 0
}
