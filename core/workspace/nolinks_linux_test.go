package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestOpenCheckedIsOpenFDForOldKernels: both open what is there, and neither
// anything behind a link.
func TestOpenCheckedIsOpenFDForOldKernels(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	must(t, os.MkdirAll(filepath.Join(dir, "d", "e"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "d", "f"), []byte("x"), 0o644))
	must(t, os.Symlink("d", filepath.Join(dir, "link")))
	must(t, os.Symlink("f", filepath.Join(dir, "d", "last")))
	must(t, os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	for name, want := range map[string]bool{
		"d/f": true, "d/e": true, "d": true, "link/f": false, "d/last": false, "link": false, "dangling": false, "none": false, "d/f/x": false,
	} {
		for how, open := range map[string]func(string) (int, error){"at once": OpenFD, "by elements": openChecked} {
			fd, err := open(filepath.Join(dir, filepath.FromSlash(name)))
			if (err == nil) != want {
				t.Errorf("%s %s: %v", name, how, err)
			}
			if err == nil {
				must(t, unix.Close(fd))
			}
		}
		abs := filepath.Join(dir, filepath.FromSlash(name))
		if got := plain(abs); got != want {
			t.Errorf("plain(%s) = %v", name, got)
		}
		if got, err := follow(abs); want && (err != nil || got != abs) {
			t.Errorf("follow(%s) = %s, %v", name, got, err)
		}
	}
}
