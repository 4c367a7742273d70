package memory

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"reasonix/core/durable"
)

// archiveDir is where the copies of a directory of facts are.
const archiveDir = ".archive"

// maxFiles bounds what is read of one directory.
const maxFiles = 10000

// settled is how old a change of a file must be before its time tells a further
// change; until then it is read again.
const settled = 2 * time.Second

// A folder is one directory of facts. Whoever uses it holds the store's lock.
type folder struct {
	dir   string
	scope Scope
	known map[string]known // by file name, what was read last
}

// known is what reading a file gave, and what tells whether it is still so.
type known struct {
	info     fs.FileInfo
	at       time.Time // when it was read
	fact     Fact
	problems []Problem
}

func (k known) skipped() bool {
	return slices.ContainsFunc(k.problems, func(p Problem) bool { return p.Skipped })
}

// fresh reports whether a file that is now info was read already.
func (k known) fresh(info fs.FileInfo) bool {
	return k.info != nil && os.SameFile(k.info, info) && k.info.Size() == info.Size() &&
		k.info.ModTime().Equal(info.ModTime()) && k.at.Sub(info.ModTime()) > settled
}

// read brings known up to date and reports whether that changed anything. A
// directory that is not there has no facts.
func (f *folder) read(now time.Time) (changed bool, err error) {
	entries, err := readDir(f.dir)
	if err != nil {
		return false, err
	}
	next := map[string]known{}
	for _, e := range entries {
		if !isFact(e.Name()) {
			continue
		}
		path := filepath.Join(f.dir, e.Name())
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // gone since, or a link to nothing
		}
		if was := f.known[e.Name()]; err == nil && was.fresh(info) {
			next[e.Name()] = was
			continue
		}
		changed = true
		k := known{info: info, at: now}
		k.fact, _, k.problems = load(path, f.scope)
		next[e.Name()] = k
	}
	changed = changed || len(next) != len(f.known)
	f.known = next
	return changed, nil
}

func readDir(dir string) ([]fs.DirEntry, error) {
	if dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return entries[:min(len(entries), maxFiles)], err
}

// isFact reports whether a name is that of a fact. An index and a page about the
// directory are none.
func isFact(name string) bool {
	return strings.EqualFold(filepath.Ext(name), ".md") && !strings.HasPrefix(name, ".") &&
		!strings.EqualFold(name, "MEMORY.md") && !strings.EqualFold(name, "README.md")
}

// load reads the file at path, and returns its text, too.
func load(path string, scope Scope) (Fact, []byte, []Problem) {
	text, err := durable.ReadFile(path, MaxFile)
	if err != nil {
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		return Fact{}, nil, []Problem{{Path: path, Text: "it cannot be read: " + err.Error(), Skipped: true}}
	}
	modified := time.Time{}
	if info, err := os.Stat(path); err == nil {
		modified = info.ModTime()
	}
	f, problems := decode(path, text, scope, modified)
	return f, text, problems
}

// archived is a file of the archive.
type archived struct {
	name     string
	id       string
	revision int
	digest   string
	folder   *folder
}

func (a archived) path() string { return filepath.Join(a.folder.archive(), a.name) }

func (f *folder) archive() string { return filepath.Join(f.dir, archiveDir) }

// copies lists the archive: <id>.r<revision>.<digest>[-<n>].md, in the order of the
// names.
func (f *folder) copies() ([]archived, error) {
	if f.dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(f.archive())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []archived
	for _, e := range entries {
		part := strings.Split(e.Name(), ".")
		if len(part) != 4 || part[3] != "md" || !validID(part[0]) {
			continue
		}
		n, ok := strings.CutPrefix(part[1], "r")
		revision, bad := strconv.Atoi(n)
		if !ok || bad != nil || revision < 1 {
			continue
		}
		sum, _, _ := strings.Cut(part[2], "-")
		list = append(list, archived{name: e.Name(), id: part[0], revision: revision, digest: sum, folder: f})
	}
	return list, err
}

// keep puts text, which is revision of f, into the archive. It never replaces a
// file there; a copy that is there already is enough. made is the path of a new
// one.
func (f *folder) keep(fact Fact, revision int, text []byte) (made string, err error) {
	if err := durable.MkdirAll(f.archive()); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		more := ""
		if n > 1 {
			more = "-" + strconv.Itoa(n)
		}
		name := fmt.Sprintf("%s.r%d.%s%s.md", fact.ID, revision, digest(fact), more)
		path := filepath.Join(f.archive(), name)
		there, err := durable.ReadFile(path, MaxFile)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return path, durable.WriteFile(path, text, 0o600)
		case err != nil:
			return "", err
		case string(there) == string(text):
			return "", nil
		}
	}
}

// newPath is a file name for a new fact that a person recognises: words of the
// title, and enough of the id that no two are the same.
func (f *folder) newPath(fact Fact) string {
	words := slug(fact.Title)
	tail := fact.ID[max(0, len(fact.ID)-6):]
	for n := 0; ; n++ {
		name := strings.TrimPrefix(words+"-"+tail, "-")
		if n > 0 {
			name += "-" + strconv.Itoa(n)
		}
		path := filepath.Join(f.dir, name+".md")
		if _, err := os.Lstat(path); err != nil { // writing says what is wrong
			return path
		}
	}
}

// put writes a fact and, before it, its copy. When the fact cannot be written there
// is no copy either: a revision that never was is not in the archive.
func (f *folder) put(fact Fact, text []byte) error {
	made, err := f.keep(fact, fact.Revision, text)
	if err != nil {
		return err
	}
	if err := durable.WriteFile(fact.Path, text, 0); err != nil {
		if made != "" {
			_ = os.Remove(made) // the next revision has a higher number in any case
		}
		return err
	}
	return nil
}
