package search_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/tool/tooltest"
	"reasonix/core/workspace"
)

func TestGrepFindsLines(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		in    args
		want  []string
	}{
		{
			"path, line, text, in path order",
			map[string]string{"b/x.go": "one\ntwo\n", "a.txt": "no\ntwo two\ntwo", "b.txt": "two\n"},
			args{"pattern": "two"},
			[]string{"a.txt:2:two two", "a.txt:3:two", "b.txt:1:two", "b/x.go:2:two"},
		},
		{"nothing", map[string]string{"a": "x\n"}, args{"pattern": "y"}, []string{"(no matches)"}},
		{"an empty workspace", nil, args{"pattern": "y"}, []string{"(no matches)"}},
		{"a regular expression", map[string]string{"a": "foo1bar\nfoobar\nfoo22bar\n"}, args{"pattern": `foo\d+bar`}, []string{"a:1:foo1bar", "a:3:foo22bar"}},
		{"anchors mean the line, also with CRLF", map[string]string{"a": "end\r\nthe end\r\nend not\r\n"}, args{"pattern": `end$`}, []string{"a:1:end", "a:2:the end"}},
		{"begin and end of a text mean the line too", map[string]string{"a": "x\nab\n"}, args{"pattern": `\Aab\z`}, []string{"a:2:ab"}},
		{"empty lines", map[string]string{"a": "x\n\ny\r\n\r\n"}, args{"pattern": `^$`}, []string{"a:2:", "a:4:"}},
		{"a match never crosses lines", map[string]string{"a": "foo\nbar\n"}, args{"pattern": `foo\s*bar|foo[^x]bar`}, []string{"(no matches)"}},
		{"a line feed matches nothing", map[string]string{"a": "foo\nbar\n"}, args{"pattern": `foo\n`}, []string{"(no matches)"}},
		{"case", map[string]string{"a": "RoundTrip\nroundtrip\n"}, args{"pattern": "roundTRIP", "ignore_case": true}, []string{"a:1:RoundTrip", "a:2:roundtrip"}},
		{
			"case of k and s, and the characters that fold to them",
			map[string]string{"a": "to\u212aen\nmas\u017f\nTOKEN\n"},
			args{"pattern": "token|mass", "ignore_case": true},
			[]string{"a:1:to\u212aen", "a:2:mas\u017f", "a:3:TOKEN"},
		},
		{"case in the pattern", map[string]string{"a": "Foo\nfoo\n"}, args{"pattern": "(?i:F)oo"}, []string{"a:1:Foo", "a:2:foo"}},
		{"any of", map[string]string{"a": "red\nblue\ngreen\n"}, args{"pattern": "red|green|yellow"}, []string{"a:1:red", "a:3:green"}},
		{"Chinese", map[string]string{"a": "x\n// \u4e2d\u6587 y\n"}, args{"pattern": "\u4e2d\u6587"}, []string{"a:2:// \u4e2d\u6587 y"}},
		{"in one file", map[string]string{"a": "x\n", "b": "x\n"}, args{"pattern": "x", "path": "b"}, []string{"b:1:x"}},
		{"in a directory", map[string]string{"a/x": "x\n", "b/x": "x\n"}, args{"pattern": "x", "path": "b/"}, []string{"b/x:1:x"}},
		{"glob by name", map[string]string{"a.go": "x\n", "b.txt": "x\n", "d/c.go": "x\n"}, args{"pattern": "x", "glob": "*.go"}, []string{"a.go:1:x", "d/c.go:1:x"}},
		{
			"glob with braces and a path from the workspace",
			map[string]string{"s/a.ts": "x\n", "s/d/b.tsx": "x\n", "s/c.js": "x\n"},
			args{"pattern": "x", "path": "s", "glob": "s/**/*.{ts,tsx}"},
			[]string{"s/a.ts:1:x", "s/d/b.tsx:1:x"},
		},
		{"glob from the searched directory", map[string]string{"s/d/b.ts": "x\n", "d/b.ts": "x\n"}, args{"pattern": "x", "path": "s", "glob": "d/*.ts"}, []string{"s/d/b.ts:1:x"}},
		{"glob that excludes", map[string]string{"a.go": "x\n", "a_test.go": "x\n"}, args{"pattern": "x", "glob": "!*_test.go"}, []string{"a.go:1:x"}},
		{"files only", map[string]string{"a": "x\nx\n", "b": "y\n", "c": "x\n"}, args{"pattern": "x", "files_only": true}, []string{"a", "c"}},
		{
			"context",
			map[string]string{"a": "1\n2\n3 x\n4\n5\n6\n7\n8 x\n9 x\n"},
			args{"pattern": "x", "context": 1},
			[]string{"a-2-2", "a:3:3 x", "a-4-4", "--", "a-7-7", "a:8:8 x", "a:9:9 x"},
		},
		{"context that touches", map[string]string{"a": "x\n2\n3\nx\n5\n"}, args{"pattern": "x", "context": 1}, []string{"a:1:x", "a-2-2", "a-3-3", "a:4:x", "a-5-5"}},
		{"context of two files", map[string]string{"a": "x\n2\n", "b": "x\n"}, args{"pattern": "x", "context": 2}, []string{"a:1:x", "a-2-2", "--", "b:1:x"}},
		{"hidden files are skipped", map[string]string{"a": "x\n", ".h": "x\n", ".d/a": "x\n"}, args{"pattern": "x"}, []string{"a:1:x"}},
		{"hidden files a glob names", map[string]string{"a.yml": "x\n", ".github/ci.yml": "x\n"}, args{"pattern": "x", "glob": ".github/**"}, []string{".github/ci.yml:1:x"}},
		{"a hidden directory asked for", map[string]string{".d/a": "x\n"}, args{"pattern": "x", "path": ".d"}, []string{".d/a:1:x"}},
		{"a byte order mark is no text", map[string]string{"a": "\ufeffx\n"}, args{"pattern": "^x", "context": 1}, []string{"a:1:x"}},
		{"control characters are escaped", map[string]string{"a": "x\x1b[2Jy\tz\xff\n"}, args{"pattern": "x"}, []string{`a:1:x\x1b[2Jy` + "\t" + `z\xff`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want(t, grep(t, tree(t, tt.files), tt.in), tt.want...)
		})
	}
}

