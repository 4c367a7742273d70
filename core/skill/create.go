package skill

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"reasonix/core/internal/frontmatter"
)

// Errors of Create.
var (
	ErrExists = errors.New("there is one already")
	ErrPlace  = errors.New("there is no directory for such skills")
)

// placeholder is the description of a new skill that got none.
const placeholder = "Say in one line what this does and when to use it."

const template = `
# %s

Say here how the task is done, step by step: what to look at first, what to do, how to see that it is right, and what
never to do. Put long material into references/ and programs into scripts/ beside this file, and name them here.

Task: $ARGUMENTS
`

// Create makes the directory and the file of a new skill for a person to fill in,
// in .reasonix/skills of the workspace for Project and in <home>/skills for User, and
// returns the file's path. No link leads it out of there. An existing skill stays as
// it is: the error wraps ErrExists. ErrPlace says that there is no such directory.
func Create(o Options, scope Scope, name, description string) (string, error) {
	if err := ValidName(name); err != nil {
		return "", err
	}
	name = Normal(name)
	if !filepath.IsLocal(name) {
		return "", fmt.Errorf("the name %q cannot be that of a directory", name)
	}
	base, dirMode, fileMode := o.Workspace, fs.FileMode(0o755), fs.FileMode(0o644)
	within := filepath.FromSlash(conventions()[0])
	if scope == User {
		base, dirMode, fileMode = o.Home, 0o700, 0o600
		within = userDir
	}
	if base == "" || scope == Path {
		return "", fmt.Errorf("make skill %s: %w", name, ErrPlace)
	}
	path := filepath.Join(base, within, name, fileName)
	if err := create(base, path, newText(name, oneLine(description)), dirMode, fileMode); err != nil {
		if errors.Is(err, fs.ErrExist) {
			err = ErrExists
		}
		return "", fmt.Errorf("make %s: %w", filepath.ToSlash(path), err)
	}
	return path, nil
}

func create(base, path string, text []byte, dirMode, fileMode fs.FileMode) error {
	if err := os.MkdirAll(base, dirMode); err != nil {
		return err
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return err
	}
	defer root.Close()
	rel, err := filepath.Rel(base, path)
	if err != nil {
		return err
	}
	if err := root.MkdirAll(filepath.Dir(rel), dirMode); err != nil {
		return err
	}
	f, err := root.OpenFile(rel, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

func newText(name, description string) []byte {
	if description == "" {
		description = placeholder
	}
	doc := &frontmatter.Doc{}
	doc.Set(keyName, name)
	doc.Set(keyDescription, description)
	doc.Set(keyInvocation, string(Auto))
	doc.Set(keyRunAs, string(Inline))
	doc.Body = fmt.Sprintf(template, name)
	return doc.Render()
}
