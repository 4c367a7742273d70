package wire_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"reasonix/commands/wire"
	"reasonix/core/config"
	"reasonix/core/trust"
)

// TestAlwaysCountsFromTheNextSessionOn: the rule is in the project's file and
// granted; a rule that others put there is not.
func TestAlwaysCountsFromTheNextSessionOn(t *testing.T) {
	home, work := t.TempDir(), t.TempDir()
	file := filepath.Join(work, config.ProjectFileName)
	if err := os.WriteFile(file, []byte("# ours\n[permissions]\nallow = [\n  \"Edit\", # theirs\n]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := wire.AllowAlways(home, work, time.Now(), "Bash(go test:*)", "Bash(go vet:*)")
	if err != nil || got != file {
		t.Fatalf("stored in %s, %v", got, err)
	}
	text, err := os.ReadFile(file)
	if want := "# ours\n[permissions]\nallow = [\n  \"Edit\", # theirs\n  \"Bash(go test:*)\",\n  \"Bash(go vet:*)\",\n]\n"; err != nil || string(text) != want {
		t.Errorf("the file says\n%s, %v; want\n%s", text, err, want)
	}
	cfg, err := config.Load(wire.Input(home, work, nil))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"Bash(go test:*)", "Bash(go vet:*)"}; !slices.Equal(cfg.Permissions.Allow, want) || len(cfg.Ungranted) != 1 {
		t.Errorf("allowed %v and off %v, want %v", cfg.Permissions.Allow, cfg.Ungranted, want)
	}
}

// A rule that is said not to be stored is neither in the file nor granted.
func TestAlwaysThatFailsLeavesNothing(t *testing.T) {
	const rule, granted = "Bash(go test:*)", "Bash(go vet:*)"
	t.Run("no grant can be kept", func(t *testing.T) {
		home, work := filepath.Join(t.TempDir(), "home"), t.TempDir()
		if err := os.WriteFile(home, nil, 0o600); err != nil { // no directory
			t.Fatal(err)
		}
		file, err := wire.AllowAlways(home, work, time.Now(), rule)
		if _, missing := os.Stat(file); err == nil || missing == nil {
			t.Errorf("%v, and the file is there", err)
		}
	})
	t.Run("the file cannot be changed", func(t *testing.T) {
		home, work := t.TempDir(), t.TempDir()
		if _, err := wire.AllowAlways(home, work, time.Now(), granted); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(work, config.ProjectFileName)
		if err := os.WriteFile(file, []byte("[permissions\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := wire.AllowAlways(home, work, time.Now(), rule, granted); err == nil {
			t.Error("stored in a broken file")
		}
		store := trust.Open(home)
		for text, want := range map[string]bool{rule: false, granted: true} {
			if got := store.Granted(work, wire.GrantOf(config.RulePart(text))); got != want {
				t.Errorf("%s granted: %v", text, got)
			}
		}
	})
}
