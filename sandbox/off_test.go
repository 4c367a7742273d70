//go:build unix

package sandbox_test

import (
	"testing"

	"reasonix/sandbox"
	"reasonix/sandbox/sandboxtest"
)

func TestMain(m *testing.M) { sandboxtest.Main(m) }

func TestOffConforms(t *testing.T) {
	sandboxtest.Conformance(t, func(*testing.T) sandbox.Runner { return sandbox.NewOff() })
}
