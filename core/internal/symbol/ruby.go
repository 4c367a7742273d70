package symbol

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

var rubyHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[ \t]*(def|class|module)[ \t]+(?:self\.|[\pL\pN_:]*::)?([\pL_][\pL\pN_]*[?!=]?)`)
})

var rubyOneLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`;[ \t]*end$|^[ \t]*def[ \t]+[^ \t(=]+(?:\([^)]*\))?[ \t]*=[ \t]`)
})

func listRuby(text string) ([]Symbol, error) {
	x := lex(text, &dialect{name: "rb", hash: true, single: true, backtick: true, multiline: true, regexp: true, code: "#{", codeIn: '"', heredoc: "<<"})
	lines := rows(text, x)
	var found []Symbol
	var within []outer
	for i, r := range lines {
		if r.empty() || r.hidden {
			continue
		}
		for len(within) > 0 && within[len(within)-1].indent >= r.indent() {
			within = within[:len(within)-1]
		}
		code := strings.TrimSpace(r.code)
		if strings.HasPrefix(code, "class <<") && len(within) > 0 {
			within = append(within, outer{r.indent(), within[len(within)-1].name, true})
			continue
		}
		m := rubyHead().FindStringSubmatch(r.code)
		if m == nil {
			continue
		}
		class := m[1] != "def"
		s := Symbol{Name: m[2], Kind: m[1], Line: i + 1}
		inFunction := false
		for _, o := range within {
			inFunction = inFunction || !o.class
			s.Parent = o.name
		}
		within = append(within, outer{r.indent(), s.Name, class})
		if !inFunction {
			found = append(found, rubyBlock(s, lines, i))
		}
	}
	return found, nil
}

// rubyBlock goes to the end that is as deep as the header at line i.
func rubyBlock(s Symbol, lines []row, i int) Symbol {
	head := lines[i]
	s.Start, s.End = lines[above(lines, i)].start, head.end
	if rubyOneLine().MatchString(head.code) {
		return s
	}
	for j := i + 1; j < len(lines); j++ {
		r := lines[j]
		code := strings.TrimSpace(r.code)
		if r.hidden {
			if raw := strings.TrimSpace(r.raw); r.margin() <= head.indent() && (raw == "end" || rubyHead().MatchString(r.raw)) {
				s.Unsure = fmt.Sprintf("the string that goes on at line %d holds what looks like code", j+1)
				return s
			}
			continue
		}
		if code == "" || r.indent() > head.indent() {
			continue
		}
		first, _, _ := strings.Cut(code, " ")
		switch {
		case r.indent() == head.indent() && code == "end":
			s.End = r.end
			return s
		case r.indent() == head.indent() && (first == "rescue" || first == "ensure" || first == "else" || strings.HasPrefix(code, ")")):
			continue
		}
		break
	}
	s.Unsure = "no end as deep as it was found"
	return s
}
