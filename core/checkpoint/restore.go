package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// Target is a path that is to be put back.
type Target struct {
	Path   string
	Want   State
	Expect State // what it is now as far as was recorded
	Lost   string
}

// Kept is a path that was left as it is, and why.
type Kept struct{ Path, Reason string }

// ReasonOutside is why a path is left that somebody else changed.
const ReasonOutside = "it was changed by somebody else since"

// Restore puts paths back and says what that changed, in the order of the paths. What
// is not as expected is somebody's and left alone. What is replaced is kept first, so
// that the changes can be taken back in turn. It must not run between Begin and End.
func (s *Store) Restore(ctx context.Context, targets []Target) ([]Change, []Kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.restored = true
	var done []Change
	var kept []Kept
	d := doors{}
	for _, t := range ordered(targets) {
		if ctx.Err() != nil {
			kept = append(kept, Kept{t.Path, context.Cause(ctx).Error()})
			continue
		}
		was, err := s.replace(t, d)
		switch {
		case err != nil:
			kept = append(kept, Kept{t.Path, err.Error()})
		case was != t.Want:
			done = append(done, Change{Path: t.Path, Before: was, After: t.Want})
		}
	}
	for _, k := range d.close() {
		done = slices.DeleteFunc(done, func(c Change) bool { return c.Path == k.Path })
		kept = append(kept, k)
	}
	sort.Slice(done, func(i, j int) bool { return done[i].Path < done[j].Path })
	sort.Slice(kept, func(i, j int) bool { return kept[i].Path < kept[j].Path })
	return done, kept
}

// ordered puts what goes first, the deepest first, then directories, the highest first,
// then the rest.
func ordered(targets []Target) []Target {
	rank := func(t Target) int {
		switch {
		case t.Want.Mode == "":
			return 0
		case t.Want.kind() == kindDir:
			return 1
		}
		return 2
	}
	targets = slices.Clone(targets)
	sort.Slice(targets, func(i, j int) bool {
		a, b := targets[i], targets[j]
		order := strings.Compare(a.Path, b.Path)
		if rank(a) == 0 {
			order = -order
		}
		return cmp.Or(cmp.Compare(rank(a), rank(b)), order) < 0
	})
	return targets
}

// replace puts one path back and returns what was there.
func (s *Store) replace(t Target, d doors) (State, error) {
	root, rel, ok := s.rootOf(t.Path)
	if !ok || rel == "." {
		return State{}, errors.New("it is in no directory that may be written")
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return State{}, err
	}
	defer dir.Close()
	if err := d.open(dir, root, filepath.Dir(rel)); err != nil {
		return State{}, err
	}
	_ = dir.Remove(tempOf(rel)) // of a process that was killed here
	now, err := s.stateOf(t.Path)
	now = d.state(t.Path, now)
	switch {
	case err != nil && now.Hash == "":
		return now, err
	case now == t.Want:
		return now, nil
	case t.Lost != "" && t.Want.Mode == "":
		return now, errors.New(t.Lost)
	case t.Lost != "":
		return now, errors.New("what it was is not kept: " + t.Lost)
	case err != nil && (!t.Expect.known() || now == t.Expect):
		return now, errors.New("what it is now cannot be kept: " + err.Error())
	case !t.Expect.known():
		return now, errors.New("what the call made of it was not read")
	case now != t.Expect:
		return now, errors.New(ReasonOutside)
	}
	if _, err := s.keepAt(t.Path); err != nil {
		return now, errors.New("what it is now cannot be kept: " + err.Error())
	}
	if err := s.put(dir, rel, now, t.Want); err != nil {
		return now, err
	}
	d.set(root, rel, t.Want)
	return now, nil
}

// put does it; the mode of a directory is set when all is done.
func (s *Store) put(dir *os.Root, rel string, now, want State) error {
	if want.Mode == "" {
		return dir.Remove(rel) // a directory only when nothing is in it
	}
	if now.kind() == want.kind() && now.Hash == want.Hash {
		if want.kind() == kindDir {
			return nil
		}
		return dir.Chmod(rel, want.perm())
	}
	if now.Mode != "" && (now.kind() == kindDir || want.kind() == kindDir) {
		if err := dir.Remove(rel); err != nil {
			return err
		}
	}
	if want.kind() == kindDir {
		return dir.MkdirAll(rel, 0o777)
	}
	data, err := s.load(want.Hash)
	if err != nil {
		return err
	}
	if err := dir.MkdirAll(filepath.Dir(rel), 0o777); err != nil {
		return err
	}
	temp := tempOf(rel)
	if want.kind() == kindLink {
		err = dir.Symlink(string(data), temp)
	} else {
		err = writeNew(dir, temp, data, want)
	}
	if err == nil {
		err = dir.Rename(temp, rel)
	}
	if err != nil {
		return errors.Join(err, ignoreMissing(dir.Remove(temp)))
	}
	return nil
}

// tempOf is where the content of rel is written before it gets its name. It is always the
// same, so that what a killed process left is found.
func tempOf(rel string) string {
	return filepath.Join(filepath.Dir(rel), ".reasonix-"+hashOf([]byte(rel))[:12]+".tmp")
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

func writeNew(dir *os.Root, name string, data []byte, want State) error {
	f, err := dir.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return dir.Chmod(name, want.perm())
}

// rootOf finds the root that path is in.
func (s *Store) rootOf(path string) (root, rel string, ok bool) {
	for _, root := range s.o.Roots() {
		rel, err := filepath.Rel(root, path)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return root, rel, true
		}
	}
	return "", "", false
}
