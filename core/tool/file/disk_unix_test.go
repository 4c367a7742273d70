//go:build unix

package file_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"reasonix/core/tool/tooltest"
)

func (b *bench) mode(name string) fs.FileMode {
	b.Helper()
	info, err := os.Lstat(filepath.Join(b.dir, name))
	if err != nil {
		b.Fatal(err)
	}
	return info.Mode()
}

func (b *bench) chmod(name string, mode fs.FileMode) {
	b.Helper()
	if err := os.Chmod(filepath.Join(b.dir, name), mode); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) link(target, name string) {
	b.Helper()
	if err := os.Symlink(target, filepath.Join(b.dir, name)); err != nil {
		b.Fatal(err)
	}
}

func TestED07ModeBitsAreKept(t *testing.T) {
	b := open(t)
	for name, mode := range map[string]fs.FileMode{"run.sh": 0o755, "k.pem": 0o600, "g": 0o664, "s": 0o755 | fs.ModeSetgid} {
		b.put(name, "old\n")
		b.chmod(name, mode)
		b.edit(name, "old", "new")
		b.read(name)
		b.ok("write_file", args{"path": name, "content": "whole\n"})
		if got := b.mode(name); got != mode {
			t.Errorf("%s: mode %v, want %v", name, got, mode)
		}
	}
}

func TestED08EditThroughASymlink(t *testing.T) {
	b := open(t)
	b.put("real/cfg", "old\n")
	b.link("real/cfg", "cfg")
	b.link("cfg", "cfg2")
	b.edit("cfg2", "old", "new")
	b.holds("real/cfg", "new\n")
	b.ok("read_file", args{"path": "real/cfg"}) // one file, whatever its name
	b.ok("write_file", args{"path": "cfg", "content": "whole\n"})
	b.holds("real/cfg", "whole\n")
	if b.mode("cfg")&fs.ModeSymlink == 0 || b.mode("cfg2")&fs.ModeSymlink == 0 {
		t.Error("a link was replaced")
	}
	b.link("real/later", "dangling")
	b.ok("write_file", args{"path": "dangling", "content": "made\n"})
	b.holds("real/later", "made\n")

	outside := t.TempDir()
	put(t, outside, "x", "theirs\n")
	b.link(outside, "out")
	b.link(filepath.Join(outside, "new"), "out-new")
	for _, path := range []string{"out/x", "out/y", "out-new"} {
		b.refused("write_file", args{"path": path, "content": "z"}, "outside the workspace")
	}
	b.refused("edit_file", args{"path": "out/x", "old_string": "theirs", "new_string": "z"}, "outside the workspace")
	if got := b.read("out/x"); got != "1\ttheirs\n" {
		t.Errorf("reading outside: %q", got)
	}
}

// TestED09HardLinks holds the documented choice: a file with several names is
// written in place, so that all of them show the change.
func TestED09HardLinks(t *testing.T) {
	b := open(t)
	b.put("a.txt", "one\ntwo\n")
	if err := os.Link(filepath.Join(b.dir, "a.txt"), filepath.Join(b.dir, "b.txt")); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{"2", "two, longer", ""} {
		b.read("a.txt")
		b.ok("write_file", args{"path": "a.txt", "content": "one\n" + to})
		b.holds("b.txt", "one\n"+to)
		b.holds("a.txt", "one\n"+to)
	}
	b.edit("b.txt", "one", "1")
	b.holds("a.txt", "1\n")
	info, err := os.Stat(filepath.Join(b.dir, "a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if n := info.Sys().(*syscall.Stat_t).Nlink; n != 2 {
		t.Errorf("%d links, want 2", n)
	}
}

func TestED19NewFileMode(t *testing.T) {
	old := syscall.Umask(0o002)
	defer syscall.Umask(old)
	b := open(t)
	b.ok("write_file", args{"path": "d/new", "content": "x"})
	b.put("have", "x")
	b.chmod("have", 0o664)
	b.edit("have", "x", "y")
	for _, name := range []string{"d/new", "have"} {
		if got := b.mode(name); got != 0o664 {
			t.Errorf("%s: mode %v, want 0664", name, got)
		}
	}
	if got := b.mode("d").Perm(); got != 0o775 {
		t.Errorf("directory mode %v, want 0775", got)
	}
}

func TestNothingIsLeftBesideTheFile(t *testing.T) {
	b := open(t)
	b.put("f", "x")
	b.edit("f", "x", "y")
	b.ok("write_file", args{"path": "g", "content": "x"})
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 2 {
		t.Errorf("directory holds %v", entries)
	}
}

func TestHiddenIsNeitherReadNorWrittenNorListed(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := openIn(t, dir, tooltest.Roots(nil, []string{filepath.Join(dir, "secret")}))
	b.put("secret/key", "k\n")
	b.put("open", "o\n")
	b.link("secret/key", "alias")
	b.link("secret", "dir")
	for _, path := range []string{"secret/key", "alias", "dir/key", "./x/../secret/key", filepath.Join(dir, "secret/key")} {
		b.refused("read_file", args{"path": path}, "hidden")
		b.refused("edit_file", args{"path": path, "old_string": "k", "new_string": "l"}, "hidden")
		b.refused("write_file", args{"path": path, "content": "l"}, "hidden")
	}
	b.refused("ls", args{"path": "dir"}, "hidden")
	if got := b.ok("ls", args{"recursive": true}); strings.Contains(got, "secret/\n") || strings.Contains(got, "key\t") {
		t.Errorf("listed: %q", got)
	}
	b.refused("read_file", args{"path": "kex"}, "no such file")
}

func TestNamedPipeIsRefusedAtOnce(t *testing.T) {
	b := open(t)
	if err := syscall.Mkfifo(filepath.Join(b.dir, "p"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.refused("read_file", args{"path": "p"}, "named pipe")
	b.refused("write_file", args{"path": "p", "content": "x"}, "named pipe")
	if got := b.ok("ls", args{}); got != "p\tspecial\n" {
		t.Errorf("ls shows %q", got)
	}
}
