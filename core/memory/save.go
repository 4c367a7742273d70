package memory

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"reasonix/core/durable"
	"reasonix/core/internal/frontmatter"
)

// Change is what a Save does, or would do.
type Change struct {
	Before Fact // zero for a new fact
	After  Fact // without an ID when a new one is only tried
}

// New reports whether the fact was not there before.
func (c Change) New() bool { return c.Before.ID == "" }

// Changed reports whether there is anything to do.
func (c Change) Changed() bool { return c.New() || c.Before.Revision != c.After.Revision }

// Save makes a fact, or gives one the content of d. An update keeps the old
// revision in the archive, and a person's edit that it replaces as well. Saving
// what is there already changes nothing.
//
// Errors are *InvalidError, *SecretError, *ConflictError, *DuplicateError (a new
// fact with the title of another), ErrUnknown, ErrForgotten, ErrNoPlace, or of the
// file system; the fact is then as it was.
func (s *Store) Save(d Draft) (Change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.save(d)
	if err != nil {
		return Change{}, fmt.Errorf("save fact: %w", err)
	}
	return c, nil
}

// Try says what Save would do and does not do it.
func (s *Store) Try(d Draft) (Change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := s.read()
	if err != nil {
		return Change{}, err
	}
	return s.plan(now, d)
}

func (s *Store) save(d Draft) (Change, error) {
	// What is wrong with d is said before anything is made for it.
	if d = s.complete(d); d.ID == "" {
		if err := s.acceptable(d); err != nil {
			return Change{}, err
		}
	}
	if _, err := s.folder(d.Scope); err != nil {
		return Change{}, err
	}
	release, err := s.lock(d.Scope)
	if err != nil {
		return Change{}, err
	}
	defer release()
	now, err := s.read()
	if err != nil {
		return Change{}, err
	}
	c, err := s.plan(now, d)
	if err != nil || !c.Changed() {
		return c, err
	}
	if c.New() {
		if c.After.ID, err = s.newID(); err != nil {
			return Change{}, err
		}
	}
	return c, s.write(&c)
}

// complete fills in what d leaves open.
func (s *Store) complete(d Draft) Draft {
	d = d.tidy()
	if d.Scope == "" {
		d.Scope = ScopeProject
		if _, err := s.folder(ScopeProject); err != nil {
			d.Scope = ScopeGlobal
		}
	}
	if d.Type == "" {
		d.Type = defaultType(d.Scope)
	}
	return d
}

// acceptable refuses what is not kept, whatever is there.
func (s *Store) acceptable(d Draft) error {
	if err := d.check(); err != nil {
		return err
	}
	if s.holdsSecret(append([]string{d.Title, d.Description, d.Body}, d.Keywords...)...) {
		return &SecretError{}
	}
	_, err := s.folder(d.Scope)
	return err
}

// plan decides what becomes of d among the facts that are there now.
func (s *Store) plan(now snapshot, d Draft) (Change, error) {
	d = s.complete(d)
	if err := s.acceptable(d); err != nil {
		return Change{}, err
	}
	if d.ID == "" {
		return s.planNew(now, d)
	}
	old, err := s.toChange(now, d.ID)
	if err != nil {
		return Change{}, err
	}
	if d.Revision != 0 && d.Revision != old.Revision {
		return Change{}, &ConflictError{ID: d.ID, Have: old.Revision, Want: d.Revision}
	}
	if d.same(old) {
		return Change{Before: old, After: old}, nil
	}
	next := s.fact(d, old.Created, old.Updated)
	next.Revision = now.highest(d.ID) + 1
	next.Path = old.Path
	return Change{Before: old, After: next}, nil
}

func (s *Store) planNew(now snapshot, d Draft) (Change, error) {
	i := slices.IndexFunc(now.facts, func(f Fact) bool { return f.Scope == d.Scope && strings.EqualFold(f.Title, d.Title) })
	if i < 0 {
		next := s.fact(d, time.Time{}, time.Time{})
		next.Revision = 1
		return Change{After: next}, nil
	}
	if there := now.facts[i]; d.same(there) {
		return Change{Before: there, After: there}, nil
	}
	return Change{}, &DuplicateError{ID: now.facts[i].ID, Title: now.facts[i].Title}
}

// fact is d as it is kept. Times are whole seconds and never go back.
func (s *Store) fact(d Draft, created, updated time.Time) Fact {
	now := s.o.Now().UTC().Truncate(time.Second)
	created, updated = created.Truncate(time.Second), updated.Truncate(time.Second)
	if created.IsZero() {
		created = now
	}
	if now.Before(updated) {
		now = updated
	}
	return Fact{
		ID: d.ID, Type: d.Type, Scope: d.Scope, Title: d.Title, Description: d.Description,
		Keywords: d.Keywords, Body: d.Body, Created: created, Updated: now,
	}
}

// write puts the change on disk: copies first, so that at no moment a content is
// in no file, and the fact last.
func (s *Store) write(c *Change) error {
	to, err := s.folder(c.After.Scope)
	if err != nil {
		return err
	}
	doc := &frontmatter.Doc{}
	moved := false
	if !c.New() {
		if doc, err = s.keepOld(c.Before); err != nil {
			return err
		}
		moved = c.Before.Scope != c.After.Scope
	}
	if c.New() || moved {
		c.After.Path = to.newPath(c.After)
	}
	if err := to.put(c.After, encode(doc, c.After)); err != nil {
		return err
	}
	if moved {
		return remove(c.Before.Path)
	}
	return nil
}

// keepOld makes sure that the archive has f as its file is now, and returns that
// text for rewriting.
func (s *Store) keepOld(f Fact) (*frontmatter.Doc, error) {
	at, err := s.folder(f.Scope)
	if err != nil {
		return nil, err
	}
	text, err := durable.ReadFile(f.Path, MaxFile)
	if err != nil {
		return nil, err
	}
	doc, err := frontmatter.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s changed just now: %w", f.Path, err)
	}
	_, err = at.keep(f, f.Revision, text)
	return doc, err
}

// remove takes the name of a file away for good.
func remove(path string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return durable.SyncDir(filepath.Dir(path))
}
