package commands_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
)

// A signal ends the hook that `hook test` runs, with its children, and leaves nothing.
func TestASignalEndsAHookOnTrial(t *testing.T) {
	v := newVictim(t, providertest.New(t))
	config := filepath.Join(v.home, "config.toml")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	v.write(config, string(text)+"\n[[hooks]]\nname = \"slow\"\nevent = \"Stop\"\ncommand = \"touch started; sleep 5437 & sleep 5437\"\n")
	cmd := v.command("hook", "test", "Stop")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	protocoltest.Until(t, "the hook runs", func() bool {
		_, err := os.Stat(filepath.Join(v.workspace, "started"))
		return err == nil
	})
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(cmd.Wait()); code != 143 {
		t.Errorf("exit %d, want 143", code)
	}
	protocoltest.Until(t, "nothing is left running", func() bool { return !running("sleep 5437", v.home) })
	if left, _ := filepath.Glob(filepath.Join(v.home, "tmp", "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
