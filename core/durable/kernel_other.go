//go:build !linux

package durable

// KernelFile is false here: no file system of this system's kernel has files that
// look regular and are not.
func KernelFile(int) bool { return false }
