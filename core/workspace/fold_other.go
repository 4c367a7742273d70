//go:build !linux

package workspace

import "runtime"

// foldsByKind is what is usual on this system.
func foldsByKind(string) bool { return runtime.GOOS == "windows" || runtime.GOOS == "darwin" }
