//go:build !linux && !darwin && !windows

package checkpoint

import "io/fs"

func statOf(info fs.FileInfo) stat {
	return stat{size: info.Size(), mtime: info.ModTime().UnixNano()}
}

// bornAt is when what info is of was made, in nanoseconds; 0: not known.
func bornAt(string, fs.FileInfo) int64 { return 0 }
