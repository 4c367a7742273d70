package wire

import (
	"path/filepath"
	"time"

	"reasonix/core/config"
	"reasonix/core/memory"
	"reasonix/core/session/jsonl"
)

// MemoryDirs are where the facts of the user and of workspace are kept; workspace
// may be empty.
func MemoryDirs(home, workspace string) memory.Dirs {
	dirs := memory.Dirs{Global: filepath.Join(home, "memory")}
	if workspace != "" {
		dirs.Project = filepath.Join(filepath.Dir(jsonl.Dir(home, workspace)), "memory")
	}
	return dirs
}

// Memory opens the facts of the user and of workspace for a command that needs no
// session. No configured key can be kept in them; the configuration is read when a
// fact is to be kept.
func Memory(home, workspace string, environ []string, now func() time.Time) *memory.Store {
	return memory.Open(MemoryDirs(home, workspace), memory.Options{Now: now, Secrets: func() []string {
		c, _ := config.LoadLenient(Input(home, workspace, environ)) // what can be read of a broken one counts
		return c.SecretValues()
	}})
}
