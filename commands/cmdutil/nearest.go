package cmdutil

// Nearest returns the candidate a person most likely meant by word: at most a
// third of its letters (and at least one) differ. It returns "" when none is near
// enough. Of equally near ones the first wins.
func Nearest(word string, candidates []string) string {
	best, bound := "", max(1, len(word)/3)+1
	for _, c := range candidates {
		if d := distance(word, c); d < bound && c != word {
			best, bound = c, d
		}
	}
	return best
}

// distance counts insertions, deletions, substitutions and swaps of neighbours.
func distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
