package doctor_test

import (
	"testing"

	"reasonix/sandbox/sandboxtest"
)

func TestMain(m *testing.M) { sandboxtest.Main(m) }

// TestPM20OffMeansOff: nothing is tried when the sandbox is switched off, and what
// stays confined is said.
func TestPM20OffMeansOff(t *testing.T) {
	p := newPatient(t, box("http://127.0.0.1:9/v1")+"[sandbox]\nbash = \"off\"\n")
	r, code := p.report()
	if code != 0 {
		t.Errorf("exit %d: a sandbox that is off is a warning", code)
	}
	r.want(t, "sandbox", "warn", `sandbox.bash = "off"`, "file tools stay in the workspace")
}
