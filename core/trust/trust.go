package trust

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"sync"
	"time"
)

// FileName is the name of the list in <home>.
const FileName = "grants.json"

// Part is one thing a repository asks for.
type Part struct {
	Name string // the key: permissions.allow, plugins.docs
	Kind string // what it is about: rule, server, hook
	Hash string // of the canonical form
	What string // in short words and without secrets; for whoever reads the list
}

// Grant is a part that counts, and since when.
type Grant struct {
	Part    string    `json:"part"`
	Kind    string    `json:"kind"`
	Hash    string    `json:"hash"`
	Granted time.Time `json:"granted"`
	What    string    `json:"what"`
}

// A Store is the list of one <home> as it was when it was opened, and as this
// Store changed it since. It is safe for concurrent use, and so are several
// Stores of one <home> in several processes.
type Store struct {
	home string

	mu      sync.Mutex
	grants  map[string][]Grant // by workspace
	problem error
}

// Open reads the list in home. A list that is not there is empty; one that cannot
// be read is empty too, and Problem says why. An empty home has no list.
func Open(home string) *Store {
	s := &Store{home: home}
	s.grants, s.problem = load(s.Path())
	return s
}

// Path is where the list is; empty without a home.
func (s *Store) Path() string {
	if s.home == "" {
		return ""
	}
	return filepath.Join(s.home, FileName)
}

// Problem says why the list could not be read, with its path; nil when it could.
func (s *Store) Problem() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.problem
}

// Granted reports whether p was granted in workspace just as it is now.
func (s *Store) Granted(workspace string, p Part) bool {
	dir, err := Workspace(workspace)
	if err != nil || p.Hash == "" {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.grants[dir], p.is)
}

func (p Part) is(g Grant) bool { return g.Part == p.Name && g.Hash == p.Hash }

// List is what is granted in workspace, by part and then by time.
func (s *Store) List(workspace string) []Grant {
	dir, err := Workspace(workspace)
	if err != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.grants[dir])
}

// Grant adds parts to the list of workspace; one that is there keeps its time.
func (s *Store) Grant(workspace string, now time.Time, parts ...Part) error {
	dir, err := Workspace(workspace)
	if err != nil {
		return fmt.Errorf("grant: %w", err)
	}
	err = s.change(func(all map[string][]Grant) bool {
		before := len(all[dir])
		for _, p := range parts {
			if p.Hash == "" || slices.ContainsFunc(all[dir], p.is) {
				continue
			}
			all[dir] = append(all[dir], Grant{
				Part: p.Name, Kind: p.Kind, Hash: p.Hash, Granted: now.UTC().Truncate(time.Second), What: short(p.What),
			})
		}
		sort.SliceStable(all[dir], func(i, j int) bool {
			a, b := all[dir][i], all[dir][j]
			return cmp.Or(cmp.Compare(a.Part, b.Part), a.Granted.Compare(b.Granted)) < 0
		})
		return len(all[dir]) > before
	})
	if err != nil {
		return fmt.Errorf("grant: %w", err)
	}
	return nil
}

// Revoke removes the grants of workspace that which picks, nil all of them, and
// returns them. Nothing to remove is no error.
func (s *Store) Revoke(workspace string, which func(Grant) bool) ([]Grant, error) {
	dir, err := Workspace(workspace)
	if err != nil {
		return nil, fmt.Errorf("revoke: %w", err)
	}
	var gone []Grant
	err = s.change(func(all map[string][]Grant) bool {
		var kept []Grant
		for _, g := range all[dir] {
			if which == nil || which(g) {
				gone = append(gone, g)
			} else {
				kept = append(kept, g)
			}
		}
		all[dir] = kept
		if len(kept) == 0 {
			delete(all, dir)
		}
		return len(gone) > 0
	})
	if err != nil {
		return nil, fmt.Errorf("revoke: %w", err)
	}
	return gone, nil
}

// Workspace is the name under which dir stands in the list: its real path, with
// forward slashes. A directory that is not there has none.
func Workspace(dir string) (string, error) {
	if dir == "" {
		return "", errors.New("no workspace")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", err
	}
	return filepath.ToSlash(dir), nil
}

// maxWhat is how much of a part's words the list keeps, in runes.
const maxWhat = 200

func short(text string) string {
	if runes := []rune(text); len(runes) > maxWhat {
		return string(runes[:maxWhat]) + "..."
	}
	return text
}
