package wire

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"reasonix/core/event"
	"reasonix/integrations/mcp"
	"reasonix/integrations/mcp/shape"
)

// TestSettleWaitsForServersAndSaysForWhich: the server answers only once somebody was
// told that it is waited for.
func TestSettleWaitsForServersAndSaysForWhich(t *testing.T) {
	told := make(chan string, 1)
	gate := make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-gate
		http.Error(w, "no", http.StatusTeapot)
	}))
	defer web.Close()
	s := &servers{changes: newBell(), grace: time.Minute, emit: func(p event.Payload) error {
		if phase, ok := p.(event.Phase); ok {
			told <- phase.Name + ", " + phase.Detail
			close(gate)
		}
		return nil
	}}
	dir := t.TempDir()
	s.set = mcp.Start(mcp.World{Workspace: dir, CacheDir: dir, LogDir: dir, StateDir: dir, Emit: s.tell}, []mcp.Config{{Name: "slow", Type: "http", URL: web.URL}})
	defer s.set.Close()
	if err := s.settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := <-told, "starting, MCP servers: slow"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if states := s.set.States(); states[0].State != event.ServerFailed {
		t.Errorf("it went on with the server %s", states[0].State)
	}
}

func TestSettleWaitsNoLongerThanItsGrace(t *testing.T) {
	gate := make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-gate }))
	defer web.Close()
	defer close(gate)
	s := &servers{changes: newBell(), grace: time.Millisecond, emit: func(event.Payload) error { return nil }}
	dir := t.TempDir()
	s.set = mcp.Start(mcp.World{Workspace: dir, CacheDir: dir, LogDir: dir, StateDir: dir, Emit: s.tell}, []mcp.Config{{Name: "slow", Type: "http", URL: web.URL}})
	defer s.set.Close()
	if err := s.settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if states := s.set.States(); states[0].State != event.ServerStarting {
		t.Errorf("the server is %s", states[0].State)
	}
}

// A call is what starts a server again that could not start.
func TestACallStartsAServerThatFailed(t *testing.T) {
	const shy = "@scope/shy  one." // its tools have another name
	var asked atomic.Int32
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		http.Error(w, "no", http.StatusTeapot)
	}))
	defer web.Close()
	s := &servers{changes: newBell(), grace: time.Minute, emit: func(event.Payload) error { return nil }}
	dir := t.TempDir()
	s.set = mcp.Start(mcp.World{Workspace: dir, CacheDir: dir, LogDir: dir, StateDir: dir, Emit: s.tell}, []mcp.Config{{Name: shy, Type: "http", URL: web.URL}})
	defer s.set.Close()
	if err := s.settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := asked.Load()
	call, ok := s.find(shape.Name(shy, "anything"))
	if !ok {
		t.Fatal("a tool of a server that failed is unknown")
	}
	if _, err := call.Execute(t.Context(), nil); err == nil || !strings.Contains(err.Error(), shy) {
		t.Errorf("the call says %v", err)
	}
	if asked.Load() == before {
		t.Error("the call did not start the server")
	}
	if err := s.set.Act(t.Context(), shy, "disconnect"); err != nil {
		t.Fatal(err)
	}
	before = asked.Load()
	if _, err := call.Execute(t.Context(), nil); err == nil {
		t.Error("a server that a person stopped took a call")
	}
	if asked.Load() != before {
		t.Error("a call started a server that a person stopped")
	}
}
