package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// foldsCase says that this system's usual file systems take "A" and "a" for the
// same name, so a hidden root must be compared that way.
const foldsCase = runtime.GOOS == "windows" || runtime.GOOS == "darwin"

// maxLinks bounds chains of dangling links.
const maxLinks = 40

// ReadPath returns the absolute path of name with links resolved. Relative names
// start at Dir; "~" is not expanded. The file need not exist. It refuses hidden
// paths with a *PathError.
func (f *FS) ReadPath(name string) (string, error) { return f.path("read", name) }

// WritePath is ReadPath for a file about to be written: what name resolves to,
// through a dangling link too, must lie in Dir or a writable root.
func (f *FS) WritePath(name string) (string, error) {
	if strings.HasSuffix(name, "/") || strings.HasSuffix(name, string(filepath.Separator)) {
		return "", &PathError{Op: "write", Path: name, Reason: "the name ends like a directory's", Err: fs.ErrInvalid}
	}
	abs, err := f.path("write", name)
	if err != nil {
		return "", err
	}
	if _, ok := f.rootOf(abs); !ok {
		return "", &PathError{
			Op: "write", Path: name, Err: ErrOutside,
			Reason: "outside the workspace " + filepath.ToSlash(f.dir) + " (resolves to " + filepath.ToSlash(abs) + ")",
		}
	}
	return abs, nil
}

// Abs is the absolute form of name, links not resolved. It never fails: it is
// for naming a path, not for opening it.
func (f *FS) Abs(name string) string {
	name = f.unquote(name)
	abs, err := f.join(name)
	if err != nil {
		return filepath.Join(f.dir, name)
	}
	return abs
}

// Hidden reports whether abs is a hidden root or below one, and not one of the
// exceptions. It only compares names, so walkers can ask it for every entry; abs
// must be absolute and clean.
func (f *FS) Hidden(abs string) bool { return anyContains(f.hide, abs) && !anyContains(f.bare, abs) }

func anyContains(roots []string, abs string) bool {
	for _, root := range roots {
		if contains(root, abs) || foldsCase && contains(strings.ToLower(root), strings.ToLower(abs)) {
			return true
		}
	}
	return false
}

// Rel is how abs is shown: relative to Dir when inside it ("." for Dir itself),
// absolute otherwise, with forward slashes.
func (f *FS) Rel(abs string) string {
	for _, root := range []string{f.dir, f.given} {
		if abs == root {
			return "."
		}
		if contains(root, abs) {
			return filepath.ToSlash(strings.TrimPrefix(abs[len(root):], string(filepath.Separator)))
		}
	}
	return filepath.ToSlash(abs)
}

// Show is Rel for a reader: a name with control characters, invalid UTF-8 or
// quotes is quoted as in Go, and ReadPath and WritePath take the quoted form back.
func (f *FS) Show(abs string) string { return Quote(f.Rel(abs)) }

// Quote returns name itself when it is plain text on one line, else in Go's
// quotes.
func Quote(name string) string {
	plain := utf8.ValidString(name) && !strings.HasPrefix(name, `"`) && strings.TrimSpace(name) == name &&
		!strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) })
	if plain {
		return name
	}
	return strconv.QuoteToGraphic(name)
}

// unquote undoes Quote for a name that is not itself there.
func (f *FS) unquote(name string) string {
	if len(name) < 2 || name[0] != '"' || name[len(name)-1] != '"' {
		return name
	}
	plain, err := strconv.Unquote(name)
	if err != nil {
		return name
	}
	if abs, err := f.join(name); err == nil {
		if _, err := os.Lstat(abs); err == nil {
			return name
		}
	}
	return plain
}

func (f *FS) path(op, name string) (string, error) {
	abs, err := f.join(f.unquote(name))
	if err != nil {
		return "", &PathError{Op: op, Path: name, Reason: err.Error(), Err: fs.ErrInvalid}
	}
	if f.Hidden(abs) {
		return "", hidden(op, name)
	}
	real, err := resolve(abs, 0)
	if err != nil {
		return "", refuse(op, name, err)
	}
	if f.Hidden(real) {
		return "", hidden(op, name)
	}
	return real, nil
}

func hidden(op, name string) error {
	return &PathError{Op: op, Path: name, Reason: ErrHidden.Error(), Err: ErrHidden}
}

// join makes name absolute without looking at the disk.
func (f *FS) join(name string) (string, error) {
	switch {
	case name == "":
		return "", errors.New("the path is empty")
	case strings.ContainsRune(name, 0):
		return "", errors.New("the path contains a NUL byte")
	case name == "~" || strings.HasPrefix(name, "~/") || strings.HasPrefix(name, `~\`):
		return "", errors.New("~ is not expanded; give an absolute path, or ./~ for a file of that name")
	case filepath.IsAbs(name):
		return filepath.Clean(name), checkVolume(name)
	}
	if runtime.GOOS == "windows" && (name[0] == '/' || name[0] == '\\') {
		return filepath.Clean(filepath.VolumeName(f.dir) + name), nil
	}
	return filepath.Join(f.dir, name), checkVolume(name)
}

// checkVolume refuses what only Windows gives a second meaning: a drive without
// a root ("C:x"), an alternate data stream ("x:y") and device names.
func checkVolume(name string) error {
	if runtime.GOOS != "windows" {
		return nil
	}
	rest := name[len(filepath.VolumeName(name)):]
	if strings.Contains(rest, ":") || filepath.VolumeName(name) != "" && !filepath.IsAbs(name) {
		return errors.New("the path has a colon where Windows allows none")
	}
	if base := filepath.Base(rest); base != "." && base != ".." && base != `\` && !filepath.IsLocal(base) {
		return errors.New("the path names a device")
	}
	return nil
}

// rootOf finds the writable root that holds abs.
func (f *FS) rootOf(abs string) (string, bool) {
	for _, root := range f.Writable() {
		if contains(root, abs) {
			return root, true
		}
	}
	return "", false
}

// contains compares cleaned names; a root contains itself.
func contains(root, path string) bool {
	rest, ok := strings.CutPrefix(path, root)
	return ok && (rest == "" || rest[0] == filepath.Separator || os.IsPathSeparator(root[len(root)-1]))
}

// resolve follows every link of abs, also a last one that leads nowhere yet:
// writing through it would create its target.
func resolve(abs string, links int) (string, error) {
	real, err := filepath.EvalSymlinks(abs)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	parent := filepath.Dir(abs)
	if parent == abs {
		return abs, nil
	}
	if parent, err = resolve(parent, links); err != nil {
		return "", err
	}
	abs = filepath.Join(parent, filepath.Base(abs))
	target, err := os.Readlink(abs)
	if err != nil {
		return abs, nil // no link: it simply does not exist
	}
	if links++; links > maxLinks {
		return "", errors.New("too many links")
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(parent, target)
	}
	return resolve(filepath.Clean(target), links)
}
