//go:build bwrap

package sandbox_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// A container engine is out of reach although there is a network; who reads of it
// is told why.
func TestDenialOfADaemon(t *testing.T) {
	g := newDenialGround(t)
	g.listen(t)
	g.cmd.Env = append(g.cmd.Env, "DOCKER_HOST=unix://"+g.vars["SOCK"])
	got := g.run(t, opened(t, bwrapOnly()), `echo "Cannot connect to the Docker daemon at $DOCKER_HOST. Is the docker daemon running?"; exit 1`)
	if diff := cmp.Diff(got, networkOf(g.vars["SOCK"])); diff != "" {
		t.Error(diff)
	}
}

func TestBwrapFollowsTheDisk(t *testing.T) { followsTheDisk(t, opened(t, bwrapOnly())) }

func TestDenialsOfBwrap(t *testing.T) {
	sandboxtest.AsUsers(t, func(t *testing.T) { denialsAreTold(t, openBwrap) })
}

func TestPM23WorktreeUnderBwrap(t *testing.T) { worktreeIsSandboxed(t, opened(t, bwrapOnly())) }

func TestGoBuildUnderBwrap(t *testing.T) { programIsBuilt(t, opened(t, bwrapOnly())) }
