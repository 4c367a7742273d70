//go:build !unix

package search

import "os"

// modified is when a file was changed last, in nanoseconds since 1970.
func modified(name string) (int64, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return 0, err
	}
	return info.ModTime().UnixNano(), nil
}
