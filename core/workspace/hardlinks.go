package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// maxEntries bounds the search for the other names of a file.
const maxEntries = 50_000

// namesInside refuses to write the file at abs, which has several names (hard
// links), unless every one of them is below a writable root and none is protected
// or hidden: the write would show in all of them. Trees whose files are links into
// a store outside, as package managers make them, are refused this way; the error
// says how to part one file from the store.
func (f *FS) namesInside(ctx context.Context, abs string, info fs.FileInfo) error {
	s := nameSearch{fs: f, info: info, want: links(info), room: maxEntries}
	err := s.run(ctx, abs)
	if err != nil || s.found() == s.want {
		return err
	}
	why := fmt.Sprintf("it has %d names (hard links), and only %d of them was found below the writable directories", s.want, s.found())
	if s.room <= 0 {
		why += fmt.Sprintf(" in the first %d entries", maxEntries)
	}
	return &PathError{
		Op: "write", Path: f.Rel(abs), Err: ErrLinked, Reason: why + ": the file behind the others would change too",
		Hint: "to change this one alone, make it a file of its own first: cp -p F F.new && mv F.new F",
	}
}

// nameSearch looks for the names of one file below the writable roots.
type nameSearch struct {
	fs    *FS
	info  fs.FileInfo
	want  uint64
	names []string
	room  int // entries that may still be looked at
}

func (s *nameSearch) found() uint64 { return uint64(len(s.names)) }

// run looks beside abs first, where the other names mostly are.
func (s *nameSearch) run(ctx context.Context, abs string) error {
	queue := append([]string{filepath.Dir(abs)}, s.fs.roots()...)
	for first := true; len(queue) > 0 && s.room > 0 && s.found() < s.want; first = false {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		dir := queue[0]
		queue = queue[1:]
		below, err := s.look(dir)
		if err != nil {
			return err
		}
		if !first {
			queue = append(queue, below...)
		}
	}
	return nil
}

// look takes the names in dir that are the file's and returns the directories in it.
// A directory that cannot be read has none.
func (s *nameSearch) look(dir string) (below []string, err error) {
	entries, _ := os.ReadDir(dir)
	s.room -= len(entries)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.IsDir() {
			below = append(below, path)
			continue
		}
		if !e.Type().IsRegular() || slices.Contains(s.names, path) {
			continue
		}
		info, err := e.Info()
		if err != nil || !os.SameFile(info, s.info) {
			continue
		}
		if _, ok := s.fs.rootOf(path); !ok {
			continue // beside a released file outside
		}
		if s.fs.Hidden(path) {
			return nil, hidden("write", s.fs.Rel(path))
		}
		if err := s.fs.unprotected("write", s.fs.Rel(path), path); err != nil {
			return nil, err
		}
		s.names = append(s.names, path)
	}
	return below, nil
}

// HiddenFile is Hidden for a file that is there: it also knows a hidden file by its
// other names (hard links). It asks the disk.
func (f *FS) HiddenFile(abs string) bool {
	if f.Hidden(abs) {
		return true
	}
	info, err := os.Lstat(abs)
	return err == nil && links(info) > 1 && f.linkedToHidden(info)
}

// linkedToHidden reports whether a hidden file is the one info is of: another name
// (hard link) of it is no way round. Only a hidden file is known by what it is, not
// one in a hidden directory.
func (f *FS) linkedToHidden(info fs.FileInfo) bool {
	for _, path := range f.hidden {
		if other, err := os.Lstat(path); err == nil && os.SameFile(other, info) {
			return true
		}
	}
	return false
}
