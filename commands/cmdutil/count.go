package cmdutil

import "strconv"

// Count is a number of things in English: "1 model", "2 models".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
