package workspace

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Replace makes data the content of the file at abs, a result of WritePath, and
// returns its hash. was is the file as it was read; nil means that it must not
// exist, and its parent directories are made. A file that is no longer as read
// is left alone, with a *PathError of ErrChanged.
//
// A new file gets mode 0666 less the umask. An existing one is replaced whole by
// a rename, so that no reader ever sees half of it, and keeps its mode and, where
// the system allows, its owner. A file with several names (hard links) is
// written in place instead, so that all of them show the change, but only when all
// of them are found below the writable roots; else it is refused (ErrLinked). In
// place is also written what is in a directory that allows no new file. An editor's
// buffer is written through the editor; where the editor writes none, the file is, as
// long as the buffer has no unsaved changes.
func (f *FS) Replace(ctx context.Context, abs string, data []byte, was *File) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", context.Cause(ctx)
	}
	root, ok := f.rootOf(abs)
	if !ok || f.Hidden(abs) {
		return "", f.outside("write", f.Rel(abs), abs)
	}
	if err := f.unprotected("write", f.Rel(abs), abs); err != nil {
		return "", err
	}
	f.replacing.Lock()
	defer f.replacing.Unlock()
	f.announce(abs)
	if f.over != nil && (was == nil || was.info == nil) {
		if info, err := os.Lstat(abs); err == nil && links(info) > 1 {
			if err := f.namesInside(ctx, abs, info); err != nil {
				return "", err
			}
		}
		err := f.replaceBuffer(ctx, abs, data, was)
		if err == nil {
			return Hash(data), nil
		}
		if was != nil && errors.Is(err, errors.ErrUnsupported) {
			was, err = f.behindBuffer(ctx, was)
		}
		if err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return "", refuse("write", f.Rel(abs), err)
		}
	}
	if was != nil && links(was.info) > 1 {
		if err := f.namesInside(ctx, abs, was.info); err != nil {
			return "", err
		}
	}
	if err := f.asOwn(func() error { return replaceIn(root, abs, data, was) }, abs); err != nil {
		return "", refuse("write", f.Rel(abs), err)
	}
	return Hash(data), nil
}

// announce tells Roots.Before of paths that are about to change.
func (d *disk) announce(paths ...string) {
	if d.before == nil {
		return
	}
	for _, path := range paths {
		d.before(path)
	}
}

// replaceBuffer writes through the editor, unless its buffer is no longer as read. Of one
// that was read just now it is known that it is.
func (f *FS) replaceBuffer(ctx context.Context, abs string, data []byte, was *File) error {
	if was != nil && !(was.AtOnce && was.after == f.buffers.Load()) {
		now, err := f.over.ReadFile(ctx, abs)
		if err != nil {
			return err
		}
		if Hash(now) != was.Hash {
			return changed(was)
		}
	}
	f.buffers.Add(1) // also when it fails: the editor may have written
	return f.over.WriteFile(ctx, abs, data)
}

// behindBuffer is the file on disk of a buffer that its editor lets nobody write. It may
// be replaced only when it holds what was read: what is unsaved would be lost.
func (f *FS) behindBuffer(ctx context.Context, was *File) (*File, error) {
	r, err := f.fromDisk(was.Path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	now, err := f.load(ctx, was.Path, r)
	if err == nil && now.Hash != was.Hash {
		err = &PathError{Op: "write", Path: f.Rel(was.Path), Err: ErrChanged, Reason: "it has unsaved changes in the editor, which must be saved first"}
	}
	return now, err
}

func changed(was *File) error {
	return &PathError{Op: "write", Path: was.Path, Reason: ErrChanged.Error(), Err: ErrChanged}
}

func replaceIn(root, abs string, data []byte, was *File) error {
	top, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer top.Close()
	rel, err := filepath.Rel(root, abs)
	if err != nil {
		return err
	}
	dir, err := enter(top, filepath.Dir(rel), was == nil)
	if err != nil {
		return err
	}
	defer dir.Close()
	name := filepath.Base(rel)
	if was == nil {
		return create(dir, name, data)
	}
	if err := unchanged(dir, name, was); err != nil {
		return err
	}
	if links(was.info) > 1 {
		return overwrite(dir, name, data, was)
	}
	err = swap(dir, name, data, was)
	if errors.Is(err, errNoSwap) {
		return overwrite(dir, name, data, was)
	}
	return err
}

// create writes a file that must not exist.
func create(dir *os.Root, name string, data []byte) error {
	if _, err := dir.Lstat(name); err == nil {
		return &PathError{Op: "write", Path: name, Reason: "exists already", Err: fs.ErrExist}
	}
	temp, err := writeTemp(dir, name, data, 0o666)
	if err != nil {
		return err
	}
	return rename(dir, temp, name)
}

// unchanged checks, just before it is replaced, that the file is the one that
// was read and that it may be written.
func unchanged(dir *os.Root, name string, was *File) error {
	now, err := dir.Lstat(name)
	if err != nil {
		return err
	}
	if !os.SameFile(now, was.info) || links(now) != links(was.info) || now.Size() != was.info.Size() || !now.ModTime().Equal(was.info.ModTime()) {
		return changed(was)
	}
	// A rename would not ask whether the file itself may be written.
	file, err := dir.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return file.Close()
}

// errNoSwap says that the directory takes no second file or no rename.
var errNoSwap = errors.New("cannot replace by renaming")

func swap(dir *os.Root, name string, data []byte, was *File) error {
	temp, err := writeTemp(dir, name, data, 0o600)
	if errors.Is(err, fs.ErrPermission) {
		return errNoSwap
	}
	if err != nil {
		return err
	}
	if err := adopt(dir, temp, was.info); err != nil {
		_ = dir.Remove(temp)
		return errNoSwap
	}
	if err := rename(dir, temp, name); err != nil {
		return errNoSwap
	}
	return nil
}

// writeTemp writes data to a new file beside name.
func writeTemp(dir *os.Root, name string, data []byte, mode fs.FileMode) (string, error) {
	temp := tempBeside(name)
	file, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", err
	}
	_, err = file.Write(data)
	if err := errors.Join(err, file.Close()); err != nil {
		_ = dir.Remove(temp)
		return "", err
	}
	return temp, nil
}

// tempBeside is a new name in the directory of name.
func tempBeside(name string) string {
	return filepath.Join(filepath.Dir(name), ".reasonix-"+strings.ToLower(rand.Text()[:12])+".tmp")
}

func rename(dir *os.Root, temp, name string) error {
	err := retryShared(func() error { return dir.Rename(temp, name) })
	if err != nil {
		_ = dir.Remove(temp)
	}
	return err
}

// overwrite writes the file that was read in place. The length is cut last, so that a full disk shows
// before anything but the changed part is lost.
func overwrite(dir *os.Root, name string, data []byte, was *File) error {
	file, err := dir.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	now, err := file.Stat()
	if err == nil && (!os.SameFile(now, was.info) || links(now) != links(was.info)) {
		err = changed(was)
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Truncate(int64(len(data)))
	}
	return errors.Join(err, file.Close())
}
