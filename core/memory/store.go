package memory

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"reasonix/core/durable"
)

// Dirs are where facts live; an empty one means that there are no such facts. The
// archive of each is the directory .archive in it. Directories are made when a
// first fact is saved.
type Dirs struct{ Global, Project string }

// Options are a store's surroundings.
type Options struct {
	Now  func() time.Time // nil: time.Now
	Rand io.Reader        // ids of new facts; nil: the system's
	// Secrets are the values that no fact may contain; nil: none are known.
	Secrets func() []string
}

// Store is the facts of a user and a workspace. It holds no file open and is safe
// for concurrent use; each call sees what is on disk at that time.
type Store struct {
	o       Options
	mu      sync.Mutex
	folders []*folder
	index   *index
}

// Open returns the store of the facts in dirs. It touches no file.
func Open(dirs Dirs, o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	if o.Secrets == nil {
		o.Secrets = func() []string { return nil }
	}
	return &Store{o: o, folders: []*folder{{dir: dirs.Global, scope: ScopeGlobal}, {dir: dirs.Project, scope: ScopeProject}}}
}

// Filter selects facts; empty members select all.
type Filter struct {
	Scope Scope
	Type  Type
	// Archived selects forgotten facts instead: each as it was in use last.
	Archived bool
}

func (f Filter) takes(fact Fact) bool {
	return (f.Scope == "" || f.Scope == fact.Scope) && (f.Type == "" || f.Type == fact.Type)
}

// Found is the result of List: the facts last changed first, and what is odd about
// files, in the order of their paths.
type Found struct {
	Facts    []Fact
	Problems []Problem
}

// List returns the facts that f selects. A file that is no fact is a problem and
// not an error; the error says that a directory could not be read.
func (s *Store) List(f Filter) (Found, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := s.read()
	if err != nil {
		return Found{}, err
	}
	found := Found{Facts: now.facts, Problems: now.problems}
	if f.Archived {
		found.Facts, found.Problems = now.forgotten()
	}
	found.Facts = slices.DeleteFunc(slices.Clone(found.Facts), func(fact Fact) bool { return !f.takes(fact) })
	return found, nil
}

// Get returns the fact with this id. ErrForgotten when it is in the archive alone,
// ErrUnknown when there is none.
func (s *Store) Get(id string) (Fact, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := s.read()
	if err != nil {
		return Fact{}, err
	}
	return s.get(now, id)
}

func (s *Store) get(now snapshot, id string) (Fact, error) {
	if f, ok := now.find(id); ok {
		return f, nil
	}
	if slices.ContainsFunc(now.copies, func(a archived) bool { return a.id == id }) {
		return Fact{}, fmt.Errorf("fact %s: %w", id, ErrForgotten)
	}
	return Fact{}, fmt.Errorf("fact %q: %w", id, ErrUnknown)
}

// toChange is get for whoever changes the fact: an id in several files is nobody's.
func (s *Store) toChange(now snapshot, id string) (Fact, error) {
	if paths := now.shared[id]; id != "" && len(paths) > 0 {
		return Fact{}, &AmbiguousError{ID: id, Paths: slices.Sorted(slices.Values(paths))}
	}
	return s.get(now, id)
}

// snapshot is what was on disk at one time.
type snapshot struct {
	facts    []Fact
	shared   map[string][]string // paths of facts with the same id
	problems []Problem
	copies   []archived
}

func (n snapshot) find(id string) (Fact, bool) {
	i := slices.IndexFunc(n.facts, func(f Fact) bool { return f.ID == id })
	if i < 0 || id == "" {
		return Fact{}, false
	}
	return n.facts[i], true
}

// highest is the highest revision id ever had.
func (n snapshot) highest(id string) int {
	most := 0
	if f, ok := n.find(id); ok {
		most = f.Revision
	}
	for _, c := range n.copies {
		if c.id == id {
			most = max(most, c.revision)
		}
	}
	return most
}

