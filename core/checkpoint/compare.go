package checkpoint

import (
	"os"
	"path/filepath"
	"time"
)

// compare adds what differs between two looks, and keeps what was before. beside is what
// the first one did not look into.
func (s *Store) compare(before, after map[string]sight, beside margin, changes map[string]Change) {
	plain := map[string]bool{s.o.Root: true}
	for path, was := range before {
		now, there := after[path]
		if !there {
			var ok bool
			if now, ok = s.unseen(path, before, plain); !ok {
				continue
			}
		}
		if unchanged(was, now) {
			continue
		}
		changes[path] = s.changed(path, was, now)
	}
	old, missing := originsOf(before, after), missingOf(before, changes)
	all := beside.missing(missing)
	s.compareFar(beside.far, changes, missing)
	if s.rulesChanged(beside, changes) {
		s.reveal(before, after, beside)
	}
	for path, now := range after {
		if _, was := before[path]; !was && s.made(path, now, old, beside) {
			c := s.changed(path, sight{}, now)
			if now.size > 0 && c.After.kind() != kindDir && (all || missing[node{size: now.size}] || missing[now.node()] && !s.born(path)) {
				c.Lost = onlyCopy
			}
			changes[path] = c
		}
	}
}

// onlyCopy is why something that a call made is not removed.
const onlyCopy = "it may be all that is left of a file that was not copied before"

// missingOf are the files that a call changed or removed and of which there is no copy:
// they are known again, where they were moved or copied to, by their node or their size.
func missingOf(before map[string]sight, changes map[string]Change) map[node]bool {
	all := map[node]bool{}
	for path, c := range changes {
		if c.Lost != "" {
			before[path].missing(all)
		}
	}
	return all
}

func unchanged(was, now sight) bool {
	if was.hash == "" && was.state().kind() != kindDir {
		return now.mode == was.mode && now.stat == was.stat // it was not read
	}
	return now.state() == was.state()
}

// unseen is what is at a path that the second look did not find: nothing, or what is
// ignored since. False: it cannot be told, or is nothing that is looked after.
func (s *Store) unseen(path string, before map[string]sight, plain map[string]bool) (sight, bool) {
	if !isPlain(filepath.Dir(path), plain) {
		return sight{}, true
	}
	if _, err := os.Lstat(path); err != nil {
		return sight{}, absent(err)
	}
	f, ok := glance(path, before, time.Now())
	if ok && !f.known {
		state, _ := s.stateOf(path) // without a hash it is named when it is to be put back
		f.hash, ok = state.Hash, state.Mode == f.mode
	}
	return f.sight, ok
}

// isPlain reports whether dir is a directory that is reached through no link. known
// has what was found out, and where to stop.
func isPlain(dir string, known map[string]bool) bool {
	if plain, ok := known[dir]; ok {
		return plain
	}
	up := filepath.Dir(dir)
	plain := up != dir && isPlain(up, known)
	if plain {
		info, err := os.Lstat(dir)
		plain = err == nil && info.IsDir() || err != nil && !absent(err)
	}
	known[dir] = plain
	return plain
}

// node is what stays the same when something is moved.
type node struct {
	dev, inode  uint64
	size, mtime int64 // where there are no inodes
	hash        string
}

func (s sight) node() node {
	if s.inode != 0 {
		return node{dev: s.dev, inode: s.inode}
	}
	return node{size: s.size, mtime: s.mtime, hash: s.hash}
}

// origin is where something was at the first look.
type origin struct {
	ctime int64
	moved bool // it is there no more
}

func originsOf(before, after map[string]sight) map[node]origin {
	all := make(map[node]origin, len(before))
	for path, was := range before {
		now, there := after[path]
		o := origin{was.ctime, !there || now.node() != was.node()}
		if was.hash == "" && was.inode == 0 {
			continue // nothing to know it by
		}
		if have, ok := all[was.node()]; !ok || !have.moved {
			all[was.node()] = o
		}
	}
	return all
}

// made reports whether the call made what only the second look found. It may have been
// there as well, and been ignored or in a directory that could not be read.
func (s *Store) made(path string, now sight, old map[node]origin, beside margin) bool {
	if s.setBack && beside.known {
		return !beside.holds(path) // no time tells
	}
	if o, ok := old[now.node()]; ok && (o.moved || o.ctime != now.ctime) {
		return true // moved, or one link more
	}
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	if born := bornAt(path, info); born != 0 {
		return born >= s.since
	}
	return statOf(info).ctime > s.since
}

// born reports whether what is at path is known to be new, be its inode that of
// something older.
func (s *Store) born(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && bornAt(path, info) >= s.since && !s.setBack
}

func (s *Store) changed(path string, was, now sight) Change {
	c := Change{Path: path, Before: was.state(), After: now.state(), Seen: true, Lost: was.lost}
	if c.Lost == "" && was.hash != "" {
		data, ok := s.original(was.hash)
		if !ok {
			c.Lost = "its copy cannot be read"
		} else if err := s.keep(was.hash, data); err != nil {
			c.Lost = err.Error()
		}
	}
	return c
}
