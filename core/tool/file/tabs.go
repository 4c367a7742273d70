package file

import "strings"

// tabbed finds old, indented by spaces, in a text indented by tabs. One width of
// a tab must explain every line of old, and the place must be unique; new is then
// indented by tabs as well. Nothing else about indentation is ever overlooked: a
// block is not moved.
func tabbed(text, old, new string) (found, bool, error) {
	if len(text) > maxLoose || !strings.Contains(text, "\t") {
		return found{}, false, nil
	}
	var only found
	for _, width := range []int{8, 4, 2, 3} {
		f, ok, err := tabbedBy(width, text, old, new)
		if err != nil {
			return found{}, false, err
		}
		if !ok {
			continue
		}
		if at := f.lines[0]; only.lines != nil && only.lines[0] != at {
			return found{}, false, &ambiguous{count: 2, lines: []int{only.lines[0], at}, how: f.how}
		}
		only = f
	}
	return only, only.lines != nil, nil
}

func tabbedBy(width int, text, old, new string) (found, bool, error) {
	o, some := retab(old, width)
	if !some {
		return found{}, false, nil
	}
	n, _ := retab(new, width)
	// A first line that is indented must match from its start, or a deeper line
	// would do.
	start := ""
	if o[0] == '\t' {
		start = endsNear(text, span{})
	}
	f, ok, err := fold{blanks: true}.find(start+text, start+o, start+n, "indentation is by tabs")
	return f.moved(-len(start)), ok, err
}

// moved is f for a text that begins by bytes later.
func (f found) moved(by int) found {
	for i := range f.changes {
		f.changes[i].start = max(0, f.changes[i].start+by)
		f.changes[i].end = max(0, f.changes[i].end+by)
	}
	return f
}

// retab writes the leading spaces of every line as tabs of the width, and says
// whether there were any.
func retab(text string, width int) (string, bool) {
	lines := strings.SplitAfter(text, "\n")
	some := false
	for i, line := range lines {
		rest := strings.TrimLeft(line, " ")
		spaces := len(line) - len(rest)
		if spaces < width {
			continue
		}
		lines[i] = strings.Repeat("\t", spaces/width) + strings.Repeat(" ", spaces%width) + rest
		some = true
	}
	return strings.Join(lines, ""), some
}
