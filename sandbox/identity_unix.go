//go:build unix

package sandbox

import (
	"fmt"
	"os"
	"syscall"
)

// identity names the file that is at path at present.
func identity(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return "-"
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "?"
	}
	return fmt.Sprint(st.Dev, ":", st.Ino)
}
