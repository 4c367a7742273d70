package sandbox

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The innermost place holds, and what says nothing is dropped.
func TestReduce(t *testing.T) {
	for _, c := range []struct {
		name string
		all  []place
		want []place
	}{
		{"outer before inner", []place{{"/b/c", hidden}, {"/a", writable}, {"/b", writable}}, []place{{"/a", writable}, {"/b", writable}, {"/b/c", hidden}}},
		{"the same inside", []place{{"/a", writable}, {"/a/b", writable}, {"/h", hidden}, {"/h/h", hidden}}, []place{{"/a", writable}, {"/h", hidden}}},
		{"names that begin alike", []place{{"/a", writable}, {"/a-b", writable}, {"/a/b", writable}}, []place{{"/a", writable}, {"/a-b", writable}}},
		{"writable inside hidden", []place{{"/h", hidden}, {"/h/w", writable}, {"/h/w/h", hidden}}, []place{{"/h", hidden}, {"/h/w", writable}, {"/h/w/h", hidden}}},
		{"writable inside protected", []place{{"/w", writable}, {"/w/p", protected}, {"/w/p/w", writable}}, []place{{"/w", writable}, {"/w/p", protected}, {"/w/p/w", writable}}},
		{"protected outside writable", []place{{"/p", protected}, {"/h", hidden}, {"/h/p", protected}}, []place{{"/h", hidden}}},
		{"readable outside hidden", []place{{"/b", bare}, {"/w", writable}, {"/w/b", bare}, {"/h", hidden}, {"/h/b", bare}}, []place{{"/h", hidden}, {"/h/b", bare}, {"/w", writable}}},
		{"the stronger at one path", []place{{"/a", bare}, {"/a", writable}, {"/a", protected}, {"/a", hidden}}, []place{{"/a", hidden}}},
		{"the stronger even if it says nothing", []place{{"/w", writable}, {"/w", protected}}, nil},
		{"all", []place{{"/", writable}, {"/a", writable}, {"/a/p", protected}}, []place{{"/", writable}, {"/a/p", protected}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(reduce(c.all), c.want, cmp.AllowUnexported(place{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestConfinementIsOfWhatIsThere(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"work/.git", "real"} {
		if err := os.MkdirAll(in(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("real", in("link")); err != nil {
		t.Fatal(err)
	}
	cmd := Cmd{
		Writable:  []string{in("work/"), in("link"), in("later"), "relative"},
		Protected: []string{in("work/.git"), in("work/.envrc"), in("real/none")},
		Hidden:    []string{in("link/secret"), in("work/../real")},
		Network:   true,
	}
	got := confinementOf(cmd, false)
	want := confinement{Writable: []string{in("work")}, Protected: []string{in("work/.git")}, Hidden: []string{in("real")}, Network: true}
	opts := cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "identity" }, cmp.Ignore())
	if diff := cmp.Diff(got, want, opts, cmp.AllowUnexported(confinement{})); diff != "" {
		t.Error(diff)
	}
	got = confinementOf(cmd, true)
	want.Writable = []string{in("later"), in("work")}
	if diff := cmp.Diff(got, want, opts, cmp.AllowUnexported(confinement{})); diff != "" {
		t.Errorf("with what is missing: %s", diff)
	}
}

// A supervisor is for one confinement: other paths, other files, or the network.
func TestKeyTellsConfinementsApart(t *testing.T) {
	dir := t.TempDir()
	cmd := Cmd{Writable: []string{dir}, Network: true}
	key := func() string { c := confinementOf(cmd, false); return c.key() }
	first := key()
	if key() != first {
		t.Error("the same confinement has two keys")
	}
	cmd.Network = false
	if key() == first {
		t.Error("the network makes no difference")
	}
	cmd.Network = true
	secret := filepath.Join(dir, "secret")
	cmd.Hidden = []string{secret}
	if key() != first {
		t.Error("what is not there makes a difference")
	}
	keys := map[string]bool{first: true}
	for range 2 {
		next := filepath.Join(dir, "next")
		if err := os.WriteFile(next, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(next, secret); err != nil {
			t.Fatal(err)
		}
		if keys[key()] {
			t.Error("a new file makes no difference")
		}
		keys[key()] = true
	}
}

// BenchmarkConfinement is what a call costs on top of one without a sandbox, with as
// many places as a session has.
func BenchmarkConfinement(b *testing.B) {
	dir := b.TempDir()
	work := filepath.Join(dir, "home/user/src/project")
	if err := os.MkdirAll(filepath.Join(work, ".git/hooks"), 0o755); err != nil {
		b.Fatal(err)
	}
	cmd := Cmd{Network: true, Writable: []string{work, filepath.Join(dir, "tmp")}}
	for i := range 40 {
		cmd.Protected = append(cmd.Protected, filepath.Join(work, "missing"+string(rune('a'+i))))
	}
	cmd.Protected = append(cmd.Protected, filepath.Join(work, ".git/hooks"))
	for i := range 20 {
		cmd.Writable = append(cmd.Writable, filepath.Join(dir, "home/user/.cache", string(rune('a'+i)), "sub"))
	}
	var l ledger // of a session
	for b.Loop() {
		c := l.confinement(cmd, false)
		_ = c.key()
	}
}
