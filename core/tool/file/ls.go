package file

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"reasonix/core/tool"
	"reasonix/core/workspace"
)

// maxEntries bounds one listing.
const maxEntries = 1000

// maxWalk bounds how many entries a recursive listing counts.
const maxWalk = 100_000

const listSchema = `{"properties":{"path":{"type":"string"},"recursive":{"type":"boolean"}},"type":"object"}`

// list shows a directory: everything in it, ignored files too, but not what is
// hidden. A recursive listing goes breadth first, follows no links and does not
// enter .git.
type list struct{ session }

func (list) Name() string { return "ls" }
func (list) Description() string {
	return "List a directory."
}
func (list) Schema() json.RawMessage { return json.RawMessage(listSchema) }
func (list) ReadOnly() bool          { return true }

func (t list) Bind(env tool.Env) (tool.Tool, error) {
	var err error
	t.session, err = bind(env)
	return t, err
}

func (t list) Subject(args json.RawMessage) tool.Subject { return t.subject(args, "read", "List") }

func (t list) Execute(ctx context.Context, args json.RawMessage) (string, error) {
	in := struct {
		Path      string
		Recursive bool
	}{}
	if err := t.start(ctx, args, listSchema, &in); err != nil {
		return "", err
	}
	if in.Path == "" {
		in.Path = "."
	}
	abs, err := t.files.ReadPath(in.Path)
	if err != nil {
		return "", t.missing(ctx, in.Path, err)
	}
	info, err := os.Stat(abs)
	if err != nil {
		return "", t.missing(ctx, in.Path, fmt.Errorf("list %s: %w", t.files.Show(abs), errors.Unwrap(err)))
	}
	if !info.IsDir() {
		return fmt.Sprintf("%s\t%d\n", t.files.Show(abs), info.Size()), nil
	}
	l := listing{files: t.files, room: t.cap}
	if err := l.walk(ctx, abs, in.Recursive); err != nil {
		return "", err
	}
	return l.result(t.files.Show(abs)), nil
}

// listing collects entries until there is no more room and counts the rest.
type listing struct {
	files   *workspace.FS
	room    int
	text    strings.Builder
	shown   int
	left    int
	skipped []string // directories that could not be read
	stopped bool
}

func (l *listing) walk(ctx context.Context, top string, recursive bool) error {
	queue := []string{top}
	for len(queue) > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if l.stopped = l.shown+l.left >= maxWalk; l.stopped {
			return nil
		}
		dir := queue[0]
		queue = queue[1:]
		entries, err := l.files.ReadDir(dir)
		if err != nil && dir == top {
			return err
		}
		if err != nil {
			l.skipped = append(l.skipped, l.files.Show(dir))
			continue
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			if l.files.Hidden(path) {
				continue
			}
			l.add(path, strings.TrimPrefix(strings.TrimPrefix(path, top), string(filepath.Separator)), e)
			if recursive && e.IsDir() && e.Name() != ".git" {
				queue = append(queue, path)
			}
		}
	}
	return nil
}

func (l *listing) add(path, name string, e fs.DirEntry) {
	if l.shown >= maxEntries || l.text.Len() >= l.room {
		l.left++
		return
	}
	l.shown++
	name = workspace.Quote(filepath.ToSlash(name))
	switch {
	case e.IsDir():
		l.text.WriteString(name + "/\n")
	case e.Type()&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		if err != nil {
			target = "?"
		}
		l.text.WriteString(name + " -> " + workspace.Quote(filepath.ToSlash(target)) + "\n")
	case !e.Type().IsRegular():
		l.text.WriteString(name + "\tspecial\n")
	default:
		size := int64(0)
		if info, err := e.Info(); err == nil {
			size = info.Size()
		}
		fmt.Fprintf(&l.text, "%s\t%d\n", name, size)
	}
}

func (l *listing) result(dir string) string {
	if l.shown == 0 {
		return "[" + dir + " is empty]"
	}
	var notes []string
	if l.left > 0 {
		more := fmt.Sprintf("%d more entries not shown", l.left)
		if l.stopped {
			more = "at least " + more
		}
		notes = append(notes, more+"; list a subdirectory")
	}
	if n := len(l.skipped); n > 0 {
		notes = append(notes, fmt.Sprintf("%d directories could not be read: %s", n, strings.Join(l.skipped[:min(n, 5)], ", ")))
	}
	if len(notes) > 0 {
		fmt.Fprintf(&l.text, "[%s]\n", strings.Join(notes, "; "))
	}
	return l.text.String()
}
