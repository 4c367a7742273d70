package symbol

import (
	"fmt"
	"strings"
)

// row is one line of a text in a language with indentation.
type row struct {
	start, end int
	code       string // strings and comments blanked, without line end
	raw        string
	hidden     bool // it begins inside a string
	nested     bool // it begins inside brackets
}

// rows blanks strings and comments, so that what is left is code.
func rows(text string, x *lexer) []row {
	mask := []byte(text)
	hide := func(r region) {
		for i := r.start; i < r.end && i < len(mask); i++ {
			if mask[i] != '\n' && mask[i] != '\r' {
				mask[i] = ' '
			}
		}
	}
	inside := map[int]bool{}
	for _, r := range x.strings {
		for at := lineEnd(text, r.start); at < r.end; at = lineEnd(text, at) {
			inside[at] = true
		}
		if r.end-r.start > 2 {
			hide(region{r.start + 1, r.end - 1}) // the quotes stay: a string is a statement
		}
	}
	for _, c := range x.comments {
		hide(c)
	}
	var list []row
	depth, next := 0, 0
	for at := 0; at < len(text); {
		for ; next < len(x.list) && x.list[next].start < at; next++ {
			switch t := x.list[next]; {
			case t.is("(", "[", "{"):
				depth++
			case t.is(")", "]", "}"):
				depth--
			}
		}
		end := lineEnd(text, at)
		list = append(list, row{
			start: at, end: end, hidden: inside[at], nested: depth > 0,
			code: strings.TrimRight(string(mask[at:end]), " \t\r\n"), raw: strings.TrimRight(text[at:end], "\r\n"),
		})
		at = end
	}
	return list
}

// comment reports whether a line is nothing but a comment.
func (r row) comment() bool {
	return r.empty() && !r.hidden && strings.HasPrefix(strings.TrimSpace(r.raw), "#")
}

// above is the first of the comment lines directly above line i.
func above(lines []row, i int) int {
	for i > 0 && lines[i-1].comment() && !fileHead(lines, i-1) {
		i--
	}
	return i
}

// fileHead reports whether line j is what a script begins with.
func fileHead(lines []row, j int) bool {
	return j < 2 && (strings.HasPrefix(lines[j].raw, "#!") || strings.Contains(lines[j].raw, "coding"))
}

// outer is an enclosing declaration.
type outer struct {
	indent int
	name   string
	class  bool
}

// unpaired is the error for a bracket without partner.
func unpaired(text string, t item) error {
	return fmt.Errorf("the %s at line %d has no partner", t.text, lineAt(text, t.start))
}

func (r row) indent() int { return len(r.code) - len(strings.TrimLeft(r.code, " \t")) }
func (r row) margin() int { return len(r.raw) - len(strings.TrimLeft(r.raw, " \t")) }
func (r row) empty() bool { return strings.TrimSpace(r.code) == "" }
