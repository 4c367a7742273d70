package file

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// gutter matches the number read_file puts before a line, and the arrow other
// tools use.
var gutter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ *(\d+)(?:\t|→)`) })

// withoutGutter takes line numbers from both texts when old has them on every
// line but perhaps the first, counting up.
func withoutGutter(old, new string) (string, string, bool) {
	lines := strings.SplitAfter(old, "\n")
	last := 0
	for i, line := range lines {
		m := gutter().FindStringSubmatch(line)
		if m == nil {
			if i == 0 && len(lines) > 1 || line == "" && i == len(lines)-1 {
				continue
			}
			return "", "", false
		}
		n, err := strconv.Atoi(m[1])
		if err != nil || last != 0 && n != last+1 {
			return "", "", false
		}
		last = n
	}
	return strip(old), strip(new), last != 0
}

func strip(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		lines[i] = line[len(gutter().FindString(line)):]
	}
	return strings.Join(lines, "")
}
