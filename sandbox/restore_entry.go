//go:build linux || darwin

package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// An entry is one protected path: the directories that lead to it from a writable
// one, and what is at its end. It is put back as a whole. Its methods are called
// under the keeper's lock.
type entry struct {
	path    string // without links on the way to base
	base    string // the outermost writable directory around it
	names   []string
	holders int  // commands that run
	owed    bool // it could not be put back
	attic   *attic
	// left are directories in it that are no part of it: others may write there.
	left map[string]bool
	// harmless is the configuration that a new repository had last, where the original
	// is that there is none; nil until there is one.
	harmless *node
	view     // the original
}

// A view is what was found on the way to a path and at its end.
type view struct {
	root    mark       // of base
	above   []ancestor // the directories between base and leaf
	leaf    *node      // nil before the first look
	at      string     // the path of leaf, which may be a link or file that is in the way
	leadsTo string     // what that link makes of the path
}

// An ancestor is a directory on the way.
type ancestor struct {
	path    string
	missing bool
	mark
	born birth
	perm fs.FileMode
}

// A mark is how a file looked. young is set when it may change without looking
// otherwise.
type mark struct {
	stamp stamp
	young bool
}

// markOf returns the mark of what was looked at since begun.
func markOf(info fs.FileInfo, begun time.Time) mark {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return mark{young: true}
	}
	m := mark{stamp: statStamp(st)}
	m.young = begun.Sub(time.Unix(m.stamp.changed[0], m.stamp.changed[1])) < freshTime
	return m
}

// shows tells whether a later stamp proves that nothing has changed.
func (m mark) shows(later stamp) bool { return !m.young && later == m.stamp }

// A fileKey tells files apart that exist at the same time.
type fileKey struct{ dev, ino uint64 }

// A birth is when a file was made, which tells it from a later one that has got its
// key; zero where the file system does not say.
type birth [2]int64

func newEntry(base, path string) *entry {
	rel := strings.TrimPrefix(path[len(base):], string(filepath.Separator))
	return &entry{path: path, base: base, names: strings.Split(rel, string(filepath.Separator))}
}

// leave makes dir, if it lies in what is protected, no part of that.
func (e *entry) leave(dir string) {
	if dir == e.path || !within(e.path, dir) || e.left[dir] {
		return
	}
	if e.left == nil {
		e.left = map[string]bool{}
	}
	e.left[dir] = true
}

// settle makes the entry ready for a command when none holds it.
func (e *entry) settle(g *glance) error {
	if e.owed {
		if err := e.putBack(func(string) {}); err != nil {
			return fmt.Errorf("a command changed it and it cannot be put back: %w", err)
		}
		e.owed = false
	}
	if e.unchanged(g) {
		return nil
	}
	g.end()
	return e.learn()
}

// learn takes what is there at present for the original. After an error that is
// what it was.
func (e *entry) learn() error {
	root, err := openBase(e.base)
	if err != nil {
		return err
	}
	begun := time.Now()
	base, err := root.Stat(".")
	if err != nil {
		_ = root.Close()
		return err
	}
	now := view{at: e.base, root: markOf(base, begun)}
	dir, err := now.walk(root, e.names, begun)
	defer func() { _ = dir.Close() }()
	if err != nil {
		return err
	}
	if now.leaf == nil {
		t := taking{left: maxBytes, entries: maxEntries, begun: begun, except: e.left}
		if now.leaf, err = t.take(dir, filepath.Base(now.at), now.at, e.leaf); err != nil {
			return err
		}
	}
	if now.leaf.kind == link {
		now.leadsTo = e.behind(&now)
	}
	e.view, e.harmless = now, nil
	return nil
}

// openBase opens a directory. What a command has put in its place may be a pipe,
// which as such would be waited for.
func openBase(path string) (*os.Root, error) {
	return os.OpenRoot(path + string(filepath.Separator) + ".")
}

