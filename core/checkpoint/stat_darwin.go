package checkpoint

import (
	"io/fs"
	"syscall"
)

func statOf(info fs.FileInfo) stat {
	s := stat{size: info.Size(), mtime: info.ModTime().UnixNano()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		s.dev, s.inode, s.ctime = uint64(sys.Dev), sys.Ino, sys.Ctimespec.Nano()
	}
	return s
}

// bornAt is when what info is of was made, in nanoseconds; 0: not known.
func bornAt(_ string, info fs.FileInfo) int64 {
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		return sys.Birthtimespec.Nano()
	}
	return 0
}
