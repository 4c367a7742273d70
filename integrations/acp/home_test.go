package acp_test

import (
	"errors"
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
		host := protocol.Host{Opener: refusing{errors.New("read " + filepath.Join(home, "config.toml"))}}
		done <- acp.Serve(t.Context(), host, acp.Options{Home: home}, inR, outW)
		outW.Close()
	}()
	for name, params := range map[string]object{
		"no directory":            {"cwd": filepath.Join(home, "no")},
		"no additional directory": {"cwd": home, "additionalDirectories": []string{filepath.Join(home, "no")}},
		"no session":              {"cwd": home},
	} {
		if m := c.call("session/new", params); m.Error == nil || strings.Contains(m.Error.Message, home) || !strings.Contains(m.Error.Message, "~") {
			t.Errorf("%s: %s", name, m.raw)
		}
	}
	inW.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	<-c.ended
}
