package workspace

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"reasonix/core/durable"
)

// LinkName is ReadPath for a name itself: the links of its directory are resolved,
// one at its end is not.
func (f *FS) LinkName(name string) (string, error) {
	_, real, err := f.locateLink(name)
	return real, err
}

func (f *FS) locateLink(name string) (abs, real string, err error) {
	abs, err = f.join(f.unquote(name))
	if err != nil {
		return "", "", &PathError{Op: "move", Path: name, Reason: err.Error(), Err: fs.ErrInvalid}
	}
	if f.Hidden(abs) {
		return "", "", hidden("move", name)
	}
	dir, err := resolve(filepath.Dir(abs))
	if err != nil {
		return "", "", refuse("move", name, err)
	}
	if real = f.respell(filepath.Join(dir, filepath.Base(abs))); f.Hidden(real) {
		return "", "", hidden("move", name)
	}
	return abs, real, nil
}

// LinkPath is WritePath for a name itself, as LinkName finds it. It is what Move
// takes. A writable root itself is refused.
func (f *FS) LinkPath(name string) (string, error) {
	abs, real, err := f.locateLink(name)
	if err != nil {
		return "", err
	}
	if err := f.unprotected("move", name, abs, real); err != nil {
		return "", err
	}
	root, ok := f.rootOf(real)
	switch {
	case !ok:
		return "", f.outside("move", name, real)
	case root == real:
		return "", &PathError{Op: "move", Path: name, Reason: "is a writable root itself", Hint: "move what is in it", Err: ErrOutside}
	}
	return real, nil
}

// Move gives what is at from the name to, both results of LinkPath: a file, a
// directory with all below, or a link itself. Nothing may be at to, unless it is
// from under another letter case; directories above it are made. What the model
// has seen of the files goes with them.
//
// On one file system it is one rename. Between two, all is copied with mode,
// times, links and, where the system allows, owner, flushed to the disk and
// named; only then is the source removed, and nothing of it that changed since
// it was copied. Extended attributes and the times of links are not copied, and
// other names (hard links) of a file outside the source stay where they are.
func (f *FS) Move(ctx context.Context, from, to string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	src, err := f.end(from)
	if err != nil {
		return err
	}
	defer src.root.Close()
	dst, err := f.end(to)
	if err != nil {
		return err
	}
	defer dst.root.Close()
	f.replacing.Lock()
	defer f.replacing.Unlock()
	info, err := src.root.Lstat(src.name)
	if err != nil {
		return refuse("move", f.Rel(from), err)
	}
	if err := f.movable(ctx, from, to, info); err != nil {
		return err
	}
	f.announce(from, to)
	if err := f.asOwn(func() error { return f.move(ctx, src, dst, info) }, from, to); err != nil {
		var told *PathError // of what is left where, perhaps
		if ctx.Err() != nil && !errors.As(err, &told) {
			return context.Cause(ctx)
		}
		return refuse("move", f.Rel(from), err)
	}
	f.rename(from, to)
	return nil
}

// end is one end of a move.
type end struct {
	root      *os.Root
	abs, name string // name is abs in root
}

func (f *FS) end(abs string) (end, error) {
	root, ok := f.rootOf(abs)
	if !ok || root == abs || f.Hidden(abs) {
		return end{}, f.outside("move", f.Rel(abs), abs)
	}
	if err := f.unprotected("move", f.Rel(abs), abs); err != nil {
		return end{}, err
	}
	name, err := filepath.Rel(root, abs)
	if err != nil {
		return end{}, refuse("move", f.Rel(abs), err)
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return end{}, refuse("move", f.Rel(abs), err)
	}
	return end{root: dir, abs: abs, name: name}, nil
}

// movable refuses to move a root, what is hidden by its name alone, a directory
// into itself, and a file an editor holds unsaved.
func (f *FS) movable(ctx context.Context, from, to string, info fs.FileInfo) error {
	no := func(reason string, err error) error {
		return &PathError{Op: "move", Path: f.Rel(from), Reason: reason, Err: err}
	}
	for _, root := range f.roots() {
		if contains(from, root) {
			return no("a writable root lies in it", fs.ErrInvalid)
		}
	}
	if _, ok := f.hide.below(from); ok {
		return no("something in it is "+ErrHidden.Error(), ErrHidden)
	}
	for _, end := range []string{from, to} {
		if what, ok := f.protect.below(end); ok && !f.released.contains(end) {
			return no("the protected "+filepath.ToSlash(what)+" lies in it", ErrProtected)
		}
	}
	if from != to && contains(from, to) {
		return no("the destination lies in it", fs.ErrInvalid)
	}
	if f.over == nil || !info.Mode().IsRegular() {
		return nil
	}
	buffer, err := f.buffer(ctx, from)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return refuse("move", f.Rel(from), err)
	}
	if disk, err := durable.ReadFile(from, int64(len(buffer))); err != nil || string(disk) != string(buffer) {
		return no("the editor holds unsaved changes of it", ErrChanged)
	}
	return nil
}

