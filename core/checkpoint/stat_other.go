//go:build !linux && !darwin

package checkpoint

import "io/fs"

func statOf(info fs.FileInfo) stat {
	return stat{size: info.Size(), mtime: info.ModTime().UnixNano()}
}
