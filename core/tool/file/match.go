package file

import (
	"cmp"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// maxLoose is the largest text, in bytes, in which more than line ends are
// matched loosely.
const maxLoose = 8 << 20

// found is where an edit goes. how names the differences that were overlooked;
// it is empty for an exact match.
type found struct {
	changes []change
	lines   []int // of each match, from 1
	how     string
}

// ambiguous is a text found in several places where one was wanted.
type ambiguous struct {
	count int
	lines []int // the first of them
	how   string
	what  string // the argument; "" is old_string
}

func (e *ambiguous) Error() string {
	var lines []string
	for _, n := range e.lines {
		lines = append(lines, strconv.Itoa(n))
	}
	if e.count > len(lines) {
		lines = append(lines, "...")
	}
	how := ""
	if e.how != "" {
		how = " (" + e.how + ")"
	}
	return fmt.Sprintf("%s occurs %d times%s, at lines %s", cmp.Or(e.what, "old_string"), e.count, how, strings.Join(lines, ", "))
}

// maxLines is how many places an ambiguous match lists.
const maxLines = 20

// find looks for old in text and says what to put where so that it becomes new.
// Exact matches come first. Looser readings are tried only when there is none,
// must be unique, and change nothing but what differs between old and new: the
// text's own quotes, blanks and line ends stay. A miss is ok == false.
func find(text, old, new string, all bool) (f found, ok bool, err error) {
	if f, ok, err := exact(text, old, new, all, ""); ok || err != nil {
		return f, ok, err
	}
	attempts := []func() (found, bool, error){
		func() (found, bool, error) { return otherEnds(text, old, new, all) },
		func() (found, bool, error) { return loose(text, old, new, "") },
	}
	if o, n, ok := withoutGutter(old, new); ok {
		const how = "line numbers of read_file left out"
		attempts = append(attempts,
			func() (found, bool, error) { return exact(text, o, n, false, how) },
			func() (found, bool, error) { return loose(text, o, n, how) })
	}
	attempts = append(attempts, func() (found, bool, error) { return tabbed(text, old, new) })
	for _, try := range attempts {
		if f, ok, err := try(); ok || err != nil {
			return f, ok, err
		}
	}
	return found{}, false, nil
}

// maxChanges bounds the replacements of one edit, which are kept in memory.
const maxChanges = 1_000_000

// exact finds old as it is.
func exact(text, old, new string, all bool, how string) (found, bool, error) {
	if old == "" {
		return found{}, false, nil
	}
	count := strings.Count(text, old)
	if count == 0 {
		return found{}, false, nil
	}
	if all && count > maxChanges {
		return found{}, false, fmt.Errorf("old_string occurs %d times, more than the %d of one edit: nothing was changed", count, maxChanges)
	}
	f := found{how: how}
	line, from := 1, 0
	for from < len(text) && (all || len(f.changes) < maxLines) {
		i := strings.Index(text[from:], old)
		if i < 0 {
			break
		}
		at := span{from + i, from + i + len(old)}
		line += strings.Count(text[from:at.start], "\n")
		f.lines = append(f.lines, line)
		f.changes = append(f.changes, change{at, keepFinalEnd(text, old, adapt(new, text, at), at)})
		line, from = line+strings.Count(old, "\n"), at.end
	}
	if count > 1 && !all {
		return found{}, false, &ambiguous{count: count, lines: f.lines, how: how}
	}
	return f, true, nil
}

// keepFinalEnd keeps the line end at the end of a file when an edit of its last
// line forgets it, unless dropping it is all the edit does.
func keepFinalEnd(text, old, new string, at span) string {
	dropped := at.end == len(text) && strings.HasSuffix(text, "\n") && strings.HasSuffix(old, "\n") &&
		new != "" && !strings.HasSuffix(new, "\n")
	if !dropped || strings.TrimRight(old, "\r\n") == new {
		return new
	}
	return new + endAt(text, len(text)-1)
}

// otherEnds finds old with the text's line ends instead of its own. It works on
// texts of any size.
func otherEnds(text, old, new string, all bool) (found, bool, error) {
	for _, eol := range []string{"\r\n", "\n"} {
		if o := withEnds(old, eol); o != old {
			if f, ok, err := exact(text, o, new, all, "line ends differ"); ok || err != nil {
				return f, ok, err
			}
		}
	}
	return found{}, false, nil
}

// loose finds old where blanks at line ends, then also typographic characters,
// may differ, and where the last line of the text lacks its line end.
func loose(text, old, new, how string) (found, bool, error) {
	if len(text) > maxLoose {
		return found{}, false, nil
	}
	for _, r := range []struct {
		fold
		how string
	}{
		{fold{}, "line ends differ"},
		{fold{blanks: true}, "blanks at line ends differ"},
		{fold{blanks: true, quotes: true}, "typographic characters differ"},
	} {
		if how != "" {
			r.how = how + ", " + r.how
		}
		f, ok, err := r.find(text, old, new, r.how)
		if ok || err != nil {
			return f, ok, err
		}
	}
	return found{}, false, nil
}

// find looks for one place of text that reads like old.
func (f fold) find(text, old, new, how string) (found, bool, error) {
	hay, needle := f.read(text), f.read(old)
	if strings.TrimSpace(needle) == "" {
		return found{}, false, nil
	}
	i := strings.Index(hay, needle)
	if i < 0 { // the last line may lack the line end old has
		bare, ok := strings.CutSuffix(needle, "\n")
		if !ok || !strings.HasSuffix(hay, bare) {
			return found{}, false, nil
		}
		old, new = strings.TrimRight(old, "\r\n"), strings.TrimSuffix(strings.TrimSuffix(new, "\n"), "\r")
		needle = f.read(old)
		if i = len(hay) - len(needle); strings.TrimSpace(needle) == "" || !strings.HasSuffix(hay, needle) {
			return found{}, false, nil
		}
	} else if n := strings.Count(hay, needle); n > 1 {
		return found{}, false, &ambiguous{count: n, lines: occurrences(hay, needle), how: how}
	}
	at := f.locate(text, i, i+len(needle))
	changes := f.carry(text, at, old, new)
	return found{changes: changes, lines: []int{lineAt(text, at.start)}, how: how}, true, nil
}

// occurrences lists the lines of the first places of needle.
func occurrences(hay, needle string) []int {
	var lines []int
	line, from := 1, 0
	for len(lines) < maxLines {
		i := strings.Index(hay[from:], needle)
		if i < 0 {
			break
		}
		line += strings.Count(hay[from:from+i], "\n")
		lines = append(lines, line)
		line, from = line+strings.Count(needle, "\n"), from+i+len(needle)
	}
	return lines
}

// carry turns the difference between old and new into changes of the part of
// text at the span, which reads like old: what old and new have in common stays
// as it is in the text.
func (f fold) carry(text string, at span, old, new string) []change {
	theirs, ours := f.units(old), f.units(text[at.start:at.end])
	// pos is the place in text that offset i of old stands for.
	pos := func(i int) int {
		k := sort.Search(len(theirs), func(k int) bool { return theirs[k].at.end > i })
		if k == 0 {
			return at.start
		}
		read := theirs[k-1].ends
		j := sort.Search(len(ours), func(j int) bool { return ours[j].ends >= read })
		if j == len(ours) {
			return at.end // a blank at the span's end that does not count by itself
		}
		return at.start + ours[j].at.end
	}
	var changes []change
	for _, e := range udiff.Strings(old, new) {
		c := change{span{pos(e.Start), pos(e.End)}, adapt(e.New, text, at)}
		if text[c.start:c.end] != c.text {
			changes = append(changes, c)
		}
	}
	return changes
}
