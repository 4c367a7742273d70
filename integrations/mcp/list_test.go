package mcp_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/tool"
	"reasonix/integrations/mcp"
)

// prefix is what the model is told of tools, as bytes.
func prefix(t *testing.T, set *mcp.Set) string {
	t.Helper()
	r, err := tool.NewRegistry(tool.NewEnv(tool.Env{}), []string{}, set.Tools()...)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(struct{ Tools []message.ToolSchema }{r.Schemas()})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestPrefixIsStableWhateverTheOrder: three servers come up in every order, with
// and without a cache of what they offered.
func TestPrefixIsStableWhateverTheOrder(t *testing.T) {
	d := newDesk(t)
	var want string
	for _, cached := range []bool{false, true} {
		if cached {
			d.world.CacheDir = t.TempDir()
		}
		for _, order := range []string{"abc", "acb", "bac", "bca", "cab", "cba"} {
			gates := t.TempDir()
			var servers []mcp.Config
			for _, name := range order {
				c := fakeServer(string(name), "gate", "MCP_TEST_GATE", filepath.Join(gates, string(name)))
				c.Identity = "gated"
				servers = append(servers, c)
			}
			set := d.start(servers...)
			d.mu.Lock()
			d.events = nil
			d.mu.Unlock()
			for _, name := range order {
				touch(t, filepath.Join(gates, string(name)))
				d.awaitState(string(name), event.ServerReady)
			}
			got := prefix(t, set)
			if want == "" {
				want = got
			}
			if d := cmp.Diff(got, want); d != "" {
				t.Errorf("order %s, cached %v: %s", order, cached, d)
			}
			_ = set.Close()
		}
	}
}

// TestCacheAnswersBeforeTheServerIsUp: a session begins with what an earlier one
// saw, keeps it when the server has something else by now, says so, and the next
// session has the new list.
func TestCacheAnswersBeforeTheServerIsUp(t *testing.T) {
	d := newDesk(t)
	d.world.CacheDir = t.TempDir()
	gate := filepath.Join(t.TempDir(), "gate")
	c := fakeServer("s", "plain")
	c.Identity = "one"
	first := d.ready(c)
	told := prefix(t, first)
	_ = first.Close()

	c = fakeServer("s", "second")
	c.Identity = "one"
	c.Command, c.Args = "sh", []string{"-c", `while ! [ -e "$0" ]; do sleep 0.01; done; exec "$1" serve`, gate, self()}
	second := d.ready(c) // the cache is enough
	if got := prefix(t, second); got != told {
		t.Errorf("got %s, want %s", got, told)
	}
	if s := state(t, second, "s").State; s != event.ServerStarting {
		t.Errorf("it is %s", s)
	}
	touch(t, gate)
	d.echo(second, "s") // waits for the server
	contains(t, d.awaitNotice("mcp.changed"), "1 different")
	if got := prefix(t, second); got != told {
		t.Error("the prefix changed")
	}
	third := d.ready(c)
	if got := prefix(t, third); got == told || !strings.Contains(got, "in another way") {
		t.Errorf("the next session has %s", got)
	}
	if !second.Refresh() || prefix(t, second) != prefix(t, third) {
		t.Error("Refresh takes the new list")
	}
	if second.Refresh() {
		t.Error("it did not change again")
	}
}

// TestCacheOfAnotherIdentity: of a server that is declared differently now nothing
// is believed, nor of a damaged file.
func TestCacheOfAnotherIdentity(t *testing.T) {
	d := newDesk(t)
	d.world.CacheDir = t.TempDir()
	first := d.ready(fakeServer("s", "plain"))
	d.echo(first, "s")
	_ = first.Close()
	hang := fakeServer("s", "hang-start")
	hang.Args = []string{"serve", "more"}
	if tools := d.start(hang).Tools(); len(tools) != 0 {
		t.Errorf("tools of another: %v", names(tools))
	}
	files, err := filepath.Glob(filepath.Join(d.world.CacheDir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if tools := d.start(fakeServer("s", "hang-start")).Tools(); len(tools) != 1 {
		t.Errorf("the cache has %v", names(tools))
	}
	if err := os.WriteFile(files[0], []byte(`{"mark":1,"tools":[{}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if tools := d.start(fakeServer("s", "hang-start")).Tools(); len(tools) != 0 {
		t.Errorf("a damaged file has %v", names(tools))
	}
}

// TestMC13ListChanged: a new tool can be called by its name at once, the prefix
// stays, and Refresh brings the new list and drops what is gone.
func TestMC13ListChanged(t *testing.T) {
	d := newDesk(t)
	set := d.ready(fakeServer("s", "change"))
	told := prefix(t, set)
	d.echo(set, "s")
	contains(t, d.awaitNotice("mcp.changed"), "MCP server s", "1 new, 1 gone")
	if got, err := invoke(t.Context(), set, "mcp__s__beta", `{"text":"x"}`); err != nil || got != "beta: x" {
		t.Errorf("%q, %v", got, err)
	}
	if prefix(t, set) != told {
		t.Error("the prefix changed")
	}
	for range 3 { // each says again that the list changed
		if _, err := invoke(t.Context(), set, "mcp__s__beta", `{}`); err != nil {
			t.Error(err)
		}
	}
	if all := d.notices("mcp.changed"); len(all) != 1 {
		t.Errorf("said %d times: %q", len(all), all)
	}
	if _, ok := set.Find("mcp__s__echo"); !ok {
		t.Error("what the model was told of is not found")
	}
	if !set.Refresh() {
		t.Error("no difference")
	}
	if d := cmp.Diff(names(set.Tools()), []string{"mcp__s__beta"}); d != "" {
		t.Error(d)
	}
}

// TestMC19TooManyTools: 5,000 tools are not told of one by one; one tool finds
// them, and they are called by their names.
func TestMC19TooManyTools(t *testing.T) {
	d := newDesk(t)
	set := d.ready(fakeServer("many", "many"), fakeServer("good", "plain"))
	if tools := set.Tools(); len(tools) != 0 {
		t.Errorf("%d tools", len(tools))
	}
	search, ok := set.Search()
	if !ok || search.Name() != mcp.SearchName || !search.ReadOnly() {
		t.Fatal("no search")
	}
	contains(t, search.Description(), "mcp__good__*: echo", "mcp__many__*: echo tool_0000", "more")
	if n := len(search.Description()); n > 14<<10 {
		t.Errorf("a description of %d bytes", n)
	}
	contains(t, d.awaitNotice("mcp.deferred"), "many 5002 tools", "good 1 tools", "6000")
	find := func(args string) string {
		t.Helper()
		got, err := search.Execute(t.Context(), json.RawMessage(args))
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	contains(t, find(`{"query":"poetry of other languages"}`), "mcp__many__translate_poem\nTranslates", `"text"`)
	contains(t, find(`{"query":"tool_4711","limit":1}`), "mcp__many__tool_4711\n")
	contains(t, find(`{"query":"mcp__many__tool_0815"}`), "mcp__many__tool_0815\n")
	contains(t, find(`{"query":"zzzz"}`), "No tool fits")
	if _, err := search.Execute(t.Context(), json.RawMessage(`{"query":" "}`)); err == nil {
		t.Error("an empty query is no error")
	}
	if got, err := invoke(t.Context(), set, "mcp__many__translate_poem", `{"text":"x"}`); err != nil || got != "translate_poem: x" {
		t.Errorf("%q, %v", got, err)
	}
	if set.Refresh() {
		t.Error("it is the same list")
	}
	d.echo(set, "good")
}

// TestBudget: what is told depends on it alone.
func TestBudget(t *testing.T) {
	d := newDesk(t)
	for budget, deferred := range map[int]bool{1: true, 0: false, -1: false} {
		d.world.Budget = budget
		set := d.ready(fakeServer("s", "plain"))
		if _, got := set.Search(); got != deferred {
			t.Errorf("budget %d: deferred %v", budget, got)
		}
	}
}

// TestApprovalIsNoPartOfTheSchema: what a policy knows of a tool, the model does
// not.
func TestApprovalIsNoPartOfTheSchema(t *testing.T) {
	d := newDesk(t)
	c := fakeServer("h", "hints")
	c.TrustedReadOnly = []string{"echo"}
	set := d.ready(c)
	type approval struct {
		Destructive, ReadOnly, Trusted bool
		Server, Raw                    string
	}
	got := map[string]approval{}
	for _, tool := range set.Tools() {
		var a approval
		var ok bool
		a.Destructive, a.ReadOnly, a.Server, a.Raw, ok = set.Approval(tool.Name())
		a.Trusted = set.Trusted(tool.Name())
		if !ok || a.ReadOnly != tool.ReadOnly() {
			t.Errorf("%s: %v, read-only %v", tool.Name(), ok, tool.ReadOnly())
		}
		got[tool.Name()] = a
	}
	want := map[string]approval{
		"mcp__h__echo": {ReadOnly: true, Trusted: true, Server: "h", Raw: "echo"},
		"mcp__h__look": {ReadOnly: true, Server: "h", Raw: "look"},
		"mcp__h__wipe": {Destructive: true, Server: "h", Raw: "wipe"},
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Error(d)
	}
	if _, _, _, _, ok := set.Approval("read_file"); ok {
		t.Error("a built-in is no server's")
	}
	if text := prefix(t, set); strings.Contains(text, "Hint") || strings.Contains(text, "approv") {
		t.Error(text)
	}
}
