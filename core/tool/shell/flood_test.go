//go:build !race

package shell_test

// flood is what a command writes in the test of bounded memory, in bytes.
const flood = 300 << 20
