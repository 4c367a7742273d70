//go:build unix

package checkpoint_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Nobody waits for a named pipe in the place of the log or of the pack.
func TestPipesInThePlaceOfItsFilesAreReplaced(t *testing.T) {
	for _, name := range []string{"sight.log", "sight.pack", "kept.1.pack"} {
		g := newGround(t, nil)
		g.must(os.MkdirAll(g.kept, 0o700))
		g.must(syscall.Mkfifo(filepath.Join(g.kept, name), 0o600))
		if _, found, err := g.store.Recover(t.Context()); found || err != nil {
			t.Errorf("%s: found %v, %v", name, found, err)
		}
		g.write("a", "1", 0o644)
		g.restore(g.command(func() { g.write("a", "2", 0o644) }))
	}
}
