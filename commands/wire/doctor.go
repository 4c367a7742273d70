package wire

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"reasonix/core/config"
	"reasonix/core/event"
	"reasonix/core/instruction"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
	"reasonix/core/tool/shell"
)

// Stored is what is kept of sessions, of every workspace.
type Stored struct {
	Dir        string // <home>/projects
	Sessions   int
	Workspaces int
	Bytes      int64    // journals and what is saved beside them
	Damaged    []string // "id: line 7: reason", the first damage of each session
}

// Stored counts the sessions and reads every journal for damage, without a lock.
// When ctx ends it returns what it has counted, and ctx's error.
func (w World) Stored(ctx context.Context) (Stored, error) {
	s := Stored{Dir: filepath.Join(w.Home, "projects")}
	dirs, err := filepath.Glob(filepath.Join(s.Dir, "*", "sessions"))
	if err != nil {
		return s, fmt.Errorf("list sessions: %w", err)
	}
	for _, dir := range dirs {
		before := s.Sessions
		if err := s.count(ctx, dir); err != nil {
			return s, fmt.Errorf("list sessions: %w", err)
		}
		if s.Sessions > before {
			s.Workspaces++
		}
	}
	return s, nil
}

func (s *Stored) count(ctx context.Context, dir string) error {
	store := jsonl.New(dir, jsonl.Options{})
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) || entry.IsDir() {
			return nil
		}
		if err != nil {
			return err
		}
		s.Bytes += info.Size()
		id, ok := strings.CutSuffix(entry.Name(), ".jsonl")
		if !ok || filepath.Dir(path) != dir {
			return nil
		}
		s.Sessions++
		if damage := firstDamage(ctx, store, event.SessionID(id)); damage != "" {
			s.Damaged = append(s.Damaged, damage)
		}
		return nil
	})
}

// firstDamage is what is wrong with a journal, "" when it is whole.
func firstDamage(ctx context.Context, store *jsonl.Store, id event.SessionID) string {
	for _, err := range store.Read(ctx, id, 0) {
		var damage *session.DamageError
		switch {
		case errors.As(err, &damage):
			return fmt.Sprintf("%s: line %d: %s", id, damage.Line, damage.Reason)
		case err != nil && ctx.Err() == nil:
			return fmt.Sprintf("%s: %v", id, err)
		}
	}
	return ""
}

// Shell names the interpreter that commands of workspace would run in. The error
// says why there is none.
func (w World) Shell(cfg *config.Config) (string, error) {
	return shell.Interpreter(w.settings(cfg, "", ""))
}

// InstructionNotes are sentences on instruction files of workspace that are not
// read, or not whole, and the names of those that are.
func (w World) InstructionNotes(workspace string) (files, notes []string) {
	found := instruction.Load(instruction.Options{Home: w.Home, Dir: workspace})
	for _, f := range found.Files {
		files = append(files, f.Name)
	}
	for _, n := range found.Notes {
		notes = append(notes, n.Text)
	}
	return files, notes
}
