//go:build unix

package instruction_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"reasonix/core/instruction"
)

// What a cloned repository may put in an instruction file's place costs neither
// time nor memory, and is said.
func TestWhatIsNoRegularFileIsSaidAtOnce(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(path string) error
		want string // the note
	}{
		{"pipe", func(p string) error { return syscall.Mkfifo(p, 0o600) }, "unreadable"},
		{"device", func(p string) error { return os.Symlink("/dev/zero", p) }, "unreadable"},
		{"hole", func(p string) error {
			if err := os.WriteFile(p, nil, 0o600); err != nil {
				return err
			}
			return os.Truncate(p, 3<<30)
		}, "not_text"},
	} {
		for _, place := range []string{"home", "work"} {
			for _, name := range []string{"AGENTS.md", "import.md"} {
				files := map[string]string{"home/x": "", "work/x": ""}
				if name == "import.md" {
					files[place+"/CLAUDE.md"] = "@import.md"
				}
				dir := tree(t, files)
				if err := c.make(filepath.Join(dir, place, name)); err != nil {
					t.Fatal(err)
				}
				found := loadSoon(t, instruction.Options{Home: filepath.Join(dir, "home"), Dir: filepath.Join(dir, "work")})
				if len(found.Notes) != 1 || found.Notes[0].Code != c.want || !strings.Contains(found.Notes[0].Text, name) {
					t.Errorf("%s as %s/%s: notes %v, want %s with its name", c.name, place, name, found.Notes, c.want)
				}
			}
		}
	}
}

func loadSoon(t *testing.T, o instruction.Options) instruction.Found {
	t.Helper()
	done := make(chan instruction.Found, 1)
	go func() { done <- instruction.Load(o) }()
	select {
	case found := <-done:
		return found
	case <-time.After(2 * time.Second):
		t.Fatal("Load does not return")
		return instruction.Found{}
	}
}
