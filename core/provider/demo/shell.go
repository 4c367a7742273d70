package demo

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// function is where one stands in a file: its lines from first to last, counted
// from 0.
type function struct {
	name        string
	first, last int
}

var header = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\s*)(?:function\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*\(\s*\)|^(\s*)function\s+([A-Za-z_][A-Za-z0-9_.-]*)`)
})

// functions finds the shell functions of a file. One ends at a closing brace
// that is indented as its header is, or before the next header.
func functions(lines []string) []function {
	var all []function
	open := -1
	indent := ""
	for i, line := range lines {
		if m := header().FindStringSubmatch(line); m != nil {
			all = append(all, function{name: m[2] + m[4], first: i, last: i})
			open, indent = len(all)-1, m[1]+m[3]
			if strings.HasSuffix(strings.TrimSpace(line), "}") {
				open = -1
			}
			continue
		}
		if open < 0 {
			continue
		}
		all[open].last = i
		if strings.TrimRight(line, " \t\r") == indent+"}" {
			open = -1
		}
	}
	return all
}

// suspects are the lines that decide what a function does: its own, then those
// of the functions of this file it calls, directly or not. Without such a
// function it is every line.
func suspects(lines []string, name string) []int {
	all := functions(lines)
	var found []int
	queue, seen := []string{name}, map[string]bool{name: true}
	for len(queue) > 0 {
		for _, f := range all {
			if f.name != queue[0] {
				continue
			}
			for i := f.first; i <= f.last; i++ {
				found = append(found, i)
			}
			for _, g := range all {
				if !seen[g.name] && calls(lines[f.first:f.last+1], g.name) {
					seen[g.name] = true
					queue = append(queue, g.name)
				}
			}
		}
		queue = queue[1:]
	}
	if len(found) == 0 {
		for i := range lines {
			found = append(found, i)
		}
	}
	return found
}

// calls reports whether name is a word of the lines.
func calls(lines []string, name string) bool {
	for _, line := range lines {
		if slices.Contains(strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\"'`();|&$", r) }), name) {
			return true
		}
	}
	return false
}

// candidate is one small change of one line.
type candidate struct {
	line     int // from 0
	was, now string
}

// harmful matches lines that are never changed: a changed argument of these, or
// another file behind a redirection, could do damage.
var harmful = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[^\w-])(rm|rmdir|mv|cp|ln|dd|tee|chmod|chown|kill|sudo|eval|exec|source|curl|wget|git|find|xargs|mktemp|touch|mkdir|trap)([^\w-]|$)|>`)
})

// candidates are the changes worth trying for a function, the likeliest first:
// by kind of change, then in the order of the lines.
func candidates(text, name string) []candidate {
	lines := strings.Split(text, "\n")
	var all []candidate
	seen := map[candidate]bool{}
	where := suspects(lines, name)
	for _, kind := range kinds {
		for _, i := range where {
			if strings.HasPrefix(strings.TrimSpace(lines[i]), "#") || header().MatchString(lines[i]) && !strings.HasSuffix(strings.TrimSpace(lines[i]), "}") {
				continue
			}
			if harmful().MatchString(withoutArithmetic(lines[i])) {
				continue
			}
			for _, now := range kind(lines[i]) {
				c := candidate{line: i, was: lines[i], now: now}
				if now != lines[i] && !seen[c] {
					seen[c] = true
					all = append(all, c)
				}
			}
		}
	}
	return all
}

// apply makes the change in text.
func (c candidate) apply(text string) string {
	lines := strings.Split(text, "\n")
	lines[c.line] = c.now
	return strings.Join(lines, "\n")
}

// blocks are the change as an edit: the line, with as many lines around it as
// make the text unique in the file before the change, and the replacement unique
// after it, so that it can be taken back.
func (c candidate) blocks(text string) (was, now string) {
	lines := strings.Split(text, "\n")
	changed := slices.Clone(lines)
	changed[c.line] = c.now
	after := strings.Join(changed, "\n")
	first, last := c.line, c.line
	for {
		was, now = strings.Join(lines[first:last+1], "\n"), strings.Join(changed[first:last+1], "\n")
		if strings.Count(text, was) == 1 && strings.Count(after, now) == 1 {
			return was, now
		}
		if first == 0 && last == len(lines)-1 {
			return was, now
		}
		first, last = max(0, first-1), min(len(lines)-1, last+1)
	}
}
