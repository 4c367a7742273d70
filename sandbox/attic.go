//go:build linux || darwin

package sandbox

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// An attic keeps copies of what was put back: a person in an editor may have written
// it, not a command. Only files are kept, and what a command writes again and again
// costs no more than the bounds. It is used under the keeper's lock.
type attic struct {
	home  *os.Root // the directory around it; nil keeps nothing
	last  map[string][sha256.Size]byte
	saved int
}

const (
	maxAttic = 200     // files that stay
	maxSaved = 100     // files of one Runner
	maxCopy  = 1 << 20 // bytes of a file
	maxDepth = 4       // of a directory that is put back
	maxName  = 180     // bytes of a copy's name
)

// atticName is the attic's below the directory that is ours.
const atticName = "put-back"

// open holds the directory around the attic before a command could have changed what
// leads to it. Without it nothing is kept.
func (a *attic) open(home string) {
	if dir, err := os.OpenRoot(home); err == nil {
		a.home = dir
	}
}

func (a *attic) close() {
	if a.home != nil {
		_ = a.home.Close()
	}
	a.home = nil
}

// save copies what is at name in dir, which is at path, as far as it is files.
func (a *attic) save(dir *os.Root, name, path string, depth int) {
	if a == nil || a.home == nil || a.saved >= maxSaved {
		return
	}
	info, err := dir.Lstat(name)
	switch {
	case err != nil:
	case info.Mode().IsRegular() && info.Size() > 0 && info.Size() <= maxCopy:
		a.copy(dir, name, path)
	case info.IsDir() && depth < maxDepth:
		sub, err := dir.OpenRoot(name)
		if err != nil {
			return
		}
		defer sub.Close()
		names, _ := namesOf(sub)
		for _, inner := range names {
			a.save(sub, inner, filepath.Join(path, inner), depth+1)
		}
	}
}

func (a *attic) copy(dir *os.Root, name, path string) {
	f, _, err := openFile(dir, name)
	if err != nil {
		return
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxCopy))
	if err != nil {
		return
	}
	sum := sha256.Sum256(data)
	if a.last[path] == sum {
		return
	}
	if a.write(path, data) == nil {
		if a.last == nil {
			a.last = map[string][sha256.Size]byte{}
		}
		a.last[path] = sum
		a.saved++
	}
}

// write makes a file whose name is the time and the path.
func (a *attic) write(path string, data []byte) error {
	if err := a.home.Mkdir(atticName, 0o700); err != nil && !os.IsExist(err) {
		return err
	}
	dir, err := a.home.OpenRoot(atticName)
	if err != nil {
		return err
	}
	defer dir.Close()
	if names, err := namesOf(dir); err == nil && len(names) >= maxAttic {
		slices.Sort(names)
		for _, old := range names[:len(names)-maxAttic+1] {
			_ = dir.Remove(old)
		}
	}
	place := strings.NewReplacer("%", "%25", "/", "%2F").Replace(strings.TrimPrefix(path, "/"))
	place = place[max(0, len(place)-maxName):]
	name := fmt.Sprintf("%s-%03d-%s", time.Now().UTC().Format("20060102T150405"), a.saved, place)
	return dir.WriteFile(name, data, 0o600)
}
