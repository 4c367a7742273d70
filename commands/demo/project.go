package demo

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"reasonix/commands/cmdutil"
)

// files is the demo project, below "project".
//
//go:embed project
var files embed.FS

// project is one that was made.
type project struct {
	dir  string
	made []string // files and directories, parents first
}

// makeProject writes the demo project into dir, or into a fresh temporary
// directory when dir is empty.
func makeProject(app *cmdutil.App, dir string) (*project, error) {
	p := &project{}
	if err := p.choose(app, dir); err != nil {
		return nil, err
	}
	err := fs.WalkDir(files, "project", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "project" {
			return err
		}
		return p.write(name, d)
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make the demo project in %s: %w", filepath.ToSlash(p.dir), err), p.remove())
	}
	return p, nil
}

// choose finds a directory with nothing in it.
func (p *project) choose(app *cmdutil.App, dir string) error {
	if dir == "" {
		temp, err := os.MkdirTemp(app.Getenv("TMPDIR"), "reasonix-demo-")
		if err != nil {
			return fmt.Errorf("make a directory for the demo: %w", err)
		}
		p.dir, p.made = temp, []string{temp}
		return nil
	}
	if !filepath.IsAbs(dir) {
		wd, err := app.RequireWorkDir()
		if err != nil {
			return err
		}
		dir = filepath.Join(wd, dir)
	}
	p.dir = filepath.Clean(dir)
	entries, err := os.ReadDir(p.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p.makeDirs(p.dir)
	case err != nil:
		return cmdutil.Usagef("demo directory: %w", err)
	case len(entries) > 0:
		return cmdutil.WithHint(cmdutil.Usagef("%s is not empty, and the demo overwrites nothing", filepath.ToSlash(p.dir)),
			"name a directory that does not exist yet, or none")
	}
	return nil
}

// makeDirs makes dir and what is missing above it.
func (p *project) makeDirs(dir string) error {
	if parent := filepath.Dir(dir); parent != dir {
		if _, err := os.Stat(parent); errors.Is(err, fs.ErrNotExist) {
			if err := p.makeDirs(parent); err != nil {
				return err
			}
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return errors.Join(cmdutil.Usagef("demo directory: %w", err), p.remove())
	}
	p.made = append(p.made, dir)
	return nil
}

// write makes one file or directory of the project, which must not exist.
func (p *project) write(name string, d fs.DirEntry) error {
	rel, err := filepath.Rel("project", filepath.FromSlash(name))
	if err != nil {
		return err
	}
	to := filepath.Join(p.dir, rel)
	if d.IsDir() {
		if err := os.Mkdir(to, 0o755); err != nil {
			return err
		}
		p.made = append(p.made, to)
		return nil
	}
	data, err := files.ReadFile(name)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if path.Base(name) == "test.sh" {
		mode = 0o755
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	p.made = append(p.made, to)
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// remove takes away what was made, and nothing else.
func (p *project) remove() error {
	var errs []error
	for i := len(p.made) - 1; i >= 0; i-- {
		errs = append(errs, os.Remove(p.made[i]))
	}
	p.made = nil
	return errors.Join(errs...)
}
