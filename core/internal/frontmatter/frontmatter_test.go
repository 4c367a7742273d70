package frontmatter_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/internal/frontmatter"
)

func parse(t *testing.T, text string) *frontmatter.Doc {
	t.Helper()
	d, err := frontmatter.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return d
}

func TestValuesAreText(t *testing.T) {
	d := parse(t, "---\nargument-hint: [focus-area]\ntitle: a: b\nissue: see #12 # not a comment\nempty:\n"+
		"double: \"q\\n\\\"w\\\"\"\nsingle: 'it''s'\nhalf: \"open\nurl: https://x.y/z\n键: 值\ntwice: 1\ntwice: 2\n"+
		"literal: |\n  one\n\n    two\nfolded: >-\n  one\n  two\n\n  three\nplain: one\n  two\nnested:\n  a: 1\n  b: \"2\"\nflow: {a: 1, b: 'x, y'}\n"+
		"# comment\n\nlist:\n- a\n- 'b'\n---\nbody\n")
	for key, want := range map[string]string{
		"argument-hint": "[focus-area]", "title": "a: b", "issue": "see #12 # not a comment", "empty": "",
		"double": "q\n\"w\"", "single": "it's", "half": `"open`, "url": "https://x.y/z", "键": "值", "twice": "2",
		"literal": "one\n\n  two", "folded": "one two\nthree", "plain": "one two", "nested": "a: 1\nb: \"2\"", "list": "a, b",
	} {
		if got, ok := d.Get(key); got != want || !ok {
			t.Errorf("%s: got %q, %v, want %q", key, got, ok, want)
		}
	}
	if _, ok := d.Get("missing"); ok || d.Body != "body\n" || !d.Has() {
		t.Errorf("a missing key is there, or body %q", d.Body)
	}
	for _, c := range [][3]string{{"nested", "a", "1"}, {"nested", "b", "2"}, {"flow", "a", "1"}, {"flow", "b", "x, y"}, {"nested", "c", ""}, {"none", "a", ""}} {
		if got, ok := d.Sub(c[0], c[1]); got != c[2] || ok != (c[2] != "") {
			t.Errorf("%s.%s: got %q, %v, want %q", c[0], c[1], got, ok, c[2])
		}
	}
}

func TestListsInTheirForms(t *testing.T) {
	for value, want := range map[string][]string{
		" [a, \"b, c\", 'd', ]": {"a", "b, c", "d"}, " a, b，c、d": {"a", "b", "c", "d"}, " \"x, y\"": {"x", "y"},
		"\n  - a\n  # c\n\n  - \"b: c\"": {"a", "b: c"}, "\n- a\n-\n- b": {"a", "b"}, "": nil, " []": nil, " one": {"one"}, " [it's, o'k]": {"it's", "o'k"},
	} {
		if d := cmp.Diff(want, parse(t, "---\nk:"+value+"\n---\n").List("k")); d != "" {
			t.Errorf("%q: -want +got\n%s", value, d)
		}
	}
	if got := parse(t, "x").List("k"); got != nil {
		t.Errorf("got %q without a block", got)
	}
}

