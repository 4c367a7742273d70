package mention

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"reasonix/core/internal/walk"
	"reasonix/core/workspace"
)

// noise are directories that are full of what nobody means. They are named in a
// listing and not entered.
var noise = []string{
	"node_modules", "bower_components", "jspm_packages", "vendor", ".venv", "venv", "__pycache__",
	".tox", ".nox", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".gradle", ".terraform", ".hg", ".svn",
}

// directory adds a listing.
func (x *expansion) directory(ctx context.Context, r ref) error {
	abs, err := x.o.Files.ReadPath(r.path)
	if err != nil {
		return err
	}
	if _, err := x.o.Files.ReadDir(abs); err != nil {
		return err
	}
	names, more, unread, err := x.o.list(ctx, abs)
	if err != nil {
		return err
	}
	if r.span.some {
		x.notice("%s is a directory, which has no lines: it is listed", r.name())
	}
	var text strings.Builder
	text.WriteString("[" + describe(len(names), more, unread) + "]\n")
	for _, name := range names {
		text.WriteString(workspace.Quote(name) + "\n")
	}
	b := block("dir", text.String(), attr{"path", r.shown})
	if err := x.take(len(b)); err != nil {
		return err
	}
	x.add(KindDir, r, b)
	return nil
}

func describe(n int, more bool, unread walk.Skipped) string {
	said := "empty, but for what is ignored"
	switch {
	case more:
		said = fmt.Sprintf("the first %d entries; list a directory in it for more", n)
	case n == 1:
		said = "1 entry"
	case n > 1:
		said = fmt.Sprintf("%d entries", n)
	}
	if unread.Count > 0 {
		said += fmt.Sprintf("; could not be read: %d, such as %s", unread.Count, workspace.Quote(unread.First[0]))
	}
	return said
}

// list is what is below the directory abs, depth first and by name, no more than
// MaxEntries. Directories end with a slash.
func (o Options) list(ctx context.Context, abs string) (names []string, more bool, unread walk.Skipped, err error) {
	top := strings.TrimSuffix(filepath.ToSlash(abs), "/") + "/"
	w := walk.New(walk.Options{
		Dir: abs, Top: o.top(abs), Hidden: true, All: true, Home: o.Home, XDG: o.XDG, Workers: 2,
		Forbid: func(entry string) bool {
			rel, below := strings.CutPrefix(filepath.ToSlash(entry), top) // rules are read elsewhere, too
			return o.Files.Hidden(entry) || below && (belowNoise(rel) || strings.Count(rel, "/") >= MaxDepth)
		},
	})
	var mu sync.Mutex
	err = w.Run(ctx, func(_ int, f walk.File) {
		rel := f.Rel()
		if info, err := os.Lstat(f.Abs()); err == nil && info.IsDir() {
			rel += "/"
		}
		mu.Lock()
		defer mu.Unlock()
		names = append(names, rel)
		if len(names) >= 2*(MaxEntries+1) {
			slices.Sort(names)
			names = names[:MaxEntries+1]
			w.Limit(names[MaxEntries])
		}
	})
	if err != nil {
		return nil, false, walk.Skipped{}, err
	}
	slices.Sort(names)
	if more = len(names) > MaxEntries; more {
		names = names[:MaxEntries]
	}
	return names, more, w.Skipped(), nil
}

// top is where ignore rules begin to count outside of a repository.
func (o Options) top(abs string) string {
	dir := o.Files.Dir()
	if rel, err := filepath.Rel(dir, abs); err == nil && filepath.IsLocal(rel) {
		return dir
	}
	return abs
}

// belowNoise reports whether rel is in a directory of noise.
func belowNoise(rel string) bool {
	return slices.Contains(noise, path.Base(path.Dir(rel)))
}
