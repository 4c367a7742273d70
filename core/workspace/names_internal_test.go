package workspace

import (
	"path/filepath"
	"testing"
)

func TestAlike(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{".env", ".env", true},
		{".env", ".ENV", true},
		{".env", ".Env", true},
		{".env", ".env.", true},
		{".env", ".env ", true},
		{".e\u200dnv", ".env", true},
		{".env\ufe0f", ".env", true},
		{"café", "cafe\u0301", true},
		{"CAFÉ", "cafe\u0301", true},
		{"\u212aey", "key", true},
		{"pa\u017fswd", "PASSWD", true},
		{"paßwd", "passwd", true},
		{"ﬁle", "file", true},
		{".env", ".envrc", false},
		{".env", "env", false},
		{".env", ".enw", false},
		{"café", "cafe", false},
		{"项目", ".reasonix", false},
		{"项目", "项目2", false},
		{"", "a", false},
		{"a.b", "ab", false},
	} {
		if got := alike(tt.a, tt.b); got != tt.want {
			t.Errorf("alike(%q, %q) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
		if got := alike(tt.b, tt.a); got != tt.want {
			t.Errorf("alike(%q, %q) = %v, want %v", tt.b, tt.a, got, tt.want)
		}
	}
}

// TestApartAgreesWithAlike: the short way says no only where the long one does.
func TestApartAgreesWithAlike(t *testing.T) {
	names := []string{"a", "A", "b", "ab", "aB", "a.", "a ", "a\u200d", "é", "e\u0301", ".", "a.b", "项", "a项"}
	for _, a := range names {
		for _, b := range names {
			if a == b {
				continue
			}
			i, x, y := 0, a+separator, b+separator
			for x[i] == y[i] {
				i++
			}
			if apart(x[i], y[i]) && alike(a, b) {
				t.Errorf("%q and %q are alike, but told apart", a, b)
			}
		}
	}
}

func TestPathSet(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	set := newPathSet([]string{at("a/b"), at("a/c"), at("a/c/d"), at("e"), at("Ünder")})
	for name, want := range map[string]string{
		"a/b": "a/b", "a/b/x/y": "a/b", "a/c/d/e": "a/c/d", "a/c/e": "a/c", "e": "e", "e/f": "e", "Ünder/x": "Ünder",
		"a": "", "a/bb": "", "a/b.txt": "", "": "", "f": "", "a/d": "",
	} {
		got, ok := set.find(at(name))
		if ok != (want != "") || ok && got != at(want) {
			t.Errorf("find(%s) = %s, %v; want %s", name, got, ok, want)
		}
		if set.contains(at(name)) != ok {
			t.Errorf("contains(%s) and find do not agree", name)
		}
	}
	if got, ok := set.below(at("a")); !ok || got != at("a/b") {
		t.Errorf("below: %s, %v", got, ok)
	}
	if got, ok := set.below(at("e")); ok {
		t.Errorf("below itself: %s", got)
	}
	root := filepath.VolumeName(dir) + separator
	if all := newPathSet([]string{root}); !all.contains(dir) || !all.contains(root) {
		t.Error("the root does not hold everything")
	}
	if low := newPathSet([]string{filepath.Join(root, "x")}); !low.contains(filepath.Join(root, "x", "y")) || low.contains(filepath.Join(root, "xy")) || low.contains(root) {
		t.Error("a set of one directory of the root")
	}
}
