//go:build race

package shell_test

// flood is smaller here: the race detector watches every byte.
const flood = 30 << 20
