package checkpoint

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"reasonix/core/internal/walk"
)

// margin is what a look passes by: it sees that it is there, and reads nothing. What a
// call removes there has no copy but one that the call may have made.
type margin struct {
	known bool
	// ignored is what ignore rules leave out, and not what is in it.
	ignored map[string]sight
	// far is what is below the other roots; nil: there are none, or it is too much.
	far map[string]sight
}

// leftOut collects what a walk leaves out.
type leftOut struct {
	most  int
	mu    sync.Mutex
	paths []string
}

func (l *leftOut) add(path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.paths) < l.most {
		l.paths = append(l.paths, path)
	}
}

func (s *Store) lookBeside(ctx context.Context, out *leftOut) margin {
	m := margin{known: len(out.paths) < out.most, ignored: make(map[string]sight, len(out.paths)), far: s.lookFar(ctx)}
	for _, path := range out.paths {
		if f, ok := glance(path, nil, time.Time{}); ok {
			m.ignored[path] = f.sight
		}
	}
	return m
}

// errFar ends a look that takes too long.
var errFar = errors.New("there is too much")

// lookFar looks through the roots outside Root.
func (s *Store) lookFar(ctx context.Context) map[string]sight {
	var far map[string]sight
	for _, root := range s.o.Roots() {
		if inDir(s.o.Root, root) || inDir(root, s.o.Root) || s.o.Scratch != "" && inDir(root, s.o.Scratch) {
			continue
		}
		if far == nil {
			far = map[string]sight{}
		}
		if !s.lookThrough(ctx, root, far) {
			return nil
		}
	}
	return far
}

// lookThrough adds what is below root and is not ignored; false: it cannot be told.
func (s *Store) lookThrough(ctx context.Context, root string, far map[string]sight) bool {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var mu sync.Mutex
	w := walk.New(walk.Options{Dir: root, Hidden: true, All: true, Home: s.o.Home, XDG: s.o.XDG, Forbid: s.o.Forbid})
	err := w.Run(ctx, func(_ int, f walk.File) {
		one, ok := glance(f.Abs(), nil, time.Time{})
		mu.Lock()
		defer mu.Unlock()
		if ok {
			far[one.path] = one.sight
		}
		if len(far) > s.o.MaxFiles {
			stop(errFar)
		}
	})
	return err == nil
}

// inDir reports whether path is dir or below it.
func inDir(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// missing adds what is no longer as it was, as missingOf does. It reports whether a whole
// directory is gone of which nobody knows what was in it.
func (m margin) missing(into map[node]bool) (all bool) {
	for path, was := range m.ignored {
		now, ok := glance(path, nil, time.Time{})
		switch {
		case ok && was.stat == now.stat:
		case was.state().kind() == kindDir:
			all = all || !ok
		default:
			was.missing(into)
		}
	}
	return all
}

func (s sight) missing(into map[node]bool) {
	if s.size > 0 {
		into[node{size: s.size}], into[s.node()] = true, true
	}
}

// holds reports whether a path was ignored, or is in a directory that was.
func (m margin) holds(path string) bool {
	for {
		if _, ok := m.ignored[path]; ok {
			return true
		}
		up := filepath.Dir(path)
		if up == path {
			return false
		}
		path = up
	}
}

// Why what a command did outside the directory that is looked through is left.
const (
	farChanged = "it is outside the workspace, where what commands change is not copied"
	farMade    = "it is outside the workspace, where nothing that commands make is removed"
)

// compareFar names what differs below the other roots, and adds to missing.
func (s *Store) compareFar(before map[string]sight, changes map[string]Change, missing map[node]bool) {
	after := s.margin.far
	if before == nil || after == nil {
		return
	}
	for path, was := range before {
		now, there := after[path]
		if !there {
			if _, err := os.Lstat(path); !absent(err) {
				continue // it is ignored since
			}
		}
		if now.stat != was.stat || now.mode != was.mode {
			was.missing(missing)
			changes[path] = Change{Path: path, Before: State{Mode: was.mode}, After: State{Mode: now.mode}, Lost: farChanged}
		}
	}
	for path, now := range after {
		if _, was := before[path]; !was {
			changes[path] = Change{Path: path, After: State{Mode: now.mode}, Lost: farMade}
		}
	}
}

// rulesChanged reports whether a call changed what is ignored, be it that the rules ignore
// themselves.
func (s *Store) rulesChanged(beside margin, changes map[string]Change) bool {
	for path := range changes {
		if filepath.Base(path) == rulesName {
			return true
		}
	}
	for path, now := range s.margin.ignored {
		if filepath.Base(path) == rulesName && beside.ignored[path].stat != now.stat {
			return true
		}
	}
	return false
}

const rulesName = ".gitignore"

// reveal adds to the second look what is ignored since the first one.
func (s *Store) reveal(before, after map[string]sight, beside margin) {
	n := 0
	for path := range s.margin.ignored {
		_ = filepath.WalkDir(path, func(at string, e fs.DirEntry, err error) error {
			if n++; n > s.o.MaxFiles {
				return fs.SkipAll
			}
			_, ignored := beside.ignored[at]
			if err != nil || ignored || filepath.Base(at) == ".git" || s.o.Forbid != nil && s.o.Forbid(at) {
				if e != nil && e.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			if _, was := before[at]; was {
				return nil
			}
			if f, ok := glance(at, nil, time.Now()); ok {
				state, _ := s.stateOf(at) // without a hash it is named when it is to be removed
				f.hash = state.Hash
				after[at] = f.sight
			}
			return nil
		})
	}
}
