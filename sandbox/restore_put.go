//go:build linux || darwin

package sandbox

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// maxPasses bounds how often an entry is put back that others change meanwhile.
const maxPasses = 10

// putBack makes the entry what it was, and reports the paths that were not. The
// last pass finds nothing to do, so that the entry was right after all was done.
func (e *entry) putBack(report func(path string)) error {
	var err error
	for range maxPasses {
		clean := true
		p := putting{report: func(path string) { clean = false; report(path) }, of: e}
		if err = p.entry(e); err == nil && clean {
			return nil
		}
	}
	if err == nil {
		err = errors.New("something goes on changing it")
	}
	return err
}

// A putting is one pass. It stays inside the entry's base whatever becomes of the
// names in it, and never follows one that is a link.
type putting struct {
	report func(path string)
	of     *entry
}

func (p *putting) entry(e *entry) error {
	dir, err := openBase(e.base)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	for i := range e.above {
		a := &e.above[i]
		name := filepath.Base(a.path)
		there, err := p.way(dir, name, a)
		if err != nil || !there {
			return err
		}
		if dir, err = into(dir, name); err != nil {
			return err
		}
	}
	return p.node(e.leaf, dir, filepath.Base(e.at), e.at)
}

// way makes an ancestor a directory again if it was one. It tells whether it is
// one: what was missing may have appeared.
func (p *putting) way(dir *os.Root, name string, a *ancestor) (there bool, err error) {
	info, err := dir.Lstat(name)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return false, err
	case err == nil && info.IsDir():
		return true, allowOwner(dir, name, info)
	case err == nil && a.missing && !isLink(info) && name != gitDir:
		return false, nil // a file leads nowhere; but .git as one does
	case err == nil:
		p.report(a.path)
		if err := p.remove(dir, name, a.path); err != nil {
			return false, err
		}
	}
	if a.missing {
		return false, nil
	}
	p.report(a.path)
	return true, moveBack(dir, name, a)
}

// allowOwner makes sure that the owner can work in a directory.
func allowOwner(dir *os.Root, name string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o700 == 0o700 {
		return nil
	}
	return dir.Chmod(name, info.Mode()|0o700)
}

// moveBack finds a directory that has been renamed beside its place, or makes one.
func moveBack(dir *os.Root, name string, a *ancestor) error {
	names, err := namesOf(dir)
	if err != nil {
		return err
	}
	for _, other := range names {
		info, err := dir.Lstat(other)
		if err == nil && info.IsDir() && keyOf(info) == a.stamp.key && a.born != (birth{}) && bornAt(dir, other, info) == a.born {
			return dir.Rename(other, name)
		}
	}
	return dir.Mkdir(name, a.perm|0o700)
}

// node makes what is at name what n says.
func (p *putting) node(n *node, dir *os.Root, name, path string) error {
	switch n.kind {
	case nothing:
		return p.nothing(dir, name, path)
	case file:
		return p.file(n, dir, name, path)
	case directory:
		return p.directory(n, dir, name, path)
	case link:
		return p.link(n, dir, name, path)
	case special:
		return p.special(n, dir, name, path)
	}
	return nil
}

func (p *putting) link(n *node, dir *os.Root, name, path string) error {
	if target, err := dir.Readlink(name); err == nil && target == n.target {
		return nil
	}
	p.report(path)
	if err := p.remove(dir, name, path); err != nil {
		return err
	}
	return dir.Symlink(n.target, name)
}

func (p *putting) special(n *node, dir *os.Root, name, path string) error {
	if info, err := dir.Lstat(name); err == nil && n.known(info) {
		return nil
	}
	p.report(path)
	return fmt.Errorf("what it was (%v) cannot be made anew", n.mode)
}

func (p *putting) file(n *node, dir *os.Root, name, path string) error {
	if n.is(dir, name) {
		return nil
	}
	p.report(path)
	p.of.attic.save(dir, name, path, 0)
	if info, err := dir.Lstat(name); err == nil && !info.Mode().IsRegular() {
		if err := remove(dir, name); err != nil {
			return err
		}
	}
	temp := ".reasonix-" + rand.Text()
	err := n.write(dir, temp)
	if err == nil {
		err = dir.Rename(temp, name)
	}
	if err != nil {
		_ = dir.Remove(temp)
	}
	return err
}