// behind returns what the path is once the link on its way has been followed.
func (e *entry) behind(v *view) string {
	if real, there := resolve(e.path); there {
		return real
	}
	target := v.leaf.target
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(v.at), target)
	}
	return filepath.Join(target, strings.TrimPrefix(e.path, v.at))
}

// walk goes down names from dir as far as they are directories, and returns where
// it stopped: at the last, or at a link or a file that is in the way. leaf is set
// when nothing is there.
func (v *view) walk(dir *os.Root, names []string, begun time.Time) (*os.Root, error) {
	for i, name := range names {
		v.at = filepath.Join(v.at, name)
		if i == len(names)-1 {
			return dir, nil
		}
		info, err := dir.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			v.absent(names[i+1:])
			return dir, nil
		case err != nil:
			return dir, err
		case !info.IsDir():
			return dir, nil
		}
		v.above = append(v.above, ancestor{
			path: v.at, mark: markOf(info, begun), born: bornAt(dir, name, info), perm: info.Mode().Perm(),
		})
		if dir, err = into(dir, name); err != nil {
			return dir, err
		}
	}
	return dir, nil
}

// absent notes that the directory is not there, nor what names below it.
func (v *view) absent(names []string) {
	for _, name := range names {
		v.above = append(v.above, ancestor{path: v.at, missing: true})
		v.at = filepath.Join(v.at, name)
	}
	v.leaf = &node{}
}

// into replaces dir by its directory name.
func into(dir *os.Root, name string) (*os.Root, error) {
	sub, err := dir.OpenRoot(name)
	if err != nil {
		return dir, err
	}
	_ = dir.Close()
	return sub, nil
}

// unchanged tells by a few looks that nothing has changed. It may be wrong in one
// direction: false need not mean that something has.
func (e *entry) unchanged(g *glance) bool {
	if e.leaf == nil || e.owed || g.at(e.base) != nil {
		return false
	}
	still := e.root.shows(g.root) // the names in the directory above are what they were
	for i := range e.above {
		a := &e.above[i]
		if a.missing && still {
			return true
		}
		now, err := g.stamp(a.path)
		if a.missing {
			return errors.Is(err, unix.ENOENT)
		}
		if err != nil || now.key != a.stamp.key || now.mode&unix.S_IFMT != unix.S_IFDIR {
			return false
		}
		still = a.shows(now)
	}
	return still && e.leaf.kind == nothing || e.leaf.unchanged(g, e.at)
}

// A glance looks at many paths below a few directories.
type glance struct {
	base string
	fd   int
	root stamp  // of base
	seen string // the directory looked at last, and how it looked
	last stamp
}

// at makes base the directory that paths are below.
func (g *glance) at(base string) error {
	if g.base == base {
		return nil
	}
	g.end()
	fd, err := unix.Open(base, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	g.base, g.fd = base, fd
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	g.root = unixStamp(&st)
	return nil
}

// stamp looks at a directory; the one looked at last needs no second look.
func (g *glance) stamp(path string) (stamp, error) {
	if path == g.seen {
		return g.last, nil
	}
	var st unix.Stat_t
	if err := g.lstat(path, &st); err != nil {
		return stamp{}, err
	}
	g.seen, g.last = path, unixStamp(&st)
	return g.last, nil
}

// lstat looks at a path below the base; a shorter way makes it faster.
func (g *glance) lstat(path string, st *unix.Stat_t) error {
	for {
		err := unix.Fstatat(g.fd, strings.TrimPrefix(path[len(g.base):], "/"), st, unix.AT_SYMLINK_NOFOLLOW)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// end forgets all that was seen.
func (g *glance) end() {
	if g.base != "" {
		_ = unix.Close(g.fd)
	}
	*g = glance{}
}

func isLink(info fs.FileInfo) bool { return info.Mode()&fs.ModeSymlink != 0 }

func statKey(st *syscall.Stat_t) fileKey { return fileKey{uint64(st.Dev), st.Ino} }

func keyOf(info fs.FileInfo) fileKey {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return statKey(st)
	}
	return fileKey{}
}
