package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"reasonix/core/durable"
)

// Change is one change to a file, before or after it is written.
type Change struct {
	Path   string
	Before []byte // nil: the file is new
	After  []byte
	Backup string // where Before was kept; "" when there was nothing to keep
}

// Changed reports whether the file differs at all.
func (c Change) Changed() bool { return !bytes.Equal(c.Before, c.After) }

// Edit sets key in the file at path, or removes it when value is nil, and keeps
// the old text in path.bak. The file is made when it is missing (0600). A file
// that is not TOML is refused and stays as it is. Nothing is written when
// nothing changes.
func Edit(path, key string, value any) (Change, error) {
	return rewrite(path, func(text []byte) ([]byte, error) {
		if value == nil {
			return Unset(text, key)
		}
		return Set(text, key, value)
	})
}

// Migration is what Migrate would do to the file at path: remove the retired
// keys, which do nothing. Keys lists them.
func Migration(path string) (change Change, keys []string, err error) {
	text, err := read(path)
	if err != nil {
		return Change{}, nil, err
	}
	change = Change{Path: path, Before: text, After: text}
	for _, k := range Keys() {
		if !k.Retired {
			continue
		}
		parts, err := SplitPath(k.Path)
		if err != nil {
			return Change{}, nil, err
		}
		after, err := unset(change.After, parts)
		if err != nil {
			return Change{}, nil, inFile(path, err)
		}
		if !bytes.Equal(after, change.After) {
			keys = append(keys, k.Path)
		}
		change.After = after
	}
	return change, keys, nil
}

// Migrate removes the retired keys from the file at path and keeps the old text
// in path.bak.
func Migrate(path string) (Change, error) {
	return rewrite(path, func([]byte) ([]byte, error) {
		change, _, err := Migration(path)
		return change.After, err
	})
}

func rewrite(path string, edit func([]byte) ([]byte, error)) (Change, error) {
	before, err := read(path)
	if err != nil {
		return Change{}, err
	}
	after, err := edit(before)
	if err != nil {
		return Change{}, inFile(path, err)
	}
	change := Change{Path: path, Before: before, After: after}
	if !change.Changed() {
		return change, nil
	}
	err = change.write()
	return change, err
}

// read is a file's text, nil when there is none.
func read(path string) ([]byte, error) {
	if path == "" {
		return nil, errors.New("edit configuration: no such file: the directory is not known")
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("edit configuration: %w", err)
	}
	return text, nil
}

func (c *Change) write() error {
	if err := os.MkdirAll(filepath.Dir(c.Path), 0o700); err != nil {
		return fmt.Errorf("edit configuration: %w", err)
	}
	now, err := read(c.Path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, c.Before) {
		return fmt.Errorf("edit %s: the file changed just now: try again", c.Path)
	}
	if c.Before != nil {
		c.Backup = c.Path + ".bak"
		// A file may hold secrets of its own: its copy is the user's alone.
		if err := durable.WriteFile(c.Backup, c.Before, 0o600); err != nil {
			return fmt.Errorf("keep a backup: %w", err)
		}
	}
	return durable.WriteFile(c.Path, c.After, c.mode())
}

// mode is 0 for a file that is there, whose mode stays. A new project file is
// for everybody who works on the project, a new user file is not.
func (c *Change) mode() fs.FileMode {
	if c.Before == nil && filepath.Base(c.Path) == ProjectFileName {
		return 0o644
	}
	return 0
}

// inFile names the file in an error of a text.
func inFile(path string, err error) error {
	var e *Error
	if errors.As(err, &e) {
		e.File = path
		return err
	}
	return fmt.Errorf("edit %s: %w", path, err)
}
