//go:build !windows

package durable

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// replace writes a temporary file beside target and renames it over target. The
// directory is opened once, so that nobody can move it away in between.
func replace(target string, data []byte, perm fs.FileMode, old fs.FileInfo) error {
	root, err := os.OpenRoot(filepath.Dir(target))
	if err != nil {
		return err
	}
	defer root.Close()
	f, err := renameio.NewPendingFile(filepath.Base(target),
		renameio.WithRoot(root), renameio.WithStaticPermissions(perm))
	if err != nil {
		return err
	}
	defer f.Cleanup() //nolint:errcheck // after a successful replace there is nothing to clean
	if err := keepOwner(f.File, perm, old); err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.CloseAtomicallyReplace(); err != nil {
		return err
	}
	return syncDir(root)
}

// keepOwner gives f the owner and group of the file it replaces. Only root may
// do that in general; for everybody else the file belongs to who wrote it.
func keepOwner(f *os.File, perm fs.FileMode, old fs.FileInfo) error {
	if old == nil {
		return nil
	}
	was, ok := old.Sys().(*syscall.Stat_t)
	if !ok || (int(was.Uid) == os.Geteuid() && int(was.Gid) == os.Getegid()) {
		return nil
	}
	if f.Chown(int(was.Uid), int(was.Gid)) != nil {
		return nil
	}
	return f.Chmod(perm)
}

// syncDir makes the rename itself survive a loss of power. File systems that
// cannot sync a directory lose nothing but that promise.
func syncDir(root *os.Root) error {
	d, err := root.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	_ = d.Sync()
	return nil
}
