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

// ReadPath returns the absolute path of name with links resolved. Relative names
// start at Dir; "~" is not expanded. The file need not exist. It refuses hidden
// paths with a *PathError.
func (f *FS) ReadPath(name string) (string, error) {
	_, real, err := f.locate("read", name)
	return real, err
}

// WritePath is ReadPath for a file about to be written: what name resolves to,
// through a dangling link too, must lie in Dir or a writable root, and it must not
// be protected, neither as it is named nor as it resolves, unless it was released.
func (f *FS) WritePath(name string) (string, error) {
	if strings.HasSuffix(name, "/") || strings.HasSuffix(name, separator) {
		return "", &PathError{Op: "write", Path: name, Reason: "the name ends like a directory's", Hint: "give the name of a file", Err: fs.ErrInvalid}
	}
	abs, real, err := f.locate("write", name)
	if err != nil {
		return "", err
	}
	if err := f.unprotected("write", name, abs, real); err != nil {
		return "", err
	}
	if _, ok := f.rootOf(real); !ok {
		return "", f.outside("write", name, real)
	}
	return real, nil
}

func (f *FS) outside(op, name, real string) error {
	return &PathError{
		Op: op, Path: name, Err: ErrOutside,
		Reason: "outside the workspace " + filepath.ToSlash(f.dir) + " (resolves to " + filepath.ToSlash(real) + ")",
		Hint:   "choose a place inside, or ask the user to add the directory (--add-dir, sandbox.allow_write)",
	}
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
// exceptions, in whatever spelling the file system takes for it; or whether it
// shows a process's environment or memory. Nearly always names tell, so walkers can
// ask it for every entry; abs must be absolute and clean.
func (f *FS) Hidden(abs string) bool {
	return f.hide.contains(abs) && !f.bare.contains(abs) || ofProcess(abs)
}

// ofProcess knows the files of /proc that hold what a process keeps to itself: the
// keys this program was started with are in its environment.
func ofProcess(abs string) bool {
	return strings.HasPrefix(abs, "/proc/") && (strings.HasSuffix(abs, "/environ") || strings.HasSuffix(abs, "/mem"))
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

// locate returns where name is, as named and with links resolved, unless it is
// hidden either way.
func (f *FS) locate(op, name string) (abs, real string, err error) {
	abs, err = f.join(f.unquote(name))
	if err != nil {
		return "", "", &PathError{Op: op, Path: name, Reason: err.Error(), Err: fs.ErrInvalid}
	}
	if f.Hidden(abs) {
		return "", "", hidden(op, name)
	}
	real, err = resolve(abs)
	if err != nil {
		return "", "", refuse(op, name, err)
	}
	if real = f.respell(real); real != abs && f.Hidden(real) {
		return "", "", hidden(op, name)
	}
	return abs, real, nil
}

func hidden(op, name string) error {
	return &PathError{
		Op: op, Path: name, Reason: ErrHidden.Error(), Err: ErrHidden,
		Hint: "no tool opens it; go on without it",
	}
}

// join makes name absolute without looking at the disk.
func (f *FS) join(name string) (string, error) {
	switch {
	case name == "":
		return "", errors.New("the path is empty")
	case strings.ContainsRune(name, 0):
		return "", errors.New("the path contains a NUL byte")
	case f.tilde(name):
		return "", errors.New("~ is not expanded; give an absolute path, or begin with ./ for a file of that name")
	case filepath.IsAbs(name):
		return filepath.Clean(name), checkVolume(name)
	}
	if runtime.GOOS == "windows" && (name[0] == '/' || name[0] == '\\') {
		return filepath.Clean(filepath.VolumeName(f.dir) + name), nil
	}
	return filepath.Join(f.dir, name), checkVolume(name)
}

// tilde reports whether name begins as a shell writes a home directory: ~ or ~name,
// unless something in the workspace is called that.
func (f *FS) tilde(name string) bool {
	if name[0] != '~' {
		return false
	}
	first := name
	if i := strings.IndexAny(name, `/\`); i >= 0 {
		first = name[:i]
	}
	if first == "~" {
		return true
	}
	if strings.ContainsFunc(first[1:], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' }) {
		return false
	}
	_, err := os.Lstat(filepath.Join(f.dir, first))
	return err != nil
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

// contains compares cleaned names; a root contains itself.
func contains(root, path string) bool {
	rest, ok := strings.CutPrefix(path, root)
	return ok && (rest == "" || rest[0] == filepath.Separator || os.IsPathSeparator(root[len(root)-1]))
}
