package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"reasonix/core/durable"
)

// copyAcross moves between file systems: a copy under a temporary name, its
// rename, the removal of the source. Until the first removal everything can be
// and is undone; where even that fails, the error names both trees. made are the
// directories that were made above dst, the uppermost first.
func copyAcross(ctx context.Context, src, dst end, made []string) error {
	c := copier{ctx: ctx, from: src.root, to: dst.root}
	if err := c.removable(src.name); err != nil {
		return err
	}
	temp := end{root: dst.root, name: tempBeside(dst.name)}
	temp.abs = filepath.Join(filepath.Dir(dst.abs), filepath.Base(temp.name))
	err := c.copy(src.name, temp.name)
	if err == nil {
		err = c.unchanged()
	}
	if err == nil {
		err = retryShared(func() error { return renameNew(temp, dst) })
	}
	if err != nil {
		return c.undo(src, temp, err)
	}
	removed := 0
	if err = syncAbove(dst, made); err == nil {
		removed, err = c.removeSource()
	}
	switch {
	case err != nil && removed == 0:
		return c.undo(src, dst, err)
	case err != nil:
		return &PathError{Op: "move", Path: src.name, Err: err, Reason: fmt.Sprintf(
			"all of it is at %s now, but %d of %d entries of %s could not be removed: %v",
			filepath.ToSlash(dst.abs), len(c.done)-removed, len(c.done), filepath.ToSlash(src.abs), err)}
	}
	return nil
}

// syncAbove flushes the entry of e and those of the directories made above it.
func syncAbove(e end, made []string) error {
	if err := syncDir(e.root, filepath.Dir(e.name)); err != nil {
		return err
	}
	for _, name := range slices.Backward(made) {
		if err := syncDir(e.root, filepath.Dir(name)); err != nil {
			return err
		}
	}
	return nil
}

// undo removes the copy, which failed with err while the source was whole.
func (c *copier) undo(src, copy end, err error) error {
	for _, e := range c.done {
		rel, relErr := filepath.Rel(src.name, e.name)
		if relErr != nil || !e.info.IsDir() {
			continue
		}
		name := filepath.Join(copy.name, rel)
		if now, statErr := copy.root.Lstat(name); statErr == nil && now.IsDir() {
			_ = copy.root.Chmod(name, 0o700) // nothing can be removed from a read-only one
		}
	}
	left := copy.root.RemoveAll(copy.name)
	if left == nil {
		return err
	}
	return &PathError{Op: "move", Path: src.name, Err: errors.Join(err, left), Reason: fmt.Sprintf(
		"%v; %s is as it was, but the copy %s could not be removed: %v",
		err, filepath.ToSlash(src.abs), filepath.ToSlash(copy.abs), left)}
}

// copier copies a tree and keeps what it copied.
type copier struct {
	ctx      context.Context // of the one call it serves
	from, to *os.Root
	done     []copied // parents before children
	linked   []linked
}

type copied struct {
	name string
	info fs.FileInfo
}

// linked is a file with several names and the first name it was copied to.
type linked struct {
	info fs.FileInfo
	name string
}

func (c *copier) copy(from, to string) error {
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	info, err := c.from.Lstat(from)
	if err != nil {
		return err
	}
	c.done = append(c.done, copied{from, info})
	switch {
	case info.IsDir():
		return c.directory(from, to, info)
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := c.from.Readlink(from)
		if err != nil {
			return err
		}
		return c.to.Symlink(target, to)
	case !info.Mode().IsRegular():
		return &PathError{Op: "move", Path: from, Reason: "a " + kindOf(info.Mode()) + " cannot be moved to another file system", Err: ErrNotRegular}
	}
	return c.file(from, to, info)
}

// directory is made for its owner alone; its own mode comes when it is full.
func (c *copier) directory(from, to string, info fs.FileInfo) error {
	if err := c.to.Mkdir(to, 0o700); err != nil {
		return err
	}
	names, err := list(c.from, from)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := c.copy(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
			return err
		}
	}
	if err := c.adopt(to, info); err != nil {
		return err
	}
	return syncDir(c.to, to)
}

func list(root *os.Root, name string) ([]string, error) {
	dir, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}

func (c *copier) file(from, to string, info fs.FileInfo) error {
	if links(info) > 1 {
		for _, l := range c.linked {
			if os.SameFile(l.info, info) {
				return c.to.Link(l.name, to)
			}
		}
		c.linked = append(c.linked, linked{info, to})
	}
	in, err := durable.OpenIn(c.from, from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := c.to.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, &stoppable{c.ctx, in})
	if err == nil {
		err = out.Sync()
	}
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	return c.adopt(to, info)
}

// adopt gives the copy the owner, if allowed, the mode and the times of info.
func (c *copier) adopt(to string, info fs.FileInfo) error {
	if adopt(c.to, to, info) != nil { // a set-user-ID bit must not go to another owner
		if err := c.to.Chmod(to, info.Mode().Perm()); err != nil {
			return err
		}
	}
	return c.to.Chtimes(to, info.ModTime(), info.ModTime())
}

// stoppable is a reader that a context ends.
type stoppable struct {
	ctx context.Context
	r   io.Reader
}

func (s *stoppable) Read(p []byte) (int, error) {
	if s.ctx.Err() != nil {
		return 0, context.Cause(s.ctx)
	}
	return s.r.Read(p)
}

// unchanged checks that the source still is what was copied.
func (c *copier) unchanged() error {
	for _, e := range c.done {
		if err := c.same(e); err != nil {
			return err
		}
	}
	return nil
}

func (c *copier) same(e copied) error {
	now, err := c.from.Lstat(e.name)
	if err != nil {
		return err
	}
	if !os.SameFile(now, e.info) || !now.IsDir() && (now.Size() != e.info.Size() || !now.ModTime().Equal(e.info.ModTime())) {
		return &PathError{Op: "move", Path: e.name, Reason: "changed while it was copied", Err: ErrChanged}
	}
	return nil
}

// removable checks before anything is copied that entries can be removed from
// the directory name is in and from those below it.
func (c *copier) removable(name string) error {
	if err := c.writable(filepath.Dir(name)); err != nil {
		return err
	}
	return c.removableBelow(name)
}

func (c *copier) removableBelow(name string) error {
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	info, err := c.from.Lstat(name)
	if err != nil || !info.IsDir() {
		return err
	}
	names, err := list(c.from, name)
	if err != nil || len(names) == 0 {
		return err
	}
	if err := c.writable(name); err != nil {
		return err
	}
	for _, entry := range names {
		if err := c.removableBelow(filepath.Join(name, entry)); err != nil {
			return err
		}
	}
	return nil
}

func (c *copier) writable(dir string) error {
	err := writableDir(c.from, dir)
	if err == nil {
		return nil
	}
	abs := filepath.ToSlash(filepath.Join(c.from.Name(), dir))
	return &PathError{Op: "move", Path: dir, Err: err, Reason: fmt.Sprintf(
		"nothing can be removed from the directory %s, and a move to another file system removes its source: %v", abs, err)}
}

// removeSource removes what was copied and nothing else: a directory with
// something new in it stays.
func (c *copier) removeSource() (removed int, err error) {
	for _, e := range slices.Backward(c.done) {
		if err := c.same(e); err != nil {
			return removed, err
		}
		if err := retryShared(func() error { return c.from.Remove(e.name) }); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}
