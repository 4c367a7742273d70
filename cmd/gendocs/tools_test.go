package main

import (
	"encoding/json"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"reasonix/core/tool"
)

// lent are the packages whose limits and errors a tool shows as its own.
var lent = []string{"core/tool", "core/workspace", "core/internal/walk", "core/internal/symbol", "core/memory", "core/history"}

func TestEveryToolHasItsFragment(t *testing.T) {
	entries, err := fragments.ReadDir("tools")
	if err != nil {
		t.Fatal(err)
	}
	var have, want []string
	for _, e := range entries {
		have = append(have, strings.TrimSuffix(e.Name(), ".md"))
	}
	want = append(want, shared...)
	for _, tl := range tool.Builtins() {
		want = append(want, tl.Name())
	}
	slices.Sort(have)
	slices.Sort(want)
	if !slices.Equal(have, want) {
		t.Errorf("fragments: got %v, want %v", have, want)
	}
}

// A limit that changes in the code and not on the page is a lie: each number of a
// fragment is a constant of the tool's package, of one it is built on, or a bound
// in its schema.
func TestTheNumbersOfAToolAreItsConstants(t *testing.T) {
	for _, tl := range tool.Builtins() {
		text := read(t, tl.Name())
		known := constantsOf(t, packagesOf(tl))
		for _, n := range bounds(t, tl.Schema()) {
			known[n] = true
		}
		for _, n := range numbers(text) {
			if !slices.ContainsFunc(n.values, func(v int64) bool { return known[v] }) {
				t.Errorf("%s: %q is no constant of its packages", tl.Name(), n.text)
			}
		}
	}
}

// The first code span of each line under Errors is a part of a text in the code.
func TestTheErrorsOfAToolAreItsTexts(t *testing.T) {
	for _, tl := range tool.Builtins() {
		text := read(t, tl.Name())
		if !strings.Contains(text, "**Limits.** ") || !strings.Contains(text, "**Errors.**") {
			t.Errorf("%s: no limits or no errors", tl.Name())
		}
		_, list, _ := strings.Cut(text, "**Errors.**")
		literals := textsOf(t, packagesOf(tl))
		for _, span := range regexp.MustCompile("(?m)^- `([^`]+)`").FindAllStringSubmatch(list, -1) {
			if !slices.ContainsFunc(literals, func(s string) bool { return strings.Contains(s, span[1]) }) {
				t.Errorf("%s: no text of the code contains %q", tl.Name(), span[1])
			}
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := fragment(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func packagesOf(tl tool.Tool) []string {
	own := strings.TrimPrefix(reflect.TypeOf(tl).PkgPath(), "reasonix/")
	return append([]string{path.Clean(own)}, lent...)
}

// number is a number of the prose and what it may stand for.
type number struct {
	text   string
	values []int64
}

var numberPattern = regexp.MustCompile(`\b(\d[\d,]*)( (?:KiB|MiB|ms|s|seconds|million))?\b`)

// numbers finds those from 2 on that are not in a code span or a name such as
// UTF-16.
func numbers(text string) []number {
	text = regexp.MustCompile("`[^`]*`|[A-Za-z]+-?\\d+|\\d+-\\w+").ReplaceAllString(text, "")
	text = regexp.MustCompile(`format \d|level \d|(?:than|status) \d+|400 and above`).ReplaceAllString(text, "")
	var found []number
	for _, m := range numberPattern.FindAllStringSubmatch(text, -1) {
		n, err := strconv.ParseInt(strings.ReplaceAll(m[1], ",", ""), 10, 64)
		if err != nil || n < 2 && m[2] == "" {
			continue
		}
		unit := map[string]int64{
			"": 1, " KiB": 1 << 10, " MiB": 1 << 20, " million": 1_000_000,
			" ms": 1_000_000, " s": 1_000_000_000, " seconds": 1_000_000_000,
		}[m[2]]
		found = append(found, number{m[0], []int64{n * unit, n}})
	}
	return found
}

// bounds are the numbers a schema sets or names.
func bounds(t *testing.T, raw json.RawMessage) []int64 {
	t.Helper()
	var s schema
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	var all []int64
	s.each(func(p schema) {
		for _, f := range []*float64{p.Minimum, p.Maximum} {
			if f != nil {
				all = append(all, int64(*f))
			}
		}
	})
	return all
}

func (s schema) each(visit func(schema)) {
	visit(s)
	for _, p := range s.Properties {
		p.each(visit)
	}
	if s.Items != nil {
		s.Items.each(visit)
	}
}
