package wire

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"reasonix/core/checkpoint"
	"reasonix/core/event"
	"reasonix/core/workspace"
)

// lease waits for the right to write a workspace.
func (h home) lease(dir string) func(context.Context, func(string)) (func() error, error) {
	file := filepath.Join(h.project(dir), "workspace.lock")
	return func(ctx context.Context, waiting func(string)) (func() error, error) {
		return workspace.Lease(ctx, file, waiting)
	}
}

// checkpoints keeps what files of a session were.
type checkpoints struct{ store *checkpoint.Store }

// watched opens the workspace such that what is written is kept in dir first.
func (w builder) watched(roots workspace.Roots, overlay workspace.Overlay, dir string) (*workspace.FS, checkpoints, error) {
	var store *checkpoint.Store
	roots.Before = func(abs string) { store.Before(abs) }
	files, err := workspace.Open(roots, overlay)
	if err != nil {
		return nil, checkpoints{}, err
	}
	store = checkpoint.New(checkpoint.Options{
		Dir: dir, Root: files.Dir(), Roots: files.Writable, Forbid: files.Hidden,
		Home: userHome(w.Environ), XDG: variable(w.Environ, "XDG_CONFIG_HOME"),
		Scratch: workspace.Real(home(w.Home).in("tmp")),
	})
	return files, checkpoints{store}, nil
}

// Begin implements engine.Checkpoints.
func (c checkpoints) Begin(ctx context.Context, scan bool) error { return c.store.Begin(ctx, scan) }

// End implements engine.Checkpoints.
func (c checkpoints) End(ctx context.Context) ([]event.File, error) {
	changes, err := c.store.End(ctx)
	return recorded(changes), err
}

// Between implements engine.Checkpoints.
func (c checkpoints) Between(ctx context.Context) ([]event.File, error) {
	changes, err := c.store.Between(ctx)
	return recorded(changes), err
}

// Recover implements engine.Checkpoints.
func (c checkpoints) Recover(ctx context.Context) ([]event.File, bool, error) {
	changes, known, err := c.store.Recover(ctx)
	return recorded(changes), known, err
}

// Forget implements engine.Checkpoints.
func (c checkpoints) Forget() error { return c.store.Forget() }

// Restore implements engine.Checkpoints.
func (c checkpoints) Restore(ctx context.Context, files []event.File) ([]event.File, []event.Kept) {
	targets := make([]checkpoint.Target, len(files))
	for i, f := range files {
		targets[i] = checkpoint.Target{
			Path: pathOf(f.Path), Lost: f.Lost,
			Want:   checkpoint.State{Mode: f.ModeWas, Hash: f.Before},
			Expect: checkpoint.State{Mode: f.Mode, Hash: f.After},
		}
	}
	done, kept := c.store.Restore(ctx, targets)
	var left []event.Kept
	for _, k := range kept {
		left = append(left, event.Kept{Path: textOf(k.Path), Reason: k.Reason})
	}
	return recorded(done), left
}

func recorded(changes []checkpoint.Change) []event.File {
	var files []event.File
	for _, c := range changes {
		files = append(files, event.File{
			Path: textOf(c.Path), Before: c.Before.Hash, After: c.After.Hash,
			ModeWas: c.Before.Mode, Mode: c.After.Mode, Seen: c.Seen, Lost: c.Lost,
		})
	}
	return files
}

// textOf is a path as it is recorded. One that is no text, which JSON could not hold, is
// quoted; no absolute path begins with a quote.
func textOf(path string) string {
	if path = filepath.ToSlash(path); utf8.ValidString(path) {
		return path
	}
	return strconv.Quote(path)
}

// pathOf is the path that textOf was given.
func pathOf(text string) string {
	if path, err := strconv.Unquote(text); err == nil && strings.HasPrefix(text, `"`) {
		text = path
	}
	return filepath.FromSlash(text)
}