func (f *FS) move(ctx context.Context, src, dst end, info fs.FileInfo) error {
	now, err := dst.root.Lstat(dst.name)
	switch {
	case err == nil && f.sameEntry(src, dst, info, now):
		return recase(src, dst)
	case err == nil:
		return exists(dst.name)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	made, err := makeParents(dst)
	if err == nil {
		err = retryShared(func() error { return renameNew(src, dst) })
	}
	if otherDevice(err) {
		err = copyAcross(ctx, src, dst, made)
	}
	if err != nil {
		for _, name := range slices.Backward(made) {
			_ = dst.root.Remove(name) // fails where something is in it, and should
		}
	}
	return err
}

// makeParents makes the directories above e and lists those it made, the
// uppermost first, also when it fails.
func makeParents(e end) (made []string, err error) {
	var missing []string
	parent := filepath.Dir(e.name)
	for dir := parent; dir != "."; dir = filepath.Dir(dir) {
		if _, err := e.root.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, dir)
	}
	for _, dir := range slices.Backward(missing) {
		switch err := mkdir(e.root, dir); {
		case err == nil:
			made = append(made, dir)
		case !errors.Is(err, fs.ErrExist):
			return made, err
		}
	}
	at, err := enter(e.root, parent, false) // refuses what is no directory
	if err != nil {
		return made, err
	}
	return made, at.Close()
}

func mkdir(root *os.Root, name string) error {
	at, err := enter(root, filepath.Dir(name), false)
	if err != nil {
		return err
	}
	defer at.Close()
	return at.Mkdir(filepath.Base(name), 0o777)
}

func exists(name string) error {
	return &PathError{Op: "move to", Path: name, Reason: "exists already", Err: fs.ErrExist}
}

// sameEntry reports whether both ends are one entry of one directory, which the
// file system finds by another spelling too. Two hard links are two entries.
func (f *FS) sameEntry(src, dst end, a, b fs.FileInfo) bool {
	return src.abs != dst.abs && filepath.Dir(src.abs) == filepath.Dir(dst.abs) && os.SameFile(a, b) && !listed(dst)
}

// listed reports whether the directory spells the name just so.
func listed(e end) bool {
	dir, err := e.dir()
	if err != nil {
		return true
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return true
	}
	for _, name := range names {
		if name == filepath.Base(e.name) {
			return true
		}
	}
	return false
}

// dir opens the directory e is in, with no link on its way.
func (e end) dir() (*os.File, error) {
	at, err := enter(e.root, filepath.Dir(e.name), false)
	if err != nil {
		return nil, err
	}
	defer at.Close()
	return at.Open(".")
}

// recase changes how a name is spelled. Some systems take such a rename for
// none at all; then it goes by way of a third name.
func recase(src, dst end) error {
	at, err := enter(src.root, filepath.Dir(src.name), false)
	if err != nil {
		return err
	}
	defer at.Close()
	from, to := filepath.Base(src.name), filepath.Base(dst.name)
	if err := at.Rename(from, to); err != nil || listed(dst) {
		return err
	}
	temp := tempBeside(from)
	if err := at.Rename(from, temp); err != nil {
		return err
	}
	if err := at.Rename(temp, to); err != nil {
		return errors.Join(err, at.Rename(temp, from))
	}
	return nil
}

// rename lets what was seen of from, and of all below it, go by its new name.
// What was known of to is of something that is gone.
func (f *FS) rename(from, to string) {
	if from == to {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forget(to)
	for abs, sight := range maps.Clone(f.seen) {
		if contains(from, abs) {
			delete(f.seen, abs)
			f.seen[to+abs[len(from):]] = sight
			f.note(abs)
			f.note(to + abs[len(from):])
		}
	}
	for i, abs := range f.text.order {
		if contains(from, abs) {
			name := to + abs[len(from):]
			f.text.text[name] = f.text.text[abs]
			delete(f.text.text, abs)
			f.text.order[i] = name
		}
	}
}

// forget drops what was seen of abs and of all below it. f.mu is held.
func (f *FS) forget(abs string) {
	for name := range f.seen {
		if contains(abs, name) {
			delete(f.seen, name)
			f.note(name)
		}
	}
	for _, name := range slices.Clone(f.text.order) {
		if contains(abs, name) {
			f.text.drop(name)
		}
	}
}