// read looks at the directories. The caller holds s.mu.
func (s *Store) read() (snapshot, error) {
	var now snapshot
	for _, f := range s.folders {
		changed, err := f.read(s.o.Now())
		if err != nil {
			return snapshot{}, fmt.Errorf("read %s facts: %w", f.scope, err)
		}
		if changed {
			s.index = nil
		}
		copies, err := f.copies()
		if err != nil {
			return snapshot{}, fmt.Errorf("read archive of %s facts: %w", f.scope, err)
		}
		now.copies = append(now.copies, copies...)
		for _, k := range f.known {
			now.problems = append(now.problems, k.problems...)
			if !k.skipped() {
				now.facts = append(now.facts, k.fact)
			}
		}
	}
	now.noticeEdits()
	now.settleIDs()
	sort.Slice(now.facts, func(i, j int) bool { return newestFirst(now.facts[i], now.facts[j]) < 0 })
	sort.Slice(now.problems, func(i, j int) bool {
		a, b := now.problems[i], now.problems[j]
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Text, b.Text)) < 0
	})
	return now, nil
}

func newestFirst(a, b Fact) int {
	return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.Title, b.Title), cmp.Compare(a.ID, b.ID))
}

// noticeEdits finds the facts whose content is not the one their revision was saved
// with, and one of an old revision that is in no copy of it. Whatever number such a file
// has, it is newer than all copies.
func (n *snapshot) noticeEdits() {
	type revision struct {
		id string
		n  int
	}
	saved, highest := map[revision][]string{}, map[string]int{}
	for _, c := range n.copies {
		at := revision{c.id, c.revision}
		saved[at] = append(saved[at], c.digest)
		highest[c.id] = max(highest[c.id], c.revision)
	}
	for i := range n.facts {
		f := &n.facts[i]
		if f.Revision <= highest[f.ID] && !slices.Contains(saved[revision{f.ID, f.Revision}], digest(*f)) {
			f.Edited = true
			f.Revision = highest[f.ID] + 1
		}
	}
}

// settleIDs leaves one fact with each id: the highest revision, or the last
// changed. The others are named.
func (n *snapshot) settleIDs() {
	sort.Slice(n.facts, func(i, j int) bool {
		a, b := &n.facts[i], &n.facts[j]
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(b.Revision, a.Revision), b.Updated.Compare(a.Updated), cmp.Compare(a.Path, b.Path)) < 0
	})
	n.facts = slices.CompactFunc(n.facts, func(kept, other Fact) bool {
		if kept.ID != other.ID {
			return false
		}
		if n.shared == nil {
			n.shared = map[string][]string{}
		}
		if n.shared[kept.ID] == nil {
			n.shared[kept.ID] = []string{kept.Path}
		}
		n.shared[kept.ID] = append(n.shared[kept.ID], other.Path)
		n.problems = append(n.problems, Problem{Path: other.Path, Skipped: true, Text: fmt.Sprintf("%s has the same id %s: give it another, or remove its id line", kept.Path, kept.ID)})
		return true
	})
}

// lock makes this process the one that writes. The directory of scope is made.
func (s *Store) lock(scope Scope) (release func(), err error) {
	var held []func() error
	release = func() {
		for _, f := range held {
			_ = f() // closing a directory that was only locked
		}
	}
	for _, f := range s.folders {
		if f.dir == "" {
			continue
		}
		if f.scope == scope {
			if err := durable.MkdirAll(f.dir); err != nil {
				release()
				return nil, err
			}
		}
		free, err := durable.LockDir(f.dir)
		if err != nil && f.scope == scope {
			release()
			return nil, err
		}
		if err == nil {
			held = append(held, free)
		}
	}
	return release, nil
}

func (s *Store) folder(scope Scope) (*folder, error) {
	for _, f := range s.folders {
		if f.scope == scope && f.dir != "" {
			return f, nil
		}
	}
	return nil, fmt.Errorf("scope %q: %w", scope, ErrNoPlace)
}

// newID is 48 random bits.
func (s *Store) newID() (string, error) {
	var b [6]byte
	if _, err := io.ReadFull(s.o.Rand, b[:]); err != nil {
		return "", fmt.Errorf("make an id: %w", err)
	}
	return "mem-" + hex.EncodeToString(b[:]), nil
}

// holdsSecret reports whether a text holds a configured key.
func (s *Store) holdsSecret(texts ...string) bool {
	for _, secret := range s.o.Secrets() {
		if secret != "" && slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, secret) }) {
			return true
		}
	}
	return false
}
