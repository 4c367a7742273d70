package acp_test

import (
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/protocol"
	"reasonix/integrations/acp"
)

// No error shows the user's home directory, wherever it was made.
func TestNoErrorShowsTheHomeDirectory(t *testing.T) {
	home := t.TempDir()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := newClient(t, inW, outR)
	done := make(chan error, 1)
	go func() {
		host := protocol.Host{Opener: refusing{&heldError{filepath.Join(home, "config.toml")}}}
		done <- acp.Serve(t.Context(), host, acp.Options{Home: home}, inR, outW)
		outW.Close()
	}()
	shown := func(m rpc) bool {
		data, _ := json.Marshal(m.Error.Data)
		return strings.Contains(m.Error.Message, home) || strings.Contains(string(data), home)
	}
	for name, params := range map[string]object{
		"no directory":            {"cwd": filepath.Join(home, "no")},
		"no additional directory": {"cwd": home, "additionalDirectories": []string{filepath.Join(home, "no")}},
		"no session":              {"cwd": home},
	} {
		if m := c.call("session/new", params); m.Error == nil || shown(m) || !strings.Contains(m.Error.Message, "~") {
			t.Errorf("%s: %s", name, m.raw)
		}
	}
	inW.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	<-c.ended
}

// heldError is of a session that somebody has, who is named by a path.
type heldError struct{ by string }

func (e *heldError) Error() string       { return "it is open in " + e.by }
func (e *heldError) OpenElsewhere() bool { return true }
func (e *heldError) HeldBy() string      { return e.by }
