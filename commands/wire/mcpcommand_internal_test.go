package wire

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/config"
)

// TestOwnServers: the user's own are those that stand in the user's file, whatever a
// project's files say of them.
func TestOwnServers(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(home, "config.toml"):  "[[plugins]]\nname = \"a b\"\ncommand = \"one\"\n[[plugins]]\nname = \"off\"\ncommand = \"two\"\nenabled = false\n",
		filepath.Join(dir, "reasonix.toml"): "[[plugins]]\nname = \"a b\"\ncommand = \"three\"\n[[plugins]]\nname = \"a_b\"\ncommand = \"four\"\n",
		filepath.Join(dir, ".mcp.json"):     `{"mcpServers":{"json":{"command":"five"}}}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, granted := range []bool{false, true} {
		in := Input(home, dir, nil)
		in.Granted = func(config.Part) bool { return granted }
		cfg, err := config.LoadLenient(in)
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := cfg.Server("a b"); !ok || s.FromProject != granted {
			t.Fatal(s, ok)
		}
		if d := cmp.Diff(ownServers(cfg), []string{"a b", "off"}); d != "" {
			t.Errorf("granted %v: %s", granted, d)
		}
		all := map[string]bool{}
		for _, name := range configuredServers(cfg) {
			all[name] = true
		}
		if d := cmp.Diff(all, map[string]bool{"a b": true, "off": true, "a_b": true, "json": true}); d != "" {
			t.Errorf("granted %v: %s", granted, d)
		}
	}
}
