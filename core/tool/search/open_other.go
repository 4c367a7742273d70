//go:build !unix

package search

import "os"

type file = *os.File

// openFile opens a regular file.
func openFile(name string) (file, error) { return os.Open(name) }
