package checkpoint

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// doors are the directories that Restore works in, by path, and the modes they get when
// it is done: while it works they may be written.
type doors map[string]door

type door struct {
	root, rel string
	state     State
}

// usable is what the owner of a directory needs to change what is in it.
const usable fs.FileMode = 0o700

// open makes rel below root and what is above it usable. Links are not followed, and
// what is missing is left.
func (d doors) open(dir *os.Root, root, rel string) error {
	if rel == "." {
		return nil
	}
	if err := d.open(dir, root, filepath.Dir(rel)); err != nil {
		return err
	}
	info, err := dir.Lstat(rel)
	if absent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.IsDir() || info.Mode().Perm()&usable == usable {
		return nil
	}
	path := filepath.Join(root, rel)
	if _, again := d[path]; !again {
		mode, _ := modeOf(info.Mode())
		d[path] = door{root, rel, State{Mode: mode}}
	}
	return dir.Chmod(rel, info.Mode()|usable)
}

// state is what is at path but for what open did.
func (d doors) state(path string, now State) State {
	if at, ok := d[path]; ok && now.kind() == kindDir {
		return at.state
	}
	return now
}

// set notes what was put at a path.
func (d doors) set(root, rel string, want State) {
	path := filepath.Join(root, rel)
	if want.kind() == kindDir {
		d[path] = door{root, rel, want}
	} else {
		delete(d, path)
	}
}

// close sets the modes, of the deepest first, and says where that failed.
func (d doors) close() []Kept {
	var paths []string
	for path := range d {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	var kept []Kept
	for _, path := range slices.Backward(paths) {
		if err := d[path].close(); err != nil {
			kept = append(kept, Kept{path, "its mode: " + err.Error()})
		}
	}
	return kept
}

func (at door) close() error {
	dir, err := os.OpenRoot(at.root)
	if err != nil {
		return err
	}
	defer dir.Close()
	info, err := dir.Lstat(at.rel)
	if err != nil {
		return ignoreMissing(err)
	}
	if !info.IsDir() {
		return errors.New("it is no directory any more")
	}
	return dir.Chmod(at.rel, at.state.perm())
}
