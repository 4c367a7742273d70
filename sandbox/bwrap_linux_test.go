//go:build bwrap

package sandbox_test

import (
	"os"
	"testing"

	"reasonix/sandbox"
	"reasonix/sandbox/sandboxtest"
)

func bwrapOnly() sandbox.Options {
	return sandbox.Options{Ways: []string{sandbox.WayBwrap}, Path: os.Getenv("PATH")}
}

func openBwrap(*testing.T) sandbox.Runner { return sandbox.New(bwrapOnly()) }

func TestBwrapConforms(t *testing.T) {
	sandboxtest.AsUsers(t, func(t *testing.T) { sandboxtest.Conformance(t, openBwrap) })
}

func TestBwrapHolds(t *testing.T) {
	sandboxtest.AsUsers(t, func(t *testing.T) { sandboxtest.Escapes(t, openBwrap) })
}

func TestBwrapFollowsTheDisk(t *testing.T) { followsTheDisk(t, opened(t, bwrapOnly())) }

func TestDenialsOfBwrap(t *testing.T) {
	sandboxtest.AsUsers(t, func(t *testing.T) { denialsAreTold(t, openBwrap) })
}

func TestPM23WorktreeUnderBwrap(t *testing.T) { worktreeIsSandboxed(t, opened(t, bwrapOnly())) }

func TestGoBuildUnderBwrap(t *testing.T) { programIsBuilt(t, opened(t, bwrapOnly())) }
