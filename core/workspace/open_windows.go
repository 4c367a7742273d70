package workspace

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"reasonix/core/durable"
)

// open opens a regular file; below a writable root no link leads out of it. It
// looks before it opens, because opening a device may already do something, and
// again at what it opened.
func (f *FS) open(abs string) (io.ReadSeekCloser, fs.FileInfo, error) {
	info, err := os.Stat(abs)
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		return nil, nil, err
	}
	if root, ok := f.rootOf(abs); ok {
		return openIn(root, abs)
	}
	file, err := durable.OpenNoWait(abs)
	if err != nil {
		return nil, nil, err
	}
	if info, err = file.Stat(); err != nil {
		_ = file.Close() // nothing was written
		return nil, nil, err
	}
	return file, info, nil
}

func openIn(root, abs string) (io.ReadSeekCloser, fs.FileInfo, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, nil, err
	}
	defer dir.Close()
	name, err := filepath.Rel(root, abs)
	if err != nil {
		return nil, nil, err
	}
	file, err := durable.OpenIn(dir, name)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close() // nothing was written
		return nil, nil, err
	}
	return file, info, nil
}

// ReadDir lists the directory at abs, a result of ReadPath or below one, by name.
func (f *FS) ReadDir(abs string) ([]fs.DirEntry, error) {
	if f.Hidden(abs) {
		return nil, hidden("list", f.Rel(abs))
	}
	entries, err := os.ReadDir(abs)
	if err != nil {
		return nil, refuse("list", f.Rel(abs), err)
	}
	return entries, nil
}
