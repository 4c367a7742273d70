package instruction

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"reasonix/core/durable"
)

// reader reads one instruction file and what it imports.
type reader struct {
	l     *loader
	root  *os.Root // confines what is opened
	top   string   // root's directory
	scope Scope
	open  []string // the files being read, outermost first
	size  int
}

// read returns the text of path. It reports whether the file is there at all.
func (r *reader) read(path string, depth int) (string, bool) {
	data, err := r.load(path, depth)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", false
	case err != nil:
		r.l.note("unreadable", path, fmt.Sprintf("%s is not read: %v", filepath.ToSlash(path), err))
		return "", true
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data) {
		r.l.note("not_text", path, filepath.ToSlash(path)+" is not read: it is not UTF-8 text")
		return "", true
	}
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	if r.size += len(text); r.size > MaxFile {
		r.l.note("too_large", path, fmt.Sprintf("%s is cut: instructions are read up to %d KB", filepath.ToSlash(path), MaxFile>>10))
		text = cutLines(text, max(0, MaxFile-(r.size-len(text))))
	}
	r.open = append(r.open, path)
	defer func() { r.open = r.open[:len(r.open)-1] }()
	return r.resolve(text, filepath.Dir(path), depth), true
}

// load reads at most one byte more than the limit.
func (r *reader) load(path string, depth int) ([]byte, error) {
	f, err := r.openFile(path, depth)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxFile+1))
}

func (r *reader) openFile(path string, depth int) (*os.File, error) {
	if r.scope == User && depth == 0 {
		return durable.Open(path)
	}
	rel, err := filepath.Rel(r.top, path)
	if err != nil {
		return nil, err
	}
	return durable.OpenIn(r.root, rel)
}

// resolve replaces the lines that are nothing but "@file". Code fences are left
// alone.
func (r *reader) resolve(text, dir string, depth int) string {
	if !strings.Contains(text, "@") {
		return text
	}
	lines := strings.Split(text, "\n")
	fence := ""
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		if mark := fenceMark(trimmed); mark != "" && (fence == "" || strings.HasPrefix(mark, fence) && trimmed == mark) {
			if fence == "" {
				fence = mark
			} else {
				fence = ""
			}
			continue
		}
		if name, ok := strings.CutPrefix(trimmed, "@"); ok && fence == "" && isPath(name) {
			lines[i] = r.imported(line, name, dir, depth)
		}
	}
	return strings.Join(lines, "\n")
}

// fenceMark returns the run of backquotes or tildes that opens or closes a fence.
func fenceMark(line string) string {
	for _, c := range []string{"`", "~"} {
		if rest := strings.TrimLeft(line, c); len(line)-len(rest) >= 3 {
			return line[:len(line)-len(rest)]
		}
	}
	return ""
}

// isPath keeps an @mention of a person from being taken for a file.
func isPath(name string) bool {
	return name != "" && !strings.ContainsAny(name, " \t@") && strings.ContainsAny(name, "./")
}

// imported returns the text of an imported file, or the line as it was.
func (r *reader) imported(line, name, dir string, depth int) string {
	path := filepath.Join(dir, filepath.FromSlash(name))
	switch {
	case strings.HasPrefix(name, "~") || filepath.IsAbs(name) || strings.HasPrefix(name, "/") || !inside(r.top, path):
		r.l.note("import_outside", path, fmt.Sprintf("the import %q is not followed: it leaves %s", name, filepath.ToSlash(r.top)))
		return line
	case slices.Contains(r.open, path):
		r.l.note("import_cycle", path, fmt.Sprintf("the import %q is not followed: it imports itself", name))
		return line
	case depth == MaxDepth:
		r.l.note("import_depth", path, fmt.Sprintf("the import %q is not followed: more than %d levels", name, MaxDepth))
		return line
	}
	text, ok := r.read(path, depth+1)
	if !ok {
		r.l.note("import_missing", path, fmt.Sprintf("the import %q is not followed: there is no such file", name))
		return line
	}
	return strings.TrimSpace(text)
}

func inside(top, path string) bool {
	rel, err := filepath.Rel(top, path)
	return err == nil && filepath.IsLocal(rel)
}

// cutLines returns at most n bytes of text, whole lines only.
func cutLines(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return text[:strings.LastIndexByte(text[:n], '\n')+1]
}
