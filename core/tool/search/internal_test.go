package search

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/workspace"
)

// TestTimeIsUpKeepsWhatWasFound covers a search that ends before it is done.
func TestTimeIsUpKeepsWhatWasFound(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := workspace.Open(workspace.Roots{Dir: dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := grep{session{files: files, cap: defaultCap, limit: time.Nanosecond}}
	out, err := g.Execute(context.Background(), json.RawMessage(`{"pattern":"x"}`))
	want := "(no matches so far)\n... (stopped after 1ns, not everything was searched: give a narrower path or glob)"
	if err != nil || out != want {
		t.Errorf("got %q, %v", out, err)
	}
	s := &lineSearch{scope: scope{shown: ".", limit: patience}, room: defaultCap}
	s.found.add(&fileHits{rel: "a", hits: []hit{{1, "x"}}}, 10)
	if out := s.report(t.Context(), true); !strings.HasPrefix(out, "a:1:x\n... (stopped after 30s") {
		t.Errorf("got %q", out)
	}
}

func TestTimeIsUpKeepsTheFilesFound(t *testing.T) {
	s := &fileSearch{scope: scope{shown: "src", limit: patience}, found: []foundFile{{"a", 1}}, total: 1}
	if out := s.report(defaultCap, true); !strings.HasPrefix(out, "src/a\n... (stopped after 30s, not everything") {
		t.Errorf("got %q", out)
	}
	s.found, s.total = nil, 0
	if out := s.report(defaultCap, true); !strings.HasPrefix(out, "(no matches so far)\n... (stopped") {
		t.Errorf("got %q", out)
	}
}

func TestNeeded(t *testing.T) {
	tests := []struct {
		pattern string
		fold    bool
		want    literals
		exact   bool
	}{
		{"foo", false, literals{any: []string{"foo"}}, true},
		{"foo|bar", false, literals{any: []string{"foo", "bar"}}, true},
		{"foobar|foobaz", false, literals{any: []string{"foobar", "foobaz"}}, true},
		{"colou?r", false, literals{any: []string{"colour", "color"}}, true},
		{`func \(\w+ \*\w+\) Close\(`, false, literals{any: []string{") Close("}}, false},
		{`^foo$`, false, literals{any: []string{"foo"}}, false},
		{`(foo|ba[rz])+x`, false, literals{any: []string{"foo", "bar", "baz"}}, false},
		{`foo|\d+`, false, literals{}, false},
		{`x*`, false, literals{}, false},
		{`[a-z]+\d+[A-Z]`, false, literals{}, false},
		{"RoundTripOpt", true, literals{any: []string{"roundtripopt"}, fold: true}, true},
		{"token", true, literals{any: []string{"to"}, fold: true}, false},
		{"ks", true, literals{}, false},
		{"caf\u00e9_x1", true, literals{any: []string{"_x1"}, fold: true}, false},
		{"\u4e2d\u6587", true, literals{any: []string{"\u4e2d\u6587"}}, true},
		{"(?i:get)|Put", false, literals{any: []string{"get", "put"}, fold: true}, false},
	}
	for _, tt := range tests {
		m, err := compile(tt.pattern, tt.fold)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, m.need, cmp.AllowUnexported(literals{})); diff != "" || m.exact != tt.exact {
			t.Errorf("%s: exact %v, -want +got\n%s", tt.pattern, m.exact, diff)
		}
	}
}

// lineNumbers is the slow way: every line through the regexp package.
func lineNumbers(re *regexp.Regexp, text string) []int {
	var found []int
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if re.MatchString(strings.TrimSuffix(line, "\r")) {
			found = append(found, i+1)
		}
	}
	return found
}

// scanText runs the scanner over text as a file.
func scanText(m *matcher, text string) ([]int, error) {
	s := newScanner(context.Background(), m, 1<<30)
	s.line, s.judged = 1, true
	err := s.blocks(plain{strings.NewReader(text)})
	var found []int
	for _, h := range s.out.hits {
		found = append(found, h.line)
	}
	return found, err
}

