package memory

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"time"

	"reasonix/core/internal/frontmatter"
)

// Forget takes a fact out of use and leaves it in the archive, with the time and
// the reason, which may be empty. revision is the one that was looked at; 0 is
// whatever is there. It returns the fact as it was. Errors are those of Save.
func (s *Store) Forget(id string, revision int, reason string) (Fact, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := s.forget(id, revision, oneLine(reason))
	if err != nil {
		return Fact{}, fmt.Errorf("forget fact: %w", err)
	}
	return f, nil
}

func (s *Store) forget(id string, revision int, reason string) (Fact, error) {
	if s.holdsSecret(reason) {
		return Fact{}, &SecretError{}
	}
	release, err := s.lock("")
	if err != nil {
		return Fact{}, err
	}
	defer release()
	now, err := s.read()
	if err != nil {
		return Fact{}, err
	}
	f, err := s.toChange(now, id)
	if err != nil {
		return Fact{}, err
	}
	if revision != 0 && revision != f.Revision {
		return Fact{}, &ConflictError{ID: id, Have: f.Revision, Want: revision}
	}
	doc, err := s.keepOld(f)
	if err != nil {
		return Fact{}, err
	}
	doc.Set(keyForgotten, s.o.Now().UTC().Format(time.RFC3339))
	setOrDelete(doc, keyReason, reason)
	at, err := s.folder(f.Scope)
	if err != nil {
		return Fact{}, err
	}
	if _, err := at.keep(f, f.Revision, doc.Render()); err != nil {
		return Fact{}, err
	}
	return f, remove(f.Path)
}

// Revisions returns every kept revision of a fact, forgotten or not, the highest
// first, without the one in use; ErrUnknown when there never was such a fact.
func (s *Store) Revisions(id string) ([]Fact, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := s.read()
	if err != nil {
		return nil, err
	}
	current, active := now.find(id)
	var list []Fact
	for _, c := range now.copies {
		if c.id != id || active && c.revision == current.Revision {
			continue
		}
		if f, _, problems := c.load(); !skipped(problems) {
			list = append(list, f)
		}
	}
	if len(list) == 0 && !active {
		return nil, fmt.Errorf("fact %q: %w", id, ErrUnknown)
	}
	sort.Slice(list, func(i, j int) bool { return lastFirst(list[i], list[j]) < 0 })
	return slices.CompactFunc(list, func(a, b Fact) bool { return a.Revision == b.Revision }), nil
}

// lastFirst puts the copy of a fact first that says most recently what it was: the
// highest revision, and of that the one that was forgotten.
func lastFirst(a, b Fact) int {
	return cmp.Or(cmp.Compare(b.Revision, a.Revision), b.Forgotten.Compare(a.Forgotten), b.Updated.Compare(a.Updated), cmp.Compare(a.Path, b.Path))
}

// load reads a copy. Its name tells its id and revision, whatever a person wrote
// into it.
func (a archived) load() (Fact, []byte, []Problem) {
	f, text, problems := load(a.path(), a.folder.scope)
	f.ID, f.Revision, f.Archived = a.id, a.revision, true
	return f, text, problems
}

func skipped(problems []Problem) bool {
	return slices.ContainsFunc(problems, func(p Problem) bool { return p.Skipped })
}

// forgotten lists the facts that are in the archive alone, each once.
func (n snapshot) forgotten() ([]Fact, []Problem) {
	var facts []Fact
	var problems []Problem
	done := map[string]bool{}
	for _, c := range n.copies {
		if _, active := n.find(c.id); active || done[c.id] {
			continue
		}
		done[c.id] = true
		f, _, bad := n.last(c.id, 0)
		problems = append(problems, bad...)
		if f.ID != "" {
			facts = append(facts, f)
		}
	}
	sort.Slice(facts, func(i, j int) bool { return newestFirst(facts[i], facts[j]) < 0 })
	return facts, problems
}

// last returns the readable copy of revision of a fact, with its text; when revision is
// 0, the one that was in use last. The fact is zero when there is none.
func (n snapshot) last(id string, revision int) (best Fact, text []byte, problems []Problem) {
	for _, c := range n.copies {
		if c.id != id || revision != 0 && c.revision != revision {
			continue
		}
		f, t, bad := c.load()
		if skipped(bad) {
			problems = append(problems, bad...)
			continue
		}
		if best.ID == "" || f.later(best) {
			best, text = f, t
		}
	}
	return best, text, problems
}

// later reports whether the copy f was in use later than other: the higher revision, but
// for one that was gone before other was forgotten.
func (f Fact) later(other Fact) bool {
	if f.Revision < other.Revision {
		return !other.later(f)
	}
	if f.Revision > other.Revision && other.Forgotten.After(f.Updated) && other.Forgotten.After(f.Forgotten) {
		return false
	}
	return lastFirst(f, other) < 0
}

// Restore takes a fact out of the archive: a forgotten one as it was last, or
// revision of any. It becomes a new, higher revision; what was in use stays in the
// archive. Errors are ErrUnknown, ErrActive (revision is 0 and the fact is in use),
// *SecretError, or of the file system.
func (s *Store) Restore(id string, revision int) (Change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.restore(id, revision)
	if err != nil {
		return Change{}, fmt.Errorf("restore fact: %w", err)
	}
	return c, nil
}

func (s *Store) restore(id string, revision int) (Change, error) {
	release, err := s.lock("")
	if err != nil {
		return Change{}, err
	}
	defer release()
	now, err := s.read()
	if err != nil {
		return Change{}, err
	}
	current, active := now.find(id)
	if active && revision == 0 {
		return Change{}, fmt.Errorf("fact %s: %w", id, ErrActive)
	}
	old, text, _ := now.last(id, revision)
	switch {
	case old.ID == "" && revision != 0:
		return Change{}, fmt.Errorf("fact %q, revision %d: %w", id, revision, ErrUnknown)
	case old.ID == "":
		return Change{}, fmt.Errorf("fact %q: %w", id, ErrUnknown)
	case s.holdsSecret(string(text)):
		return Change{}, &SecretError{}
	}
	next := s.fact(old.Draft(), old.Created, old.Updated)
	next.Revision = now.highest(id) + 1
	if active {
		next.Path, next.Scope = current.Path, current.Scope
		if next.Draft().same(current) {
			return Change{Before: current, After: current}, nil
		}
		c := Change{Before: current, After: next}
		return c, s.write(&c)
	}
	return s.bringBack(next, text)
}

// bringBack writes a fact that is in the archive alone.
func (s *Store) bringBack(next Fact, text []byte) (Change, error) {
	at, err := s.folder(next.Scope)
	if err != nil {
		return Change{}, err
	}
	doc, err := frontmatter.Parse(text)
	if err != nil {
		return Change{}, err
	}
	next.Path = at.newPath(next)
	return Change{After: next}, at.put(next, encode(doc, next))
}
