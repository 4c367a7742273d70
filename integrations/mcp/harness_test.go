package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/tool"
	"reasonix/integrations/mcp"
	"reasonix/sandbox"
)

// patience is how long another process may take before the test fails.
const patience = 20 * time.Second

// A desk is a session's side of servers.
type desk struct {
	t     *testing.T
	world mcp.World

	mu     sync.Mutex
	more   *sync.Cond
	events []event.Payload
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) })
	run := sandbox.NewOff()
	t.Cleanup(func() { _ = run.Close() })
	d := &desk{t: t}
	d.more = sync.NewCond(&d.mu)
	home := t.TempDir()
	d.world = mcp.World{
		Workspace: t.TempDir(), Environ: os.Environ(), Version: "test",
		StateDir: filepath.Join(home, "mcp-state"), LogDir: filepath.Join(home, "logs"),
		Runner: func(mcp.Config) sandbox.Runner { return run },
		Emit:   d.emit,
		Grace:  5 * time.Second,
	}
	return d
}

func (d *desk) emit(p event.Payload) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events = append(d.events, p)
	d.more.Broadcast()
	return nil
}

// await waits for an event that fits.
func (d *desk) await(what string, fits func(event.Payload) bool) event.Payload {
	d.t.Helper()
	late := false
	timer := time.AfterFunc(patience, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		late = true
		d.more.Broadcast()
	})
	defer timer.Stop()
	d.mu.Lock()
	defer d.mu.Unlock()
	for seen := 0; ; {
		for ; seen < len(d.events); seen++ {
			if fits(d.events[seen]) {
				return d.events[seen]
			}
		}
		if late {
			d.t.Fatalf("no event: %s; there are %v", what, d.events)
		}
		d.more.Wait()
	}
}

func (d *desk) awaitState(server, state string) event.ServerChanged {
	d.t.Helper()
	p := d.await(server+" is "+state, func(p event.Payload) bool {
		s, ok := p.(event.ServerChanged)
		return ok && s.Name == server && s.State == state
	})
	return p.(event.ServerChanged)
}

func (d *desk) notices(code string) (all []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.events {
		if n, ok := p.(event.Notice); ok && n.Code == code {
			all = append(all, n.Text)
		}
	}
	return all
}

func (d *desk) awaitNotice(code string) string {
	d.t.Helper()
	return d.await(code, func(p event.Payload) bool {
		n, ok := p.(event.Notice)
		return ok && n.Code == code
	}).(event.Notice).Text
}

// start starts servers, and sees to it that nothing of them is left.
func (d *desk) start(servers ...mcp.Config) *mcp.Set {
	d.t.Helper()
	set := mcp.Start(d.world, servers)
	d.t.Cleanup(func() {
		if err := set.Close(); err != nil {
			d.t.Error(err)
		}
	})
	return set
}

// ready starts servers and waits for all of them.
func (d *desk) ready(servers ...mcp.Config) *mcp.Set {
	d.t.Helper()
	set := d.start(servers...)
	set.Wait(d.t.Context(), patience)
	return set
}

// fakeServer is this binary as a server; env is name, value, name, value.
func fakeServer(name, mode string, env ...string) mcp.Config {
	c := mcp.Config{
		Name: name, Command: self(), Args: []string{"serve"}, StartTimeout: patience,
		Env: map[string]string{modeKey: mode, "GORACE": "atexit_sleep_ms=0"},
	}
	for i := 0; i+1 < len(env); i += 2 {
		c.Env[env[i]] = env[i+1]
	}
	return c
}

func self() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}

// invoke calls a tool by name.
func invoke(ctx context.Context, set *mcp.Set, name, args string) (string, error) {
	t, ok := set.Find(name)
	if !ok {
		return "", fmt.Errorf("no tool %s", name)
	}
	return t.Execute(ctx, json.RawMessage(args))
}

func (d *desk) echo(set *mcp.Set, server string) {
	d.t.Helper()
	got, err := invoke(d.t.Context(), set, "mcp__"+server+"__echo", `{"text":"hi"}`)
	if err != nil || got != "echo: hi" {
		d.t.Errorf("echo of %s: %q, %v", server, got, err)
	}
}

func names(tools []tool.Tool) (all []string) {
	for _, t := range tools {
		all = append(all, t.Name())
	}
	return all
}

func state(t *testing.T, set *mcp.Set, server string) mcp.State {
	t.Helper()
	for _, s := range set.States() {
		if s.Name == server {
			return s
		}
	}
	t.Fatalf("no server %s", server)
	return mcp.State{}
}

// keeper is what a call keeps beside the journal.
type keeper struct {
	dir      string
	saved    map[string]string // path to content
	attached []message.Attachment
	call     tool.Call
}

func newKeeper(t *testing.T) (context.Context, *keeper) {
	k := &keeper{dir: t.TempDir(), saved: map[string]string{}}
	k.call = tool.Call{
		ID: "call-1",
		Save: func(r io.Reader) (string, string, error) {
			data, err := io.ReadAll(r)
			path := filepath.Join(k.dir, fmt.Sprint(len(k.saved)))
			k.saved[path] = string(data)
			return "hash-" + filepath.Base(path), path, err
		},
		Attach: func(a message.Attachment) { k.attached = append(k.attached, a) },
	}
	return tool.WithCall(t.Context(), &k.call), k
}

// until polls another process under a deadline.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never: " + what)
		}
	}
}

func touch(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%.600q has no %q", text, p)
		}
	}
}
