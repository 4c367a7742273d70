package demo

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// suiteMark stands in a comment of a demo project's checks. Nothing is run in a
// directory without it.
const suiteMark = "reasonix demo project"

// entries reads a listing: the names of the files at its top.
func entries(listing string) []string {
	var names []string
	for line := range strings.Lines(listing) {
		if name, _, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "\t"); ok {
			names = append(names, name)
		}
	}
	return names
}

// maxSuites bounds how many files are looked into for a demo project's checks.
const maxSuites = 5

// suites are the files that may be a project's checks, the likeliest first.
func suites(names []string) []string {
	var found []string
	for _, n := range names {
		if strings.HasSuffix(n, ".sh") {
			found = append(found, n)
		}
	}
	slices.SortStableFunc(found, func(a, b string) int { return unlikely(a) - unlikely(b) })
	return found[:min(len(found), maxSuites)]
}

func unlikely(name string) int {
	switch {
	case name == "test.sh":
		return 0
	case strings.Contains(name, "test") || strings.Contains(name, "check"):
		return 1
	}
	return 2
}

// isSuite reports whether text says of itself that it is a demo project's checks.
func isSuite(text string) bool {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") && strings.Contains(line, suiteMark) {
			return true
		}
	}
	return false
}

var numbered = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*\d+\t`) })

// content takes a file's text out of what read_file shows; not ok when it shows
// no line.
func content(shown string) (text string, ok bool) {
	var b strings.Builder
	for line := range strings.Lines(shown) {
		if at := numbered().FindStringIndex(line); at != nil {
			b.WriteString(line[at[1]:])
		}
	}
	return b.String(), b.Len() > 0
}

// run is what one run of the checks said.
type run struct {
	failures []failure
	checks   int // that said something
	ended    bool
	exit     int
	text     string
}

// failure is one check that failed.
type failure struct {
	check    string // the call, "pages 10 5"
	function string
	file     string
	expected string
	got      string
}

var (
	failLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^FAIL +((\S+).*?) \(([^()]+)\): expected (.*), got ?(.*)$`)
	})
	exitLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^exit code (\d+)`) })
)

// parseRun reads the output of the checks.
func parseRun(output string) run {
	r := run{text: output}
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "ok ") {
			r.checks++
		}
		if m := failLine().FindStringSubmatch(line); m != nil {
			r.checks++
			r.failures = append(r.failures, failure{check: m[1], function: m[2], file: m[3], expected: orNothing(m[4]), got: orNothing(m[5])})
		}
	}
	if all := exitLine().FindAllStringSubmatch(output, -1); len(all) > 0 {
		r.exit, _ = strconv.Atoi(all[len(all)-1][1]) // digits
		r.ended = true
	}
	return r
}

func orNothing(value string) string {
	if value == "" {
		return "nothing"
	}
	return value
}

// passed reports whether the checks ran and all of them passed.
func (r run) passed() bool { return r.ended && r.exit == 0 && r.checks > 0 && len(r.failures) == 0 }

// subset reports whether every failure of r is one of before too.
func (r run) subset(before run) bool {
	for _, f := range r.failures {
		if !slices.ContainsFunc(before.failures, func(b failure) bool { return b.check == f.check && b.file == f.file }) {
			return false
		}
	}
	return true
}

// fails reports whether a check of the function fails.
func (r run) fails(file, function string) bool {
	return slices.ContainsFunc(r.failures, func(f failure) bool { return f.file == file && f.function == function })
}