// is tells whether the file at name has n's bytes, mode and owner.
func (n *node) is(dir *os.Root, name string) bool {
	info, err := dir.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(n.content)) || !n.owned(info) {
		return false
	}
	f, info, err := openFile(dir, name)
	if err != nil {
		return false
	}
	defer f.Close()
	if !n.owned(info) {
		return false
	}
	got, err := io.ReadAll(io.LimitReader(f, int64(len(n.content))+1))
	return err == nil && bytes.Equal(got, n.content)
}

// owned tells whether info has n's mode and owner.
func (n *node) owned(info fs.FileInfo) bool { return info.Mode() == n.mode && n.ownerOf(info) }

func (n *node) write(dir *os.Root, name string) error {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(n.content)
	if info, failed := f.Stat(); err == nil && (failed != nil || !n.ownerOf(info)) {
		err = f.Chown(int(n.stamp.uid), int(n.stamp.gid))
	}
	if err == nil { // after the owner, whose change clears bits of it
		err = f.Chmod(n.mode)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return dir.Chtimes(name, time.Time{}, time.Unix(n.stamp.modified[0], n.stamp.modified[1]))
}

// ownerOf tells whether info has n's owner, which only root can change.
func (n *node) ownerOf(info fs.FileInfo) bool {
	if os.Geteuid() != 0 {
		return true
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Uid == n.stamp.uid && st.Gid == n.stamp.gid
}

func (p *putting) directory(n *node, dir *os.Root, name, path string) error {
	info, err := dir.Lstat(name)
	if err == nil && !info.IsDir() {
		err = errors.Join(p.remove(dir, name, path), fs.ErrNotExist)
	}
	if errors.Is(err, fs.ErrNotExist) {
		p.report(path)
		if err := moveBack(dir, name, &ancestor{mark: n.mark, born: n.born, perm: n.mode.Perm()}); err != nil {
			return err
		}
	} else if err != nil {
		return err
	} else if err := allowOwner(dir, name, info); err != nil {
		return err
	}
	sub, err := dir.OpenRoot(name)
	if err != nil {
		return err
	}
	defer sub.Close()
	if err := p.entries(n, sub, path); err != nil {
		return err
	}
	return p.attributes(n, sub, path, info)
}

// attributes gives a directory its mode and owner; was is before we came.
func (p *putting) attributes(n *node, sub *os.Root, path string, was fs.FileInfo) error {
	info, err := sub.Stat(".")
	if err != nil {
		return err
	}
	if was != nil && was.IsDir() && !n.owned(was) {
		p.report(path)
	}
	if !n.ownerOf(info) {
		if err := sub.Chown(".", int(n.stamp.uid), int(n.stamp.gid)); err != nil {
			return err
		}
	}
	if info.Mode() == n.mode {
		return nil
	}
	return sub.Chmod(".", n.mode)
}

func (p *putting) entries(n *node, sub *os.Root, path string) error {
	names, err := namesOf(sub)
	if err != nil {
		return err
	}
	for _, name := range names {
		if n.entries[name] == nil && !p.of.left[filepath.Join(path, name)] {
			p.report(filepath.Join(path, name))
			if err := p.remove(sub, name, filepath.Join(path, name)); err != nil {
				return err
			}
		}
	}
	for name, child := range n.entries {
		if err := p.node(child, sub, name, filepath.Join(path, name)); err != nil {
			return err
		}
	}
	return nil
}

// remove removes what is at name, which is at path, and keeps a copy.
func (p *putting) remove(dir *os.Root, name, path string) error {
	p.of.attic.save(dir, name, path, 0)
	return remove(dir, name)
}

// remove removes what is at name, if anything, with what is in it.
func remove(dir *os.Root, name string) error {
	err := dir.RemoveAll(name)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	info, failed := dir.Lstat(name)
	if failed != nil || !info.IsDir() {
		return err
	}
	if err := allowOwner(dir, name, info); err != nil {
		return err
	}
	sub, err := dir.OpenRoot(name)
	if err != nil {
		return err
	}
	defer sub.Close()
	names, err := namesOf(sub)
	for _, inner := range names {
		if err := remove(sub, inner); err != nil {
			return err
		}
	}
	return errors.Join(err, dir.RemoveAll(name))
}
