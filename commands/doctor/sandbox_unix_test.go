//go:build linux || darwin

package doctor_test

// What a machine that can run the tests says of its sandbox.
const (
	healthySandbox = "ok"
	healthyWords   = "tried: a command could write where it may, not beside it, and could not read what is hidden"
)
