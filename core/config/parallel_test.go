package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"reasonix/core/config"
)

// Changes made at once are all made: each is proposed anew from what the others
// wrote.
func TestChangesAtOnceAreAllMade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte("# mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for {
				change, err := config.Propose(path, fmt.Sprintf("agent.subagent_models.m%d", i), "x")
				if err == nil {
					err = change.Write()
				}
				if err == nil {
					return
				}
				if !strings.Contains(err.Error(), config.ErrChanged.Error()) {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		if !strings.Contains(string(text), fmt.Sprintf("m%d = ", i)) {
			t.Errorf("the change of m%d is lost:\n%s", i, text)
		}
	}
}
