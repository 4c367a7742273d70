package slash

import (
	"cmp"
	"slices"
	"strings"
)

// UnknownError is a word that has the shape of a command and is none.
type UnknownError struct {
	Name    string   // without the slash
	Nearest []string // names it may have been meant for, the likeliest first; at most three
}

func (e *UnknownError) Error() string {
	text := "there is no command /" + e.Name
	if len(e.Nearest) > 0 {
		text += "; did you mean /" + strings.Join(e.Nearest, ", /") + "?"
	}
	return text + " (/help lists them; a space before the slash makes it text)"
}

// maxNearest is how many names an UnknownError has at most.
const maxNearest = 3

// nearest lists the names within a few edits of word, and those that begin with it
// or with which it begins, the fewest edits first.
func (s *Set) nearest(word string) []string {
	if len(word) > MaxName {
		return nil
	}
	type candidate struct {
		name string
		far  int
	}
	var near []candidate
	word = strings.ToLower(word)
	for _, name := range s.names {
		low := strings.ToLower(name)
		far := distance(word, low)
		begins := len(word) > 1 && (strings.HasPrefix(low, word) || strings.HasPrefix(word, low) && len(low) > 2)
		switch {
		case begins:
			near = append(near, candidate{name, min(far, 2)})
		case far <= max(1, min(len(word), len(name))/3):
			near = append(near, candidate{name, far})
		}
	}
	slices.SortFunc(near, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.far, b.far), strings.Compare(a.name, b.name))
	})
	var names []string
	for _, c := range near[:min(len(near), maxNearest)] {
		names = append(names, c.name)
	}
	return names
}

// distance is how many characters are to be inserted, dropped, replaced or swapped
// with the next one to make b of a.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	var before []int // the row before last
	last := make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		row := make([]int, len(y)+1)
		row[0] = i + 1
		for j := range y {
			same := 1
			if x[i] == y[j] {
				same = 0
			}
			row[j+1] = min(last[j]+same, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(y)]
}
