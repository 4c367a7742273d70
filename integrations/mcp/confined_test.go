//go:build interop && unix

package mcp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/integrations/mcp"
	"reasonix/sandbox"
)

// A server that npx fetches starts inside the sandbox, may write where the session
// may, and nowhere else.
func TestInteropNpxServerInTheSandbox(t *testing.T) {
	d := newDesk(t)
	d.world.Budget = -1
	run := sandbox.New(sandbox.Options{Path: os.Getenv("PATH"), Needs: []sandbox.Guarantee{sandbox.HoldsWrites}})
	t.Cleanup(func() { _ = run.Close() })
	if way := run.Way(); way == "" || way == sandbox.WayOff {
		t.Fatalf("nothing confines here: %q", way)
	}
	w, err := filepath.EvalSymlinks(d.world.Workspace)
	if err != nil {
		t.Fatal(err)
	}
	d.world.Workspace = w
	outside := t.TempDir()
	d.world.Runner = func(mcp.Config) sandbox.Runner { return run }
	d.world.Hold = func(mcp.Config) sandbox.Cmd {
		return sandbox.Cmd{Writable: append([]string{w}, sandbox.Caches(os.Environ())...), Network: true}
	}
	c := real("fs", "npx", "--yes", "--prefer-offline", "@modelcontextprotocol/server-filesystem@2026.8.31", w, outside)
	c.Sandboxed = true
	set := d.ready(c)
	if s := state(t, set, "fs"); s.State != "ready" {
		t.Fatalf("the server is %+v", s)
	}
	write := func(dir string) error {
		_, err := invoke(t.Context(), set, "mcp__fs__write_file", `{"path":"`+dir+`/x","content":"y"}`)
		return err
	}
	if err := write(w); err != nil || !exists(filepath.Join(w, "x")) {
		t.Errorf("in the workspace: %v", err)
	}
	if err := write(outside); err == nil || !strings.Contains(err.Error(), outside) || exists(filepath.Join(outside, "x")) {
		t.Errorf("outside: %v", err)
	}
}
