//go:build interop && unix

package mcp_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/integrations/mcp"
	"reasonix/sandbox"
)

// A server that npx fetches starts inside the sandbox, may write where the session
// may, and nowhere else.
func TestInteropNpxServerInTheSandbox(t *testing.T) {
	d, w := confinedDesk(t)
	outside := t.TempDir()
	c := real("fs", "npx", "--yes", "--prefer-offline", "@modelcontextprotocol/server-filesystem@2026.8.31", w, outside)
	set := confined(t, d, c)
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

// A server that drives a browser starts inside the sandbox with that browser, shows a
// page, and keeps its profile where a server may write.
func TestInteropBrowserServerInTheSandbox(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("this test needs a browser; Debian has one: apt-get install chromium")
	}
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!doctype html><title>inside</title><h1>the sandbox has a browser</h1>")
	}))
	t.Cleanup(page.Close)
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // the profile goes there
	d, _ := confinedDesk(t)
	state, err := os.MkdirTemp("", "rx") // a browser keeps a socket below, whose path may have 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(state) })
	d.world.StateDir = state
	c := real("browser", "playwright-mcp", "--executable-path", browser, "--headless", "--no-sandbox")
	set := confined(t, d, c)
	seen, err := invoke(t.Context(), set, "mcp__browser__browser_navigate", `{"url":"`+page.URL+`"}`)
	if err != nil || !strings.Contains(seen, "inside") {
		t.Fatalf("the page is shown as %q, %v", seen, err)
	}
	seen, err = invoke(t.Context(), set, "mcp__browser__browser_snapshot", `{}`)
	if err != nil || !strings.Contains(seen, "the sandbox has a browser") {
		t.Errorf("the snapshot is %q, %v", seen, err)
	}
}

// confinedDesk is a desk whose servers run in a sandbox and may write where a session
// may; w is its workspace.
func confinedDesk(t *testing.T) (d *desk, w string) {
	t.Helper()
	d = newDesk(t)
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
	d.world.Runner = func(mcp.Config) sandbox.Runner { return run }
	d.world.Hold = func(c mcp.Config) sandbox.Cmd {
		argv := append([]string{c.Command}, c.Args...)
		if err := sandbox.MakeCaches(os.Environ(), argv...); err != nil {
			t.Error(err)
		}
		return sandbox.Cmd{Writable: append([]string{w}, sandbox.Caches(os.Environ(), argv...)...), Network: true}
	}
	return d, w
}

// confined starts c inside the sandbox.
func confined(t *testing.T, d *desk, c mcp.Config) *mcp.Set {
	t.Helper()
	c.Sandboxed = true
	set := d.ready(c)
	if s := state(t, set, c.Name); s.State != "ready" {
		t.Fatalf("the server is %+v", s)
	}
	return set
}
