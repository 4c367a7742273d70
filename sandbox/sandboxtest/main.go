// Package sandboxtest is what tests around commands share: a TestMain for every
// package that runs commands, and the conformance suite that every
// sandbox.Runner passes.
package sandboxtest

import (
	"os"
	"testing"

	"reasonix/sandbox"
)

// Main is the TestMain of a package that runs commands: under go test the binary
// that a Runner re-executes is the test binary, which would run the tests again.
//
//	func TestMain(m *testing.M) { sandboxtest.Main(m) }
func Main(m *testing.M) {
	if sandbox.Helper(os.Args) || trial() {
		return
	}
	os.Exit(m.Run())
}
