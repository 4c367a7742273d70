package trust

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"reasonix/core/durable"
)

const (
	// version is that of the file's form. A file of a later one grants nothing
	// and is not written.
	version = 1
	// maxFile is the largest list that is read, in bytes.
	maxFile = 4 << 20
	// lockName is the file that two processes agree by.
	lockName = "grants.lock"
	// patience is how long another process may hold the list.
	patience = 10 * time.Second
	pause    = 10 * time.Millisecond
)

// file is the list on disk.
type file struct {
	Version    int                `json:"version"`
	Workspaces map[string][]Grant `json:"workspaces"`
}

// A DamagedError says that the list cannot be understood.
type DamagedError struct {
	Path   string
	Reason string
	newer  bool // written by a later version: it must not be replaced
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s grants nothing: %s", filepath.ToSlash(e.Path), e.Reason)
}

// ExitCode is that of configuration.
func (*DamagedError) ExitCode() int { return 3 }

// load reads the list at path. It is never nil; an error comes with an empty one.
func load(path string) (map[string][]Grant, error) {
	none := map[string][]Grant{}
	if path == "" {
		return none, nil
	}
	text, err := durable.ReadFile(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	if err != nil {
		return none, fmt.Errorf("%s grants nothing: %w", filepath.ToSlash(path), err)
	}
	f, err := parse(path, text)
	if err != nil {
		return none, err
	}
	maps.Copy(none, f.Workspaces)
	return none, nil
}

func parse(path string, text []byte) (file, error) {
	var f file
	if err := json.Unmarshal(text, &f); err != nil {
		return file{}, &DamagedError{Path: path, Reason: "it is damaged: " + err.Error()}
	}
	if f.Version != version {
		return file{}, &DamagedError{
			Path: path, newer: f.Version > version,
			Reason: fmt.Sprintf("it has the form %d, this version of reasonix knows %d", f.Version, version),
		}
	}
	return f, nil
}

// change reads the list anew, lets edit change it, and writes it when edit says
// so, while no other process does the same.
func (s *Store) change(edit func(map[string][]Grant) bool) (err error) {
	if s.home == "" {
		return errors.New("no home directory is known")
	}
	if err := durable.MkdirAll(s.home); err != nil {
		return err
	}
	lock, err := acquire(filepath.Join(s.home, lockName))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	s.mu.Lock()
	defer s.mu.Unlock()
	all, problem := load(s.Path())
	var damaged *DamagedError
	if problem != nil && (!errors.As(problem, &damaged) || damaged.newer) {
		s.problem = problem
		return fmt.Errorf("it stays as it is: %w", problem)
	}
	if !edit(all) {
		s.grants, s.problem = all, problem
		return nil
	}
	if problem != nil {
		if err := keep(s.Path()); err != nil {
			return err
		}
	}
	if err := write(s.Path(), all); err != nil {
		return err
	}
	s.grants, s.problem = all, nil
	return nil
}

// acquire waits for the lock at path.
func acquire(path string) (*durable.Lock, error) {
	for late := time.Now().Add(patience); ; time.Sleep(pause) {
		lock, err := durable.Acquire(path)
		var held *durable.HeldError
		if !errors.As(err, &held) || time.Now().After(late) {
			return lock, err
		}
	}
}

// maxKept bounds how many damaged lists are kept.
const maxKept = 100

// keep copies the damaged list at path to a name of its own beside it.
func keep(path string) error {
	text, err := durable.ReadFile(path, maxFile)
	if err != nil {
		return fmt.Errorf("keep the damaged list: %w", err)
	}
	for n := 1; n <= maxKept; n++ {
		backup := path + ".bak"
		if n > 1 {
			backup = fmt.Sprintf("%s.bak%d", path, n)
		}
		if _, err := os.Lstat(backup); errors.Is(err, fs.ErrNotExist) {
			return durable.WriteFile(backup, text, 0o600)
		}
	}
	return fmt.Errorf("keep the damaged list %s: there are %d of them already: remove some", path, maxKept)
}

func write(path string, all map[string][]Grant) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(file{Version: version, Workspaces: all}); err != nil {
		return err
	}
	return durable.WriteFile(path, b.Bytes(), 0o600)
}