func TestWhatIsNotSetStays(t *testing.T) {
	for _, end := range []string{"\n", "\r\n"} {
		lines := "\ufeff---\n# mine\nb:   2\nx-unknown: [z,  y]\n\na: 1\ntwice: 1\ntwice: 2\nlist:\n  - p\n  - q\n---\n\n# Body\n"
		d := parse(t, strings.ReplaceAll(lines, "\n", end))
		if d.Body != "\n# Body\n" {
			t.Errorf("body %q", d.Body)
		}
		d.Set("a", "x: y")
		d.Set("b", "2")
		d.Set("twice", "3")
		d.Set("new", "")
		d.SetList("list", []string{"p", " q "})
		d.SetList("keywords", []string{"a, b", "c"})
		d.Set("not\na key", "v")
		d.Delete("absent")
		want := strings.ReplaceAll("\ufeff---\n# mine\nb:   2\nx-unknown: [z,  y]\n\na: \"x: y\"\ntwice: 3\nlist:\n  - p\n  - q\nnew:\nkeywords: [\"a, b\", c]\n---\n\n# Body\n", "\n", end)
		if diff := cmp.Diff(want, string(d.Render())); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
}

func TestATextGetsItsFirstKey(t *testing.T) {
	d := parse(t, "body\n")
	if d.Has() || d.Keys() != nil {
		t.Errorf("keys in a text without: %v", d.Keys())
	}
	d.Set("id", "1")
	if got := string(d.Render()); got != "---\nid: 1\n---\nbody\n" {
		t.Errorf("got %q", got)
	}
	closed := parse(t, "---\nid: 1\n---")
	closed.Body = "b"
	if got := string(closed.Render()); got != "---\nid: 1\n---\nb" {
		t.Errorf("got %q", got)
	}
}

func TestWhatIsNoBlockIsNamed(t *testing.T) {
	for text, want := range map[string]error{
		"---\na: 1\n": frontmatter.ErrUnclosed, "---": frontmatter.ErrUnclosed, "---\n": frontmatter.ErrUnclosed,
		"---\n" + strings.Repeat("a: 1\n", frontmatter.MaxLines) + "---\n": frontmatter.ErrTooLarge,
		"---\na: " + strings.Repeat("x", frontmatter.MaxBlock) + "\n---\n": frontmatter.ErrTooLarge,
	} {
		if _, err := frontmatter.Parse([]byte(text)); !errors.Is(err, want) {
			t.Errorf("%.20q: got %v, want %v", text, err, want)
		}
	}
	for text, line := range map[string]int{
		"---\na: 1\n<<<<<<< HEAD\n---\n": 3, "---\n  indented: 1\n---\n": 2, "---\n\n- a\n---\n": 3, "---\na:1\n---\n": 2, "---\n: 1\n---\n": 2,
	} {
		_, err := frontmatter.Parse([]byte(text))
		var bad *frontmatter.LineError
		if !errors.As(err, &bad) || bad.Line != line {
			t.Errorf("%q: got %v, want an error in line %d", text, err, line)
		}
	}
}

// FuzzParse: what loads is rendered byte for byte, and a key that is set is read
// back while every other keeps its value.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", "body", "---\na: 1\n---\nbody", "\ufeff---\r\na: [x, 'y']\r\nb: |\r\n  z\r\n---\r\n", "---\na: 1\r\nb: 2\n---\n\r", "--- \n---\t\nx",
		"---\n# c\n\nk:\n  - a\n\n  - b\n---", "---\nk: \"\\u00e9\"\nk: {a: b}\n---\n", "---\na:\n\n b\n#c\n d\n---\n",
	} {
		f.Add(text, "a", "va: l", "x, y")
	}
	f.Fuzz(func(t *testing.T, text, key, value, item string) {
		d, err := frontmatter.Parse([]byte(text))
		if err != nil {
			return
		}
		if got := string(d.Render()); got != text {
			t.Fatalf("got %q, want %q", got, text)
		}
		if !utf8.ValidString(value) || !utf8.ValidString(item) || strings.TrimSpace(item) != item || item == "" || item != strings.ToValidUTF8(item, "") {
			return
		}
		before := map[string]string{}
		for _, k := range d.Keys() {
			before[k], _ = d.Get(k)
		}
		d.Set(key, value)
		d.SetList("list-of-it", []string{item, "z"})
		after, err := frontmatter.Parse(d.Render())
		if err != nil {
			t.Fatalf("%q is no longer read: %v", d.Render(), err)
		}
		if slices.Contains(d.Keys(), key) && key != "list-of-it" {
			if got, ok := after.Get(key); got != value || !ok {
				t.Fatalf("%q: got %q, want %q\n%q", key, got, value, d.Render())
			}
		}
		if got := after.List("list-of-it"); !slices.Equal(got, []string{item, "z"}) {
			t.Fatalf("list: got %q, want %q", got, item)
		}
		for k, v := range before {
			if got, _ := after.Get(k); got != v && k != key && k != "list-of-it" {
				t.Fatalf("%q changed: got %q, want %q", k, got, v)
			}
		}
	})
}
