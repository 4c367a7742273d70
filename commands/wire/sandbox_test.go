package wire

import (
	"slices"
	"testing"

	"reasonix/core/config"
	"reasonix/core/tool"
	"reasonix/core/workspace"
	"reasonix/sandbox"
)

// held is a way of confinement that runs nothing.
type held struct {
	sandbox.Runner
	way   string
	holds []sandbox.Guarantee
}

func (h held) Way() string                { return h.way }
func (h held) Holds() []sandbox.Guarantee { return h.holds }

func TestWhatHoldsACommandIsSaidAsItIs(t *testing.T) {
	dir, temp, extra, opened := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	files, err := workspace.Open(workspace.Roots{Dir: dir, Write: []string{extra, temp}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	bare, err := workspace.Open(workspace.Roots{Dir: dir, Write: []string{temp}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	sockets := []sandbox.Guarantee{sandbox.HoldsSockets}
	caches := tool.Settings{Temp: temp, Network: true, Caches: []string{"/c"}}
	for _, c := range []struct {
		run  held
		fs   *workspace.FS
		set  tool.Settings
		want string
	}{
		{held{}, bare, caches, "refused: no sandbox can be had"},
		{held{way: "off"}, bare, caches, "not sandboxed"},
		{held{way: "bwrap"}, bare, tool.Settings{Temp: temp, Network: true}, "bwrap: writes in the workspace; network on, Unix sockets reachable"},
		{held{way: "bwrap"}, bare, caches, "bwrap: writes in the workspace and caches; network on, Unix sockets reachable"},
		{held{way: "bwrap", holds: sockets}, files, tool.Settings{Temp: temp}, "bwrap: writes in the workspace and 1 further directory; network off"},
		{held{way: "landlock"}, files, tool.Settings{Temp: temp}, "landlock: writes in the workspace and 1 further directory; network off, Unix sockets reachable"},
	} {
		if got := heldBy(tool.Env{Run: c.run, Files: c.fs, Settings: c.set})(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	say := heldBy(tool.Env{Run: held{way: "bwrap"}, Files: files, Settings: caches})
	if err := files.AddWritable(opened); err != nil {
		t.Fatal(err)
	}
	if got, want := say(), "bwrap: writes in the workspace, 2 further directories and caches; network on, Unix sockets reachable"; got != want {
		t.Errorf("after one was opened: %q, want %q", got, want)
	}
}

// Without the network a Unix socket is a way round it.
func TestWithoutNetworkSocketsAreNeeded(t *testing.T) {
	for _, network := range []bool{true, false} {
		cfg := &config.Config{}
		cfg.Sandbox.Network = network
		needs := World{}.Confinement(cfg).Needs
		for _, g := range []sandbox.Guarantee{sandbox.HoldsNetwork, sandbox.HoldsSockets} {
			if slices.Contains(needs, g) == network {
				t.Errorf("network %v needs %v", network, needs)
			}
		}
		if slices.Contains(needs, sandbox.HoldsProcesses) {
			t.Errorf("network %v needs %v", network, needs)
		}
	}
}