func TestGrepTruncates(t *testing.T) {
	files := map[string]string{}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		files[name] = strings.Repeat("hit\n", 60)
	}
	lines := strings.Split(grep(t, tree(t, files), args{"pattern": "hit"}), "\n")
	if len(lines) != 201 || lines[199] != "d:20:hit" || lines[200] != "... (truncated at 200 matches)" {
		t.Errorf("got %d lines, the last %q", len(lines), lines[len(lines)-2:])
	}
	delete(files, "e")
	files["d"] = strings.Repeat("hit\n", 20)
	if out := grep(t, tree(t, files), args{"pattern": "hit"}); strings.Contains(out, "truncated") || strings.Count(out, "\n") != 199 {
		t.Errorf("exactly 200 matches: got %d line ends, %q", strings.Count(out, "\n"), out[len(out)-60:])
	}
}

func TestGrepKeepsWithinTheOutputCap(t *testing.T) {
	dir := tree(t, map[string]string{"a": strings.Repeat("hit "+strings.Repeat("y", 380)+"\n", 200)})
	out := grep(t, dir, args{"pattern": "hit"})
	if len(out) > 32_100 || !strings.Contains(out, "... (truncated at 82 matches, ") {
		t.Errorf("got %d bytes ending in %q", len(out), out[len(out)-80:])
	}
}

// TestGrepIsStable runs a search with a cap many times: workers race, results
// do not.
func TestGrepIsStable(t *testing.T) {
	files := map[string]string{}
	for _, d := range "abcdefgh" {
		for _, f := range "abcdefghij" {
			files[string(d)+"/"+string(f)] = strings.Repeat("hit\n", 7)
			files[string(d)+".x"] = "hit\n"
		}
	}
	dir := tree(t, files)
	first := grep(t, dir, args{"pattern": "hit"})
	for range 30 {
		if again := grep(t, dir, args{"pattern": "hit"}); again != first {
			t.Fatalf("got another answer\n%s\nthan\n%s", again, first)
		}
	}
}

func TestGrepRefuses(t *testing.T) {
	tests := []struct {
		name string
		in   args
		want string
	}{
		{"look-ahead", args{"pattern": "a(?=b)"}, "RE2 has no lookaround"},
		{"back-reference", args{"pattern": `(a)\1`}, "RE2 has no back-references"},
		{"an open bracket", args{"pattern": "foo("}, `missing closing ): ` + "`foo(`" + `; put \ before a character meant as itself`},
		{"a bad glob", args{"pattern": "a", "glob": "{a"}, `glob "{a": bad pattern`},
		{"a missing path", args{"pattern": "a", "path": "gone"}, "search gone: no such file"},
		{"a hidden path", args{"pattern": "a", "path": "secret/key"}, "hidden by the configuration"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := tree(t, map[string]string{"secret/key": "a\n"})
			_, err := grepErr(t, t.Context(), dir, tt.in, tooltest.Roots(nil, []string{filepath.Join(dir, "secret")}))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestGrepNeverShowsWhatTheWorkspaceHides(t *testing.T) {
	dir := tree(t, map[string]string{"a": "x\n", "secret/key": "x\n", "k.env": "x\n"})
	hide := []string{filepath.Join(dir, "secret"), filepath.Join(dir, "k.env")}
	want(t, grep(t, dir, args{"pattern": "x", "include_ignored": true}, tooltest.Roots(nil, hide)), "a:1:x")
}

func TestGrepOutsideTheWorkspaceShowsAbsolutePaths(t *testing.T) {
	dir, other := tree(t, nil), tree(t, map[string]string{"d/a": "x\n"})
	want(t, grep(t, dir, args{"pattern": "x", "path": other}), filepath.ToSlash(other)+"/d/a:1:x")
}

func TestAHitIsNoRead(t *testing.T) {
	dir := tree(t, map[string]string{"a": "hit\n"})
	env := tooltest.Env(t, dir)
	env.Files.Seen(filepath.Join(dir, "a"), "earlier", false)
	if _, err := tooltest.Bind(t, unbound("grep"), env).Execute(t.Context(), json.RawMessage(`{"pattern":"hit"}`)); err != nil {
		t.Fatal(err)
	}
	want := map[string]workspace.Sight{filepath.Join(dir, "a"): {Hash: "earlier"}}
	if diff := cmp.Diff(want, env.Files.Snapshot()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