// TestScannerAgreesWithTheSlowWay compares random patterns on random text.
func TestScannerAgreesWithTheSlowWay(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	atoms := []string{"foo", "Bar", "k", "s", "K", "\u017f", "\u212a", "a", "ab", "[ab]", `\w`, ".", `\d+`, "x*", "(ab|ba)", "(foo|k)", "^", "$", `\b`, "o{2}", "[^a]", `\s`, "\u4e2d", "(?i:fo)", "e?", " "}
	words := []string{"foo", "FOO", "Bar", "k", "s", "K", "S", "\u017f", "\u212a", "a", "ab", "ba", "12", " ", "x", "\u4e2d", "\u6587", "\r", "e", "oo"}
	for range 3000 {
		var p, text strings.Builder
		for range 1 + r.IntN(4) {
			p.WriteString(atoms[r.IntN(len(atoms))])
			if r.IntN(8) == 0 {
				p.WriteString("|")
			}
		}
		for range r.IntN(60) {
			text.WriteString(words[r.IntN(len(words))])
			if r.IntN(5) == 0 {
				text.WriteString("\n")
			}
		}
		compare(t, p.String(), r.IntN(2) == 0, text.String())
	}
}

func compare(t *testing.T, pattern string, fold bool, text string) {
	t.Helper()
	flags := ""
	if fold {
		flags = "(?i)"
	}
	if _, err := regexp.Compile(pattern); err != nil {
		return
	}
	slow := regexp.MustCompile(flags + "(?:" + pattern + ")")
	m, err := compile(pattern, fold)
	if err != nil {
		t.Fatalf("%q: %v", pattern, err)
	}
	got, err := scanText(m, text)
	if text == "" {
		return
	}
	if diff := cmp.Diff(lineNumbers(slow, text), got); diff != "" || err != nil {
		t.Fatalf("pattern %q fold %v need %+v on %q: %v -want +got\n%s", pattern, fold, m.need, text, err, diff)
	}
}

func FuzzScanner(f *testing.F) {
	f.Add("(foo|ba[rz])+x?$", true, "foo\r\nbarx\n\n")
	f.Add(`^\s*k{1,3}`, true, " \u212a\n")
	f.Fuzz(func(t *testing.T, pattern string, fold bool, text string) {
		if len(pattern) > 100 || len(text) > 2000 || strings.ContainsAny(pattern, "\n\r") || strings.Contains(text, "\x00") ||
			strings.HasPrefix(text, "\ufeff") || strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
			return
		}
		if strings.Contains(pattern, "(?") || strings.Contains(pattern, `\`) {
			return // flags and escapes may speak of the line feed
		}
		compare(t, pattern, fold, text)
	})
}

func FuzzFilter(f *testing.F) {
	f.Add("src/**/*.{ts,tsx}", "src/a/b.ts")
	f.Fuzz(func(t *testing.T, glob, name string) {
		if len(glob) > 100 || len(name) > 200 {
			return
		}
		if _, err := newFilter(glob); err == nil {
			namesHidden(glob)
		}
	})
}

// Matching tries every combination of alternatives: a pattern with too many is
// refused at once instead of never ending.
func TestAPatternThatNeverEndsIsRefused(t *testing.T) {
	for _, pattern := range []string{
		strings.Repeat("{a,a}", 50) + "x", strings.Repeat("{a,a}/", 40) + "x/**",
		strings.Repeat("{a,", 300) + "a" + strings.Repeat("}", 300), strings.Repeat("*a", 40), strings.Repeat("a", 2000),
	} {
		if _, err := newFilter(pattern); err == nil || !strings.Contains(err.Error(), "too wide") {
			t.Errorf("%.40s: %v", pattern, err)
		}
	}
	for _, pattern := range []string{"*.{ts,tsx,js,jsx}", "src/**/{a,b,c}/{d,e}.go", "**/*_test.go"} {
		if _, err := newFilter(pattern); err != nil {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}
