//go:build !linux && !darwin

package durable

// bootID is not known here; the machine's name decides alone.
func bootID() string { return "" }

// processStart is not asked here: the lock of a process ends with it.
func processStart(int) string { return "" }
