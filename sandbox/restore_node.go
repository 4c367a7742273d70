//go:build linux || darwin

package sandbox

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// What is kept is in memory, so it is bounded: one protected path may be a tree of
// this many entries and bytes. A larger one cannot be kept.
const (
	maxEntries = 10_000
	maxBytes   = 64 << 20
)

// freshTime is what the clock of a file system may be behind: a file changed so
// shortly before we looked may change again without a newer time.
const freshTime = 50 * time.Millisecond

// A node is a file, a directory with what is in it, a link, or that nothing is
// there, which is the zero value.
type node struct {
	kind kind
	mark
	mode    fs.FileMode
	born    birth // of a directory
	content []byte
	target  string
	entries map[string]*node
}

type kind int

const (
	nothing kind = iota
	file
	directory
	link
	special // a pipe, a socket, a device, a file we may not read: it cannot be made anew
)

// A stamp changes when a file does.
type stamp struct {
	key      fileKey
	size     int64
	mode     uint32
	uid, gid uint32
	changed  [2]int64 // the inode's time, which no program sets
	modified [2]int64
}

// unixStamp is statStamp for what golang.org/x/sys returns, alike on all systems.
func unixStamp(st *unix.Stat_t) stamp {
	return stamp{
		key: fileKey{uint64(st.Dev), st.Ino}, size: st.Size, mode: uint32(st.Mode), uid: st.Uid, gid: st.Gid,
		changed:  [2]int64{int64(st.Ctim.Sec), int64(st.Ctim.Nsec)},
		modified: [2]int64{int64(st.Mtim.Sec), int64(st.Mtim.Nsec)},
	}
}

func kindOf(mode fs.FileMode) kind {
	switch {
	case mode.IsRegular():
		return file
	case mode.IsDir():
		return directory
	case mode&fs.ModeSymlink != 0:
		return link
	}
	return special
}

// unchanged tells by stamps that what is at path is n. Directories are not read:
// their stamp changes with the names in them.
func (n *node) unchanged(g *glance, path string) bool {
	if n.young {
		return false
	}
	var st unix.Stat_t
	err := g.lstat(path, &st)
	if n.kind == nothing {
		return errors.Is(err, unix.ENOENT)
	}
	if err != nil || !n.shows(unixStamp(&st)) {
		return false
	}
	for name, child := range n.entries {
		if !child.unchanged(g, path+string(filepath.Separator)+name) {
			return false
		}
	}
	return true
}

// A taking is one look at a tree.
type taking struct {
	left    int64 // bytes that may still be kept
	entries int
	begun   time.Time
	except  map[string]bool // paths that are passed over
}

// take returns what is at name, which is at path. What has not changed since old is taken from there.
func (t *taking) take(dir *os.Root, name, path string, old *node) (*node, error) {
	info, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return &node{}, nil
	}
	if err != nil {
		return nil, err
	}
	if t.entries--; t.entries < 0 {
		return nil, fmt.Errorf("more than %d files", maxEntries)
	}
	n := &node{kind: kindOf(info.Mode()), mode: info.Mode()}
	if n.kind != file && n.kind != directory {
		n.note(info, t.begun)
	}
	switch n.kind {
	case file:
		if err = t.takeFile(n, dir, name, old); errors.Is(err, fs.ErrPermission) {
			n.kind, err = special, nil
			n.note(info, t.begun)
		}
	case directory:
		err = t.takeDirectory(n, dir, name, path, old)
	case link:
		n.target, err = dir.Readlink(name)
	case nothing, special:
	}
	return n, err
}

func (n *node) note(info fs.FileInfo, begun time.Time) {
	n.mark, n.mode = markOf(info, begun), info.Mode()
}

func (t *taking) takeFile(n *node, dir *os.Root, name string, old *node) error {
	f, info, err := openFile(dir, name)
	if err != nil {
		return err
	}
	defer f.Close()
	n.note(info, t.begun)
	if t.left -= info.Size(); t.left < 0 {
		return fmt.Errorf("more than %d MiB", maxBytes>>20)
	}
	if old != nil && old.kind == file && old.shows(n.stamp) {
		n.content = old.content
		return nil
	}
	n.content, err = io.ReadAll(io.LimitReader(f, info.Size()+1))
	if err == nil && int64(len(n.content)) != info.Size() {
		n.young = true // it is being written
	}
	return err
}

// known tells whether what info says is n itself, as it was.
func (n *node) known(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || info.Mode().Type() != n.mode.Type() {
		return false
	}
	if n.mode.IsRegular() { // its bytes cannot be compared
		return statStamp(st) == n.stamp
	}
	return statKey(st) == n.stamp.key
}

// openFile opens a regular file for reading, not what a link in its place leads to.
func openFile(dir *os.Root, name string) (*os.File, fs.FileInfo, error) {
	before, err := dir.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, nil, errSwapped
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(before, info) {
		err = errSwapped
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

var errSwapped = errors.New("replaced by another while it was looked at")

func (t *taking) takeDirectory(n *node, dir *os.Root, name, path string, old *node) error {
	sub, err := dir.OpenRoot(name)
	if err != nil {
		return err
	}
	defer sub.Close()
	info, err := sub.Stat(".")
	if err != nil {
		return err
	}
	if now, err := dir.Lstat(name); err != nil || !os.SameFile(now, info) {
		return errSwapped
	}
	n.note(info, t.begun)
	n.born = bornAt(dir, name, info)
	names, err := namesOf(sub)
	if err != nil {
		return err
	}
	n.entries = make(map[string]*node, len(names))
	for _, name := range names {
		inner := filepath.Join(path, name)
		if t.except[inner] {
			continue
		}
		var before *node
		if old != nil {
			before = old.entries[name]
		}
		if n.entries[name], err = t.take(sub, name, inner, before); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func namesOf(dir *os.Root) ([]string, error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}
