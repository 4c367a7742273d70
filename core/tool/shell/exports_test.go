package shell

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseExports(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
		ok   bool
	}{
		{"", nil, true},
		{"declare -x A=\"1\"\ndeclare -x B\ndeclare -rx C=\"x\\$y\\`\\\\\\\"\nz\"\n", []string{"A=1", "C=x$y`\\\"\nz"}, true},
		{"declare -x A=$'a\\n\\t\\E\\'\\\\\\377\\x41\\u4e2d\\001'\n", []string{"A=a\n\t\x1b'\\\xffA中\x01"}, true},
		{"export A='it'\"'\"'s'\nexport B\nexport C=plain\\ x\n", []string{"A=it's", "C=plain x"}, true},
		{"typeset -x A=1\n", []string{"A=1"}, true},
		{"declare -x A=\"\"\n", []string{"A="}, true},
		{"declare -x A=\"open", nil, false},
		{"declare -x A='open", nil, false},
		{"declare -x A=$'open", nil, false},
		{"declare -x A=$'open\\", nil, false},
		{"rm -rf x\n", nil, false},
	} {
		got, ok := parseExports(c.text)
		if ok != c.ok || ok && !cmp.Equal(got, c.want) {
			t.Errorf("%q: got %q, %v; want %q, %v", c.text, got, ok, c.want, c.ok)
		}
	}
}

func FuzzParseExports(f *testing.F) {
	f.Add("declare -x A=\"1\"\nexport B=$'\\377'\n")
	f.Fuzz(func(_ *testing.T, text string) { parseExports(text) })
}

func TestStateThatWasNotWrittenWholeIsIgnored(t *testing.T) {
	for _, dump := range []string{"", "/dir", "/dir\n\x00", "/dir\n\x00declare -x A=\"1", "\n\x00declare -x A=1\n\x00", "/dir\n\x00nonsense\n\x00"} {
		if dir, exported, ok := parsePosix(dump); ok {
			t.Errorf("%q: taken as %q, %q", dump, dir, exported)
		}
	}
	dir, exported, ok := parsePosix("C:/dir\n\x00declare -x Path=\"/c/x\"\n\x00C:\\x\n\x00")
	if !ok || dir != "C:/dir" || !cmp.Equal(exported, []string{`Path=C:\x`}) {
		t.Errorf("got %q, %q, %v", dir, exported, ok)
	}
}

func TestPowerShellState(t *testing.T) {
	dir, exported, ok := parsePowerShell("C:\\a b\x00A=1\x00B=x\ny\x00\x00")
	if !ok || dir != `C:\a b` || !cmp.Equal(exported, []string{"A=1", "B=x\ny"}) {
		t.Errorf("got %q, %q, %v", dir, exported, ok)
	}
	for _, dump := range []string{"", "C:\\", "C:\\\x00A=1\x00", "\x00A=1\x00\x00"} {
		if _, _, ok := parsePowerShell(dump); ok {
			t.Errorf("%q is taken", dump)
		}
	}
}
