package jsonl

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"reasonix/core/durable"
	"reasonix/core/event"
)

// Move takes the session id of the store from into this one, with all that is kept for
// it. *session.LockedError when somebody writes it; fs.ErrExist when this store has a
// session of that id. The journal comes last: until then it is whole where it was.
func (s *Store) Move(from *Store, id event.SessionID) error {
	if from.dir == s.dir {
		return nil
	}
	if err := s.move(from, id); err != nil {
		return named("move", id, err)
	}
	return nil
}

func (s *Store) move(from *Store, id event.SessionID) (err error) {
	if err := from.exists(id); err != nil {
		return err
	}
	if s.exists(id) == nil {
		return fmt.Errorf("into %s: %w", s.dir, fs.ErrExist)
	}
	if err := durable.MkdirAll(s.dir); err != nil {
		return err
	}
	lock, err := from.acquire(id)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, lock.Release())
		if err == nil {
			_ = os.Remove(from.path(id, ".lock")) // it locks nothing any more
		}
	}()
	if err := s.moveBeside(from, id); err != nil {
		return err
	}
	if err := os.Rename(from.journal(id), s.journal(id)); err != nil {
		return err
	}
	if side, err := s.Sidecar(id); err == nil {
		side.Cwd = filepath.ToSlash(s.options.Workspace)
		_ = s.writeSidecar(side) // best effort: the next writer writes it again
	}
	return errors.Join(durable.SyncDir(s.dir), durable.SyncDir(from.dir))
}

// moveBeside moves everything of a session but its journal and its lock.
func (s *Store) moveBeside(from *Store, id event.SessionID) error {
	names, err := from.names()
	if err != nil {
		return err
	}
	for _, name := range names {
		if !strings.HasPrefix(name, string(id)+".") || name == string(id)+".lock" || name == string(id)+".jsonl" {
			continue
		}
		if err := moveInto(from.dir, s.dir, name); err != nil {
			return err
		}
	}
	for i, dir := range from.options.Beside {
		if i >= len(s.options.Beside) {
			break
		}
		if err := moveInto(dir, s.options.Beside[i], string(id)); err != nil {
			return err
		}
	}
	return nil
}

// moveInto moves a file or directory that may not be there. What stands in its place was
// left by a move that did not end.
func moveInto(from, to, name string) error {
	if _, err := os.Lstat(filepath.Join(from, name)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := durable.MkdirAll(to); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(to, name)); err != nil {
		return err
	}
	return os.Rename(filepath.Join(from, name), filepath.Join(to, name))
}
