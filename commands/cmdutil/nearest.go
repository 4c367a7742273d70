package cmdutil

import "github.com/agnivade/levenshtein"

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

// distance counts insertions, deletions and substitutions; two neighbours that
// changed places, the commonest slip of all, count as one.
func distance(a, b string) int {
	if len(a) == len(b) {
		for i := range len(a) - 1 {
			if a[i] != b[i] && a[:i]+string(a[i+1])+string(a[i])+a[i+2:] == b {
				return 1
			}
		}
	}
	return levenshtein.ComputeDistance(a, b)
}
