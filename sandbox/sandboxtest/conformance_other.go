//go:build unix && !linux

package sandboxtest

import (
	"testing"

	"reasonix/sandbox"
)

// conformSystem has nothing to add where processes can leave their group.
func conformSystem(*testing.T, func(*testing.T) sandbox.Runner) {}

// systemCases are those of Linux.
var systemCases []testCase
