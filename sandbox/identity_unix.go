//go:build unix

package sandbox

import (
	"io/fs"
	"strconv"
	"syscall"
)

// identity tells the file of info from others; nil is none.
func identity(info fs.FileInfo) string {
	if info == nil {
		return ""
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "?"
	}
	return strconv.FormatUint(uint64(st.Dev), 36) + ":" + strconv.FormatUint(st.Ino, 36)
}
