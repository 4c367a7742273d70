package wire

import (
	"context"
	"path/filepath"
	"time"

	"reasonix/core/config"
	"reasonix/core/engine"
	"reasonix/core/event"
	"reasonix/core/memory"
	"reasonix/core/session/jsonl"
	"reasonix/core/tool"
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

// factsOf opens the facts of the user and of workspace for a session. What its
// configuration holds as a key cannot be kept in them.
func factsOf(home, workspace string, cfg *config.Config, now func() time.Time) *memory.Store {
	return memory.Open(MemoryDirs(home, workspace), memory.Options{Now: now, Secrets: cfg.SecretValues})
}

// sayFacts adds the facts that a prompt is about to it, each revision once in a
// session. What cannot be read is a notice and stops nothing.
func sayFacts(store *memory.Store, s engine.Services) engine.Prepare {
	recaller := memory.NewRecaller(store, s.Told(memory.SourceKind))
	return func(_ context.Context, said *event.UserSaid) error {
		got, err := recaller.Recall(said.Display)
		if err != nil {
			return s.Emit(event.Notice{Level: event.LevelWarning, Code: "memory_unread", Args: []string{err.Error()}, Text: "facts were not looked up: " + err.Error()})
		}
		if got.Text == "" {
			return nil
		}
		said.Message.Content += "\n\n" + got.Text
		for i, ref := range got.Refs() {
			said.Sources = append(said.Sources, event.Source{Kind: memory.SourceKind, Ref: ref, Bytes: got.Bytes[i]})
		}
		return nil
	}
}

// historyDirs are what the history tool searches.
func historyDirs(home, workspace string) tool.HistoryDirs {
	return tool.HistoryDirs{
		Sessions: jsonl.Dir(home, workspace),
		Projects: filepath.Join(home, "projects"),
		Archive:  filepath.Join(home, "archive"),
	}
}
