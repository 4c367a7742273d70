package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

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
	change, err := Propose(path, key, value)
	if err != nil || !change.Changed() {
		return change, err
	}
	err = change.Write()
	return change, err
}

// Propose is Edit without the writing.
func Propose(path, key string, value any) (Change, error) {
	return propose(path, func(text []byte) ([]byte, error) {
		if value == nil {
			return Unset(text, key)
		}
		if filepath.Base(path) == UserFileName {
			text = withPreset(text, key)
		}
		return Set(text, key, value)
	})
}

// withPreset writes out the built-in provider before one of its keys is changed
// in a file without providers of its own: otherwise the file would define a
// provider with one key, in place of the built-in one.
func withPreset(text []byte, key string) []byte {
	p := preset()
	name := p["name"].(string)
	parts, err := SplitPath(key)
	if err != nil || len(parts) < 3 || parts[0] != "providers" || parts[1] != name {
		return text
	}
	d, err := parse("", text)
	if err != nil || d.values["providers"] != nil {
		return text
	}
	e := editor{doc: d}
	newline := e.newline()
	block := "[[providers]]" + newline + "name = " + quote(name) + newline
	for _, k := range Keys() {
		field, ok := strings.CutPrefix(k.Path, "providers.<name>.")
		if v := p[field]; ok && v != nil && field != "name" {
			block += field + " = " + render(v) + newline
		}
	}
	block += "prices = " + render(p["prices"]) + newline
	return e.whole(e.insertBlock(len(d.body), block))
}

// Migration is the change that removes the retired keys, which do nothing, from
// the file at path. Keys lists them. Nothing is written: see Change.Write.
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

func propose(path string, edit func([]byte) ([]byte, error)) (Change, error) {
	before, err := read(path)
	if err != nil {
		return Change{}, err
	}
	after, err := edit(before)
	if err != nil {
		return Change{}, inFile(path, err)
	}
	return Change{Path: path, Before: before, After: after}, nil
}

// read is a file's text, nil when there is none.
func read(path string) ([]byte, error) {
	if path == "" {
		return nil, errors.New("edit configuration: no such file: the directory is not known")
	}
	if filepath.Base(path) == ProjectFileName && leadsOut(path) {
		return nil, &Error{File: path, Want: errLink.Error()}
	}
	text, err := readText(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	return text, nil
}

// ErrChanged says that a file is no longer what a Change was made from.
var ErrChanged = errors.New("the file changed just now")

// Write puts After in place of Before and keeps Before in Backup. A file that no
// longer says Before is left alone, with ErrChanged, and so is one that is
// read-only. Two processes that write at
// once do it one after the other.
func (c *Change) Write() (err error) {
	if err := os.MkdirAll(filepath.Dir(c.Path), 0o700); err != nil {
		return fmt.Errorf("edit configuration: %w", err)
	}
	release, err := durable.LockDir(filepath.Dir(c.Path))
	if err != nil {
		return fmt.Errorf("edit configuration: %w", err)
	}
	defer func() { err = errors.Join(err, release()) }()
	now, err := read(c.Path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, c.Before) {
		return fmt.Errorf("edit %s: %w: try again", c.Path, ErrChanged)
	}
	if err := writable(c.Path); err != nil {
		return err
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

// writable refuses a file that its owner made read-only: to replace it would work,
// and is not what was meant.
func writable(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.Mode().Perm()&0o222 == 0 {
		return &Error{File: path, Want: "want a file that can be written", Text: fmt.Sprintf("it is read-only (mode %04o)", info.Mode().Perm()), Hint: "chmod u+w it, or change it by hand"}
	}
	return nil
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
	var s *ServerError
	if errors.As(err, &s) {
		return err
	}
	return fmt.Errorf("edit %s: %w", path, err)
}
