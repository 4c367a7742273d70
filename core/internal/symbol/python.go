package symbol

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

var pythonHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[ \t]*(?:async[ \t]+)?(def|class)[ \t]+([\pL_][\pL\pN_]*)`)
})

func listPython(text string) ([]Symbol, error) {
	x := lex(text, &dialect{name: "py", hash: true, single: true, triple: true})
	if i := pair(x.list); i >= 0 {
		return nil, unpaired(text, x.list[i])
	}
	lines := rows(text, x)
	var found []Symbol
	var within []outer
	for i, r := range lines {
		if r.empty() || continues(lines, i) {
			continue
		}
		for len(within) > 0 && within[len(within)-1].indent >= r.indent() {
			within = within[:len(within)-1]
		}
		m := pythonHead().FindStringSubmatch(r.code)
		if m == nil {
			continue
		}
		class := m[1] == "class"
		s := Symbol{Name: m[2], Kind: map[bool]string{true: "class", false: "func"}[class], Line: i + 1}
		inFunction := false
		for _, o := range within {
			inFunction = inFunction || !o.class
			s.Parent = o.name
		}
		within = append(within, outer{r.indent(), s.Name, class})
		if inFunction {
			continue
		}
		if s.Parent != "" && !class {
			s.Kind = "method"
		}
		found = append(found, pythonBlock(s, lines, i))
	}
	return found, nil
}

// pythonBlock is the header at line i, its decorators and comments, and all that
// is deeper.
func pythonBlock(s Symbol, lines []row, i int) Symbol {
	head := lines[i]
	last := pythonHeaderEnd(lines, i)
	for j := last + 1; j < len(lines); j++ {
		r := lines[j]
		if r.hidden {
			if r.margin() <= head.indent() && looksLikePython(r.raw) && s.Unsure == "" {
				s.Unsure = fmt.Sprintf("the string that goes on at line %d holds what looks like code", j+1)
			}
			last = j
			continue
		}
		if r.comment() && r.margin() > head.indent() {
			last = j
		}
		if r.empty() {
			continue
		}
		if r.indent() <= head.indent() && !continues(lines, j) {
			break
		}
		last = j
	}
	first := decorated(lines, i)
	s.Start, s.End = lines[first].start, lines[last].end
	if s.Unsure == "" && alone(lines, first, last, head.indent()) {
		s.Unsure = "it is all its block holds"
	}
	return s
}

// decorated is the first line of the decorators and comments above the header at
// line i. Blank lines may part a decorator from what it decorates, not a comment.
func decorated(lines []row, i int) int {
	top, gap := i, false
	for j := i - 1; j >= 0; j-- {
		first := statement(lines, j)
		switch {
		case strings.HasPrefix(strings.TrimSpace(lines[first].code), "@"):
			top, gap = first, false
		case first != j || !lines[j].empty() || fileHead(lines, j):
			return top
		case !lines[j].comment():
			gap = true
		case !gap:
			top = j
		}
		j = first
	}
	return top
}

// alone reports whether the lines from first to last, indented so deep, are the
// only statement of a block, which may not be left empty.
func alone(lines []row, first, last, indent int) bool {
	if indent == 0 {
		return false
	}
	for j := first - 1; j >= 0; j-- {
		j = statement(lines, j)
		if !lines[j].empty() {
			if lines[j].indent() >= indent {
				return false
			}
			break
		}
	}
	for _, r := range lines[last+1:] {
		if !r.empty() {
			return r.indent() < indent
		}
	}
	return true
}

// statement is the line on which the statement that line j belongs to begins.
func statement(lines []row, j int) int {
	for j > 0 && continues(lines, j) {
		j--
	}
	return j
}

// continues reports whether line j goes on with what the line before it began.
func continues(lines []row, j int) bool {
	return lines[j].nested || lines[j].hidden || j > 0 && strings.HasSuffix(lines[j-1].code, `\`)
}

// pythonHeaderEnd is the line on which the header's colon stands.
func pythonHeaderEnd(lines []row, i int) int {
	for i+1 < len(lines) && (lines[i+1].nested || strings.HasSuffix(lines[i].code, `\`)) {
		i++
	}
	return i
}

func looksLikePython(line string) bool {
	return pythonHead().MatchString(line) || strings.HasPrefix(strings.TrimSpace(line), "@")
}
