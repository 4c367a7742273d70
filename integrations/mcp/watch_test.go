package mcp_test

import (
	"path/filepath"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"reasonix/core/event"
	"reasonix/integrations/mcp"
)

// TestMC13ChangeWhileTheServerStarts: a list that changes while it is read for the
// first time is read once more.
func TestMC13ChangeWhileTheServerStarts(t *testing.T) {
	d := newDesk(t)
	gate := filepath.Join(t.TempDir(), "gate")
	set := d.start(fakeServer("s", "early", "MCP_TEST_GATE", gate))
	touch(t, gate)
	d.awaitState("s", event.ServerReady)
	until(t, "the new list is read", func() bool {
		_, ok := set.Find("mcp__s__beta")
		return ok
	})
}

// TestMC13EveryListIsTold: other prompts and resources are told as other tools are,
// also when no tools can be read.
func TestMC13EveryListIsTold(t *testing.T) {
	d := httpDesk(t)
	server := richServer()
	set := d.ready(mcp.Config{Name: "rich", URL: remoteServer(t, server, nil)})
	until(t, "all lists are read", func() bool { return state(t, set, "rich").Prompts == 1 && state(t, set, "rich").Resources == 1 })
	d.mu.Lock()
	d.events = nil
	d.mu.Unlock()
	told := func(prompts, resources int) {
		t.Helper()
		d.await("the lists changed", func(p event.Payload) bool {
			c, ok := p.(event.ServerChanged)
			s := state(t, set, "rich")
			return ok && c.State == event.ServerReady && s.Prompts == prompts && s.Resources == resources
		})
		d.mu.Lock()
		d.events = nil
		d.mu.Unlock()
	}
	server.RemovePrompts("review this")
	told(0, 1)
	server.RemoveResources("note://1")
	told(0, 0)
	server.AddPrompt(&sdk.Prompt{Name: "other"}, nil)
	told(1, 0)
}
