//go:build linux || darwin

package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// What we write ourselves while a command runs stays; what the command had made of
// it before is no part of it.
func TestRestoreKeepsOwnWrites(t *testing.T) {
	g := newGround(t, t.TempDir())
	toml, tasks := filepath.Join(g.work, "reasonix.toml"), filepath.Join(g.work, ".vscode/tasks.json")
	k := &keeper{}
	r, err := started(k, g.work, g.protected)
	if err != nil {
		t.Fatal(err)
	}
	g.sh(t, "echo evil >>reasonix.toml; echo evil >.envrc")
	err = k.own([]string{toml, tasks}, func() error {
		text, err := os.ReadFile(toml)
		return errors.Join(err, os.WriteFile(toml, append(text, "allowed\n"...), 0o644), os.MkdirAll(filepath.Dir(tasks), 0o755), os.WriteFile(tasks, []byte("ours"), 0o644))
	})
	if err != nil {
		t.Fatal(err)
	}
	g.sh(t, "echo evil >>reasonix.toml; rm -r .vscode")
	if _, err := r.ended(); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{toml: "[permissions]\nallowed\n", tasks: "ours"} {
		if got, err := os.ReadFile(path); string(got) != want {
			t.Errorf("%s: got %q, %v; want %q", path, got, err, want)
		}
	}
	if _, err := os.Lstat(filepath.Join(g.work, ".envrc")); err == nil {
		t.Error("the command's file is still there")
	}
}
