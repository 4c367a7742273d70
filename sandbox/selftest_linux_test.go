package sandbox_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"reasonix/sandbox"
)

func TestSelfTest(t *testing.T) {
	for _, c := range []struct {
		name   string
		runner sandbox.Runner
		want   string
	}{
		{"works", opened(t, sandbox.Options{Ways: []string{sandbox.WayLandlock}}), ""},
		{"off", sandbox.NewOff(), "commands run unconfined"},
		{"not to be had", opened(t, sandbox.Options{Ways: []string{sandbox.WaySeatbelt}}), "no sandbox for commands"},
		{"claims too much", liar{sandbox.NewOff()}, "under landlock a command wrote outside"},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer c.runner.Close()
			dir := t.TempDir()
			err := sandbox.SelfTest(t.Context(), c.runner, dir, os.Environ())
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			if c.name == "off" && !errors.Is(err, sandbox.ErrUnconfined) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// liar claims what it does not hold.
type liar struct{ sandbox.Runner }

func (liar) Way() string                { return sandbox.WayLandlock }
func (liar) Holds() []sandbox.Guarantee { return []sandbox.Guarantee{sandbox.HoldsWrites} }
