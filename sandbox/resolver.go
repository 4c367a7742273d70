package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A resolver finds paths without links. It looks at each directory once: most
// places have theirs in common, and it is asked at every call.
type resolver map[string]found

// found is where a path leads. info is nil when nothing is there.
type found struct {
	path string // without links as far as it is there
	info fs.FileInfo
	// links are the directories, without links themselves, that links on the way are in.
	links []string
}

// at takes a clean path.
func (r resolver) at(path string) found {
	if f, known := r[path]; known {
		return f
	}
	f := found{path: path}
	above := found{path: path}
	if parent := filepath.Dir(path); parent != path {
		above = r.at(parent)
		f.path, f.links = filepath.Join(above.path, filepath.Base(path)), above.links
	}
	if above.info != nil || above.path == path {
		f.info, _ = os.Lstat(f.path)
	}
	if f.info != nil && f.info.Mode()&fs.ModeSymlink != 0 {
		f = r.follow(path, f)
	}
	r[path] = f
	if f.path != path && f.info != nil {
		// Found by its own name it has passed no links.
		if _, known := r[f.path]; !known {
			r[f.path] = found{path: f.path, info: f.info}
		}
	}
	return f
}

// follow goes where the link f leads; one that leads nowhere, or in a circle, stays
// what it is.
func (r resolver) follow(path string, f found) found {
	nowhere := found{path: f.path, links: f.links}
	target, err := os.Readlink(f.path)
	if err != nil {
		return nowhere
	}
	r[path], r[f.path] = nowhere, nowhere // a circle ends here
	at := r.at(filepath.Dir(f.path))
	links := append(slices.Clone(f.links), filepath.Dir(f.path))
	if filepath.IsAbs(target) {
		at = r.at(filepath.VolumeName(target) + string(filepath.Separator))
	}
	for _, name := range strings.Split(target, string(filepath.Separator)) {
		switch name {
		case "", ".":
			continue
		case "..":
			at = r.at(filepath.Dir(at.path))
		default:
			at = r.at(filepath.Join(at.path, name))
		}
		if at.info == nil {
			return found{path: f.path, links: append(links, at.links...)}
		}
		links = append(links, at.links...)
	}
	delete(r, f.path)
	return found{path: at.path, info: at.info, links: links}
}

// resolve returns path without links as far as it is there, and whether it is.
func resolve(path string) (real string, there bool) {
	f := resolver{}.at(filepath.Clean(path))
	return f.path, f.info != nil
}
