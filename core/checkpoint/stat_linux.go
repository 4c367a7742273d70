package checkpoint

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

func statOf(info fs.FileInfo) stat {
	s := stat{size: info.Size(), mtime: info.ModTime().UnixNano()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		s.dev, s.inode, s.ctime = uint64(sys.Dev), sys.Ino, sys.Ctim.Nano()
	}
	return s
}

// bornAt is when what is at path was made, in nanoseconds; 0: not known.
func bornAt(path string, _ fs.FileInfo) int64 {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BTIME, &st)
	if err != nil || st.Mask&unix.STATX_BTIME == 0 {
		return 0
	}
	return st.Btime.Sec*1e9 + int64(st.Btime.Nsec)
}
