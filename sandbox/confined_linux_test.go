package sandbox_test

import (
	"testing"

	"reasonix/sandbox"
	"reasonix/sandbox/sandboxtest"
)

func openLandlock(*testing.T) sandbox.Runner {
	return sandbox.New(sandbox.Options{Ways: []string{sandbox.WayLandlock}})
}

func TestLandlockConforms(t *testing.T) {
	sandboxtest.AsUsers(t, func(t *testing.T) { sandboxtest.Conformance(t, openLandlock) })
}

func TestLandlockHolds(t *testing.T) {
	sandboxtest.AsUsers(t, func(t *testing.T) { sandboxtest.Escapes(t, openLandlock) })
}

func TestAttemptsSucceedUnconfined(t *testing.T) { sandboxtest.Unconfined(t) }
