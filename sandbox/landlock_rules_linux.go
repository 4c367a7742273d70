package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// landlockRules writes the rules of one confinement. It walks from the root
// directory, by descriptors and never through a link, so that what a path names
// cannot change under it.
type landlockRules struct {
	ruleset int
	handled uint64
	places  []landlockPlace
	hidden  map[fileID]bool // another name of these is not to be allowed
}

// A landlockPlace is a path with the rights to it and to what is below it. As for
// all places the innermost one holds.
type landlockPlace struct {
	path   string
	rights uint64
	// limit is what a rule of a directory around may give without opening it. The
	// right to list directories opens no file; withheld around a hidden place it would
	// keep all directories above from being listed, the home directory for one.
	limit uint64
}

// A fileID tells files apart.
type fileID struct{ dev, ino uint64 }

// devices are the nodes without state that programs count on.
var devices = []struct {
	path   string
	rights uint64
}{
	{"/dev", mayReadDir},
	{"/dev/null", mayReadFile | mayWrite},
	{"/dev/zero", mayReadFile | mayWrite},
	{"/dev/full", mayReadFile | mayWrite},
	{"/dev/random", mayReadFile | mayWrite},
	{"/dev/urandom", mayReadFile | mayWrite},
	{"/dev/tty", mayReadFile | mayWrite | mayControl}, // a terminal that the process has already
}

// landlockRuleset returns a ruleset that allows what c does.
func landlockRuleset(c confinement) (fd int, err error) {
	abi, err := landlockABI()
	if err != nil {
		return -1, fmt.Errorf("landlock: %w", err)
	}
	fd, err = newRuleset(abi, c.Network)
	if err != nil {
		return -1, err
	}
	r := landlockRules{ruleset: fd, handled: handled(abi), hidden: map[fileID]bool{}}
	if err = r.collect(c); err == nil {
		err = r.allow()
	}
	if err != nil {
		_ = unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// collect brings c into places. A place in Protected has the rights of the
// Writable one around it.
func (r *landlockRules) collect(c confinement) error {
	for _, d := range devices {
		r.places = append(r.places, landlockPlace{d.path, d.rights, d.rights | mayReadDir})
	}
	for _, path := range c.Bare {
		r.places = append(r.places, landlockPlace{path, rightsToRead, rightsToRead})
	}
	for _, path := range c.Writable {
		r.places = append(r.places, landlockPlace{path, rightsToWrite, rightsToWrite})
	}
	for _, path := range c.Hidden {
		limit, err := r.hide(path, c.Network)
		if err != nil {
			return err
		}
		r.places = append(r.places, landlockPlace{path, 0, limit})
	}
	return nil
}

// hide notes what is at path.
func (r *landlockRules) hide(path string, network bool) (limit uint64, err error) {
	var st unix.Stat_t
	if unix.Lstat(path, &st) != nil {
		return mayReadDir, nil // not there: its name is kept closed
	}
	r.hidden[idOf(&st)] = true
	if network && st.Mode&unix.S_IFMT == unix.S_IFSOCK {
		return 0, fmt.Errorf("landlock: cannot hide the socket %s", path)
	}
	return mayReadDir, nil
}

func (r *landlockRules) allow() error {
	root, err := unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("landlock: open /: %w", err)
	}
	defer unix.Close(root)
	p := r.at("/", landlockPlace{rights: rightsToRead})
	return r.grant(root, "/", p.rights, 0)
}

// at returns the place at path, if there is one, with around's rights otherwise.
func (r *landlockRules) at(path string, around landlockPlace) landlockPlace {
	found := landlockPlace{path: path, rights: around.rights}
	for _, p := range r.places {
		if p.path == path {
			found = p // later classes are stronger
		}
	}
	return found
}

// grant gives rights to the directory or file that is open as fd, and to what is
// below it as far as no inner place says otherwise. given is what it has from the
// directories around it.
func (r *landlockRules) grant(fd int, path string, rights, given uint64) error {
	common, next := rights, map[string]bool{}
	for _, p := range r.places {
		if p.path != path && within(path, p.path) {
			common &= p.limit
			name, _, _ := strings.Cut(strings.TrimPrefix(p.path[len(path):], "/"), "/")
			next[name] = true
		}
	}
	if err := r.add(fd, path, common&^given); err != nil {
		return err
	}
	given |= common
	if rights&^given != 0 && len(next) > 0 {
		if err := r.others(fd, path, rights, given, next); err != nil {
			return err
		}
	}
	for name := range next {
		if err := r.inner(fd, filepath.Join(path, name), rights, given); err != nil {
			return err
		}
	}
	return nil
}

// inner grants an entry that is a place or leads to one.
func (r *landlockRules) inner(dir int, path string, around, given uint64) error {
	p := r.at(path, landlockPlace{rights: around})
	return r.entry(dir, filepath.Base(path), func(fd int, st *unix.Stat_t) error {
		if st.Mode&unix.S_IFMT == unix.S_IFDIR {
			return r.grant(fd, path, p.rights, given)
		}
		return r.add(fd, path, p.rights&rightsOfFiles)
	})
}

// others grants every entry of a directory that is no place and leads to none.
func (r *landlockRules) others(dir int, path string, rights, given uint64, except map[string]bool) error {
	names, err := namesIn(dir)
	if errors.Is(err, unix.EACCES) {
		return nil // what cannot be listed is not opened
	}
	if err != nil {
		return fmt.Errorf("landlock: list %s: %w", path, err)
	}
	for _, name := range names {
		if except[name] {
			continue
		}
		err := r.entry(dir, name, func(fd int, st *unix.Stat_t) error {
			switch kind := st.Mode & unix.S_IFMT; {
			case r.hidden[idOf(st)]:
				return nil
			case kind == unix.S_IFDIR:
				return r.add(fd, filepath.Join(path, name), rights&^given)
			case kind == unix.S_IFREG, kind == unix.S_IFIFO, kind == unix.S_IFSOCK:
				return r.add(fd, filepath.Join(path, name), rights&rightsOfFiles&^given)
			}
			return nil // a link needs no right, a device gets none
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// entry opens one entry without following a link. One that is gone or out of reach
// is passed over: nothing is allowed then.
func (r *landlockRules) entry(dir int, name string, do func(fd int, st *unix.Stat_t) error) error {
	fd, err := unix.Openat(dir, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil
	}
	return do(fd, &st)
}

func (r *landlockRules) add(fd int, path string, rights uint64) error {
	rights &= r.handled
	if rights == 0 {
		return nil
	}
	if err := addRule(r.ruleset, fd, rights); err != nil {
		return fmt.Errorf("landlock: allow %s: %w", path, err)
	}
	return nil
}

// namesIn lists a directory that is open as a path only.
func namesIn(dir int) ([]string, error) {
	fd, err := unix.Openat(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "directory")
	defer f.Close()
	return f.Readdirnames(-1)
}

func idOf(st *unix.Stat_t) fileID { return fileID{uint64(st.Dev), st.Ino} }
