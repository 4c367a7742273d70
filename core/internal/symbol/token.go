package symbol

import "slices"

// tokenKind is the kind of a token.
type tokenKind uint8

const (
	word tokenKind = iota + 1
	number
	quoted
	mark // punctuation
)

// item is one token of a source. Comments are none.
type item struct {
	kind       tokenKind
	text       string // of words and marks
	start, end int
	fresh      bool // first on its line
	match      int  // of a bracket: the index of its partner
}

// region is a half-open range of the text.
type region struct{ start, end int }

// is reports whether it is this mark or word.
func (t item) is(texts ...string) bool {
	return (t.kind == mark || t.kind == word) && slices.Contains(texts, t.text)
}

// pair matches the brackets of the list. It returns the index of the first that
// has no partner, or -1.
func pair(list []item) int {
	var open []int
	for i := range list {
		if list[i].kind != mark {
			continue
		}
		switch list[i].text {
		case "(", "[", "{":
			open = append(open, i)
		case ")", "]", "}":
			if len(open) == 0 || partner(list[open[len(open)-1]].text) != list[i].text {
				return i
			}
			j := open[len(open)-1]
			open = open[:len(open)-1]
			list[i].match, list[j].match = j, i
		}
	}
	if len(open) > 0 {
		return open[len(open)-1]
	}
	return -1
}

func partner(open string) string {
	switch open {
	case "(":
		return ")"
	case "[":
		return "]"
	}
	return "}"
}
