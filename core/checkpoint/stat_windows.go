package checkpoint

import (
	"io/fs"
	"syscall"
)

func statOf(info fs.FileInfo) stat {
	return stat{size: info.Size(), mtime: info.ModTime().UnixNano()}
}

// bornAt is when what info is of was made, in nanoseconds; 0: not known.
func bornAt(_ string, info fs.FileInfo) int64 {
	if sys, ok := info.Sys().(*syscall.Win32FileAttributeData); ok {
		return sys.CreationTime.Nanoseconds()
	}
	return 0
}
