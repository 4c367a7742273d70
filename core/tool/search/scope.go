package search

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"
	"time"

	"reasonix/core/internal/walk"
	"reasonix/core/workspace"
)

// scope is where one search looks, how files there are named, and what it could
// not look at. It is safe for concurrent use.
type scope struct {
	shown string        // how the searched directory or file is shown
	limit time.Duration // of the search

	mu  sync.Mutex
	bad walk.Skipped
}

// name is how the file rel below the directory is shown; "" is the directory, or
// the file, itself.
func (s *scope) name(rel string) string {
	if s.shown == "." && rel != "" {
		return workspace.Quote(rel)
	}
	return workspace.Quote(path.Join(s.shown, rel))
}

// failed takes note of a file that could not be looked at. One that is gone by
// now is none.
func (s *scope) failed(rel string, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bad.Add(s.name(rel))
}

// addSkipped takes note of what the walk could not read.
func (s *scope) addSkipped(more walk.Skipped) {
	for _, p := range more.First {
		if path.IsAbs(p) {
			s.bad.Add(workspace.Quote(p))
		} else {
			s.bad.Add(s.name(p))
		}
	}
	s.bad.Count += more.Count - len(more.First)
}

// caveats are the last lines of a report: what was not searched and why. partial
// says that time ran out.
func (s *scope) caveats(partial bool) string {
	var b strings.Builder
	if partial {
		fmt.Fprintf(&b, "... (stopped after %v, not everything was searched: give a narrower path or glob)\n", s.limit)
	}
	if s.bad.Count > 0 {
		b.WriteString("... (not searched: " + strings.Join(s.bad.First, ", "))
		if more := s.bad.Count - len(s.bad.First); more > 0 {
			fmt.Fprintf(&b, " and %d more", more)
		}
		b.WriteString(")\n")
	}
	return b.String()
}
