package shell

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// state is what one call leaves to the next: a directory and an environment. It
// is one per session, shared by all tools of this package.
type state struct {
	mu      sync.Mutex
	dir     string
	env     []string // without what a shell sets itself
	initial []string
	refused bool // the user was told that commands are refused
}

// place is where and with what a call starts.
type place struct {
	dir   string
	env   []string
	notes []string // what the model must be told about it
}

func newState(dir string, env []string) *state {
	env = slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return own(name(kv)) })
	return &state{dir: dir, env: env, initial: env}
}

// now returns the present place. A directory that is gone is replaced by
// fallback, for later calls too.
func (s *state) now(fallback string) place {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := place{dir: s.dir, env: slices.Clone(s.env)}
	if !isDir(p.dir) {
		p.notes = []string{"the directory " + slashed(p.dir) + " is gone; this ran in " + slashed(fallback)}
		p.dir, s.dir = fallback, fallback
	}
	return p
}

// where is the directory the next call starts in, without a change.
func (s *state) where(fallback string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !isDir(s.dir) {
		return fallback
	}
	return s.dir
}

// firstRefusal reports whether it is the first that commands are refused for want of
// a sandbox.
func (s *state) firstRefusal() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := !s.refused
	s.refused = true
	return first
}

// update stores where a call ended.
func (s *state) update(p place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dir, s.env = p.dir, p.env
}

// forget returns to the variables of the session's start.
func (s *state) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.env = s.initial
}

// merge returns the environment after a call: what the shell exports, and those
// variables of before that a shell keeps but does not list, its names being
// identifiers.
func merge(before, exported []string) []string {
	var after []string
	for _, kv := range before {
		if !identifier(name(kv)) {
			after = append(after, kv)
		}
	}
	for _, kv := range exported {
		if n := name(kv); identifier(n) && !own(n) {
			after = append(after, kv)
		}
	}
	return after
}

// own tells whether a shell sets the variable itself in every process.
func own(name string) bool {
	switch name {
	case "_", "PWD", "SHLVL", scriptVar:
		return true
	}
	return false
}

func name(kv string) string {
	n, _, _ := strings.Cut(kv, "=")
	return n
}

func identifier(s string) bool {
	for i, r := range s {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// slashed is a path as people and the model see it.
func slashed(path string) string { return filepath.ToSlash(path) }
