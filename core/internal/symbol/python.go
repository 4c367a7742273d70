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
		if r.empty() || r.hidden || r.nested {
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
		if r.indent() <= head.indent() && !r.nested {
			break
		}
		last = j
	}
	s.Start, s.End = head.start, lines[last].end
	for j := i - 1; j >= 0 && !lines[j].hidden; j-- {
		code := strings.TrimSpace(lines[j].code)
		decorator := strings.HasPrefix(code, "@") && !lines[j].nested || lines[j+1].nested && decorated(lines, j)
		if !decorator && (!lines[j].comment() || fileHead(lines, j)) && !(lines[j].nested && decorated(lines, j)) {
			break
		}
		s.Start = lines[j].start
	}
	return s
}

// decorated reports whether the lines up to j are a decorator over several lines.
func decorated(lines []row, j int) bool {
	for ; j >= 0; j-- {
		if at := strings.TrimSpace(lines[j].code); strings.HasPrefix(at, "@") {
			return true
		} else if at == "" || pythonHead().MatchString(lines[j].code) {
			return false
		}
	}
	return false
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
