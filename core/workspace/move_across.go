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
// and is undone.
func copyAcross(ctx context.Context, src, dst end) error {
	temp := end{root: dst.root, name: tempBeside(dst.name)}
	c := copier{ctx: ctx, from: src.root, to: dst.root}
	err := c.copy(src.name, temp.name)
	if err == nil {
		err = c.unchanged()
	}
	if err == nil {
		err = retryShared(func() error { return renameNew(temp, dst) })
	}
	if err != nil {
		return errors.Join(err, dst.root.RemoveAll(temp.name))
	}
	syncDir(dst)
	removed, err := c.removeSource()
	switch {
	case err != nil && removed == 0:
		return errors.Join(err, dst.root.RemoveAll(dst.name))
	case err != nil:
		return &PathError{Op: "move", Path: src.name, Err: err, Reason: fmt.Sprintf(
			"all of it is at the destination now, but %d of %d entries of the source could not be removed: %v", len(c.done)-removed, len(c.done), err)}
	}
	return nil
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
	dir, err := c.from.Open(from)
	if err != nil {
		return err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		if err := c.copy(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
			return err
		}
	}
	return c.adopt(to, info)
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
