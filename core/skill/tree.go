package skill

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reasonix/core/durable"
)

// A tree is where files are read below base. With a root no link leads out of it:
// a project's files are not the user's own, whose links are followed.
type tree struct {
	base string
	root *os.Root // of base, or nil
}

// rel is a path as the root takes it.
func (t tree) rel(path string) string {
	rel, err := filepath.Rel(t.base, path)
	if err != nil {
		return path // the root refuses it
	}
	return rel
}

func (t tree) stat(path string) (fs.FileInfo, error) {
	if t.root == nil {
		return os.Stat(path)
	}
	return t.root.Stat(t.rel(path))
}

// A limitError says that something is too large.
type limitError string

func (e limitError) Error() string { return string(e) }

// readDir lists a directory in the order of the names.
func (t tree) readDir(path string) ([]fs.DirEntry, error) {
	open := os.Open
	if t.root != nil {
		open = func(path string) (*os.File, error) { return t.root.Open(t.rel(path)) }
	}
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(maxEntries + 1)
	if len(entries) > maxEntries {
		return nil, limitError(fmt.Sprintf("it has more than %d entries", maxEntries))
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// read returns a skill's file whole.
func (t tree) read(path string) ([]byte, fs.FileInfo, error) {
	open := durable.Open
	if t.root != nil {
		open = func(path string) (*os.File, error) { return durable.OpenIn(t.root, t.rel(path)) }
	}
	f, err := open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err == nil && len(text) > MaxFile {
		err = limitError(fmt.Sprintf("it has more than %d KB", MaxFile>>10))
	}
	return text, info, err
}

// why says why what is at path was not read.
func (t tree) why(path string, err error) string {
	if t.root != nil {
		if _, outside := os.Stat(path); outside == nil && errorsOfLinks(err) {
			return "a link there leads out of the project, or is an absolute one; it is not followed"
		}
	}
	if limit, ok := errors.AsType[limitError](err); ok {
		return limit.Error()
	}
	if err = bare(err); isMissing(err) {
		return "it is a link to nothing"
	}
	return "it cannot be read: " + err.Error()
}

// bare is err without the operation and the path.
func bare(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// errorsOfLinks reports whether err can be that of a link that a root refuses: that
// error has no name of its own.
func errorsOfLinks(err error) bool {
	return !errors.Is(err, fs.ErrPermission) && !errors.Is(err, durable.ErrNotRegular) && strings.Contains(err.Error(), "escapes")
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
