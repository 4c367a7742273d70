package workspace

import (
	"os"
	"path/filepath"
	"testing"
)

// TestMoveBetweenFileSystems uses the memory file system of Linux; where it is
// missing, two directories of one file system.
func TestMoveBetweenFileSystems(t *testing.T) {
	far, err := os.MkdirTemp("/dev/shm", "move")
	if err != nil {
		far = t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(far) })
	s := newShop(t, far)
	f := s.put(filepath.Join(s.dir, "d", "f"), "1")
	must(t, os.Chmod(f, 0o711))
	s.fs.Seen(f, "h", false)
	must(t, s.fs.Move(t.Context(), filepath.Dir(f), filepath.Join(s.far, "new", "d")))
	info, err := os.Stat(filepath.Join(s.far, "new", "d", "f"))
	must(t, err)
	if info.Mode() != 0o711 {
		t.Errorf("mode %v, want 0711", info.Mode())
	}
	if _, _, ok := s.fs.LastSeen(filepath.Join(s.far, "new", "d", "f")); !ok {
		t.Error("what was seen did not move along")
	}
	must(t, s.fs.Move(t.Context(), filepath.Join(s.far, "new", "d", "f"), f))
	if got := s.names(s.dir); len(got) != 2 {
		t.Errorf("moved back, there is %v", got)
	}
}
