//go:build !linux

package walk

import (
	"io/fs"
	"os"
)

// listing reads directories through package os.
type listing struct{}

func (*listing) read(dir string, _ bool) ([]entry, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.ReadDir(-1)
	entries := make([]entry, 0, len(list))
	for _, d := range list {
		entries = append(entries, entry{name: d.Name(), kind: kindOf(d.Type())})
	}
	return entries, err
}

// ofKernel is false: this system has no such directories.
func ofKernel(string) bool { return false }

func kindOf(m fs.FileMode) kind {
	switch {
	case m.IsRegular():
		return kindFile
	case m.IsDir():
		return kindDir
	case m&fs.ModeSymlink != 0:
		return kindLink
	}
	return kindOther
}
