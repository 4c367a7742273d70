package recall_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/memory"
	"reasonix/core/tool"
	_ "reasonix/core/tool/recall"
	"reasonix/core/tool/tooltest"
)

func builtin(t testing.TB, name string) tool.Tool {
	t.Helper()
	for _, tl := range tool.Builtins() {
		if tl.Name() == name {
			return tl
		}
	}
	t.Fatalf("%s is not registered", name)
	return nil
}

// A desk is a session with memory, and the memory beside it.
type desk struct {
	t     *testing.T
	env   tool.Env
	dirs  memory.Dirs
	store *memory.Store
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	home := t.TempDir()
	d := &desk{t: t, dirs: memory.Dirs{Global: filepath.Join(home, "memory"), Project: filepath.Join(home, "projects", "p", "memory")}}
	d.env = tooltest.Env(t, t.TempDir(), tooltest.Settings(tool.Settings{MemoryDirs: tool.MemoryDirs(d.dirs), Secrets: []string{"sk-configured"}}))
	d.store = memory.Open(d.dirs, memory.Options{})
	return d
}

func (d *desk) tool(name string) tool.Tool { return tooltest.Bind(d.t, builtin(d.t, name), d.env) }

func (d *desk) call(name, args string) (string, *tool.Call, error) {
	d.t.Helper()
	call := &tool.Call{ID: "c"}
	out, err := d.tool(name).Execute(tool.WithCall(context.Background(), call), json.RawMessage(args))
	return out, call, err
}

func (d *desk) save(draft memory.Draft) memory.Fact {
	d.t.Helper()
	c, err := d.store.Save(draft)
	if err != nil {
		d.t.Fatal(err)
	}
	return c.After
}

func (d *desk) facts() []memory.Fact {
	d.t.Helper()
	found, err := d.store.List(memory.Filter{})
	if err != nil {
		d.t.Fatal(err)
	}
	return found.Facts
}

func (d *desk) subject(name, args string) tool.Subject {
	return d.tool(name).(tool.Subjecter).Subject(json.RawMessage(args))
}

func TestMemoryToolsConform(t *testing.T) {
	home := t.TempDir()
	dirs := tool.MemoryDirs{Global: filepath.Join(home, "memory"), Project: filepath.Join(home, "p", "memory")}
	in := tooltest.In(tooltest.Settings(tool.Settings{MemoryDirs: dirs}))
	setup := tooltest.Setup(func(t testing.TB, _ string) {
		if err := os.RemoveAll(home); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dirs.Project, "here.md")
		if err := errors.Join(os.MkdirAll(dirs.Project, 0o700), os.WriteFile(file, []byte("---\nid: mem-1\ntitle: Here\n---\nbody\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
	})
	for name, args := range map[string]string{
		"memory":   `{"op":"search","query":"here","id":""}`,
		"remember": `{"title":"Use pnpm","body":"Not npm.","description":"d","type":"feedback","scope":"global","keywords":["npm"],"id":""}`,
		"forget":   `{"id":"mem-1","reason":"over"}`,
	} {
		t.Run(name, func(t *testing.T) { tooltest.Run(t, builtin(t, name), tooltest.Args(args), setup, in) })
	}
}

// Every session pays for what a tool says of itself.
func TestMemoryToolsAreTerse(t *testing.T) {
	total := 0
	for name, most := range map[string]int{"memory": 220, "remember": 510, "forget": 190} {
		tl := builtin(t, name)
		got := len(name) + len(tl.Description()) + len(tl.Schema())
		if total += got; got > most {
			t.Errorf("%s costs %d bytes, want at most %d", name, got, most)
		}
		if tl.ReadOnly() != (name == "memory") {
			t.Errorf("%s: read-only is %v", name, tl.ReadOnly())
		}
	}
	t.Logf("%d bytes together", total)
}

func TestWhatIsRememberedIsFound(t *testing.T) {
	d := newDesk(t)
	if out, _, err := d.call("memory", `{"op":"list"}`); err != nil || out != "No facts are kept." {
		t.Errorf("got %q, %v", out, err)
	}
	out, call, err := d.call("remember", `{"title":"Use pnpm","body":"Not npm.","keywords":"npm"}`)
	if err != nil {
		t.Fatal(err)
	}
	f := d.facts()[0]
	if out != "Kept as "+f.ID+"@1 (project)." || len(call.Diffs) != 1 || !strings.Contains(call.Diffs[0].Unified, "+title: Use pnpm\n") {
		t.Errorf("got %q, diffs %+v", out, call.Diffs)
	}
	want := f.ID + "@1 [project project] Use pnpm"
	for _, args := range []string{`{"op":"search","query":"install with npm"}`, `{"op":"list"}`} {
		if out, _, err := d.call("memory", args); err != nil || !strings.Contains(out, want) {
			t.Errorf("%s: got %q, %v", args, out, err)
		}
	}
	if out, _, err := d.call("memory", `{"op":"read","id":"`+f.ID+`@1"}`); err != nil || !strings.Contains(out, "\nNot npm.") || !strings.Contains(out, "about: project, project\n") {
		t.Errorf("got %q, %v", out, err)
	}
	if out, call, err := d.call("remember", `{"title":"Use pnpm","body":"Not npm.","keywords":["npm"]}`); err != nil || !strings.HasPrefix(out, "Kept already") || call.Diffs != nil {
		t.Errorf("the same again: %q, %v", out, err)
	}
	if _, _, err := d.call("remember", `{"title":"use PNPM","body":"other"}`); err == nil || !strings.Contains(err.Error(), f.ID) {
		t.Errorf("the same title: %v", err)
	}
}

func TestAnUpdateKeepsWhatItLeavesOut(t *testing.T) {
	d := newDesk(t)
	f := d.save(memory.Draft{Title: "Use pnpm", Description: "why", Body: "b", Keywords: []string{"npm"}, Scope: memory.ScopeGlobal, Type: memory.Feedback})
	out, call, err := d.call("remember", `{"id":"`+f.ID+`","title":"Use pnpm 9","body":"b"}`)
	if err != nil || out != "Kept as "+f.ID+"@2 (global)." {
		t.Fatalf("got %q, %v", out, err)
	}
	got := d.facts()[0]
	if got.Title != "Use pnpm 9" || got.Description != "why" || got.Type != memory.Feedback || len(got.Keywords) != 1 {
		t.Errorf("got %+v", got)
	}
	if u := call.Diffs[0].Unified; !strings.Contains(u, "-title: Use pnpm\n+title: Use pnpm 9\n") || strings.Contains(u, "revision") {
		t.Errorf("diff\n%s", u)
	}
}

func TestForgetArchivesAndTheModelFindsItNoMore(t *testing.T) {
	d := newDesk(t)
	f := d.save(memory.Draft{Title: "Use pnpm", Body: "Not npm."})
	subject := d.subject("forget", `{"id":"`+f.ID+`","reason":"it is\nyarn now"}`)
	if subject.Title != "Forget: Use pnpm" || subject.Reason != "it is yarn now" || !strings.Contains(subject.Preview(t.Context())[0].Unified, "-Not npm.\n") {
		t.Errorf("subject %+v", subject)
	}
	if len(d.facts()) != 1 {
		t.Fatal("a preview forgot it")
	}
	if out, _, err := d.call("forget", `{"id":"`+f.ID+`","reason":"it is yarn now"}`); err != nil || !strings.Contains(out, f.ID+"@1") {
		t.Errorf("got %q, %v", out, err)
	}
	if out, _, err := d.call("memory", `{"op":"search","query":"pnpm"}`); err != nil || strings.Contains(out, f.ID) || !strings.Contains(out, "history") {
		t.Errorf("search finds the archive or has no advice: %q, %v", out, err)
	}
	for _, c := range [][2]string{{"memory", `{"op":"read","id":"` + f.ID + `"}`}, {"forget", `{"id":"` + f.ID + `"}`}, {"remember", `{"id":"` + f.ID + `","title":"t","body":"b"}`}} {
		if _, _, err := d.call(c[0], c[1]); !errors.Is(err, memory.ErrForgotten) {
			t.Errorf("%s: %v", c[0], err)
		}
	}
	if _, _, err := d.call("memory", `{"op":"read","id":"mem-none"}`); !errors.Is(err, memory.ErrUnknown) || !strings.Contains(err.Error(), "search") {
		t.Errorf("got %v", err)
	}
}

// What a person approved is done, or nothing.
func TestAFactThatChangedAfterItWasShownIsLeftAlone(t *testing.T) {
	d := newDesk(t)
	f := d.save(memory.Draft{Title: "Use pnpm", Body: "b"})
	update, gone := `{"id":"`+f.ID+`","title":"Use pnpm","body":"c"}`, `{"id":"`+f.ID+`"}`
	if diffs := d.subject("remember", update).Preview(t.Context()); len(diffs) != 1 {
		t.Fatalf("preview %+v", diffs)
	}
	d.subject("forget", gone).Preview(t.Context())
	draft := f.Draft()
	draft.Body = "by somebody else"
	d.save(draft)
	var conflict *memory.ConflictError
	if _, _, err := d.call("remember", update); !errors.As(err, &conflict) {
		t.Errorf("remember: %v", err)
	}
	if _, _, err := d.call("forget", gone); !errors.As(err, &conflict) {
		t.Errorf("forget: %v", err)
	}
	if got := d.facts(); len(got) != 1 || got[0].Body != "by somebody else" {
		t.Errorf("got %+v", got)
	}
	if out, _, err := d.call("remember", update); err != nil {
		t.Errorf("a call that was shown nothing: %q, %v", out, err)
	}
}

func TestACallThatWouldFailHasNoPreview(t *testing.T) {
	d := newDesk(t)
	for name, args := range map[string]string{"remember": `{"title":"t","body":"my key is sk-configured"}`, "forget": `{"id":"mem-none"}`} {
		if diffs := d.subject(name, args).Preview(t.Context()); diffs != nil {
			t.Errorf("%s: %+v", name, diffs)
		}
		if _, _, err := d.call(name, args); err == nil || strings.Contains(err.Error(), "sk-") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if diffs := d.subject("remember", `{"id":"mem-none","title":"t","body":"b"}`).Preview(t.Context()); diffs != nil {
		t.Errorf("got %+v", diffs)
	}
	if files, _ := filepath.Glob(filepath.Join(d.dirs.Project, "*")); len(files) != 0 {
		t.Errorf("written: %v", files)
	}
}

func TestOperationsNeedTheirArgument(t *testing.T) {
	d := newDesk(t)
	for args, at := range map[string]string{`{"op":"read"}`: "/id", `{"op":"search","query":" "}`: "/query", `{"op":"drop"}`: "/op"} {
		_, _, err := d.call("memory", args)
		var bad *tool.ArgError
		if !errors.As(err, &bad) || bad.Pointer != at {
			t.Errorf("%s: got %v", args, err)
		}
	}
	titles := map[string]string{
		`{"op":"search","query":"a\nb"}`: "Memory: a b", `{"op":"read","id":"x"}`: "Memory: read x", `{"op":"list"}`: "Memory: list",
	}
	got := map[string]string{}
	for args := range titles {
		got[args] = d.subject("memory", args).Title
	}
	if diff := cmp.Diff(titles, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestResultsAreBounded(t *testing.T) {
	home := t.TempDir()
	dirs := tool.MemoryDirs{Global: home}
	for i := range 100 {
		name := filepath.Join(home, "f"+strings.Repeat("x", i%7)+string(rune('a'+i%26))+string(rune('a'+i/26))+".md")
		if err := os.WriteFile(name, []byte("# A title of a fact\n\n"+strings.Repeat("字", 1000)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := tooltest.Env(t, t.TempDir(), tooltest.Settings(tool.Settings{MemoryDirs: dirs, OutputCap: 1000}))
	tl := tooltest.Bind(t, builtin(t, "memory"), env)
	for _, args := range []string{`{"op":"list"}`, `{"op":"read","id":"faa"}`} {
		out, err := tl.Execute(t.Context(), json.RawMessage(args))
		if err != nil || len(out) > 1000 || !strings.Contains(out, "...") {
			t.Errorf("%s: %d bytes, %v\n%.200s", args, len(out), err, out)
		}
	}
}

func TestASessionWithoutMemorySaysSo(t *testing.T) {
	env := tooltest.Env(t, t.TempDir())
	tl := tooltest.Bind(t, builtin(t, "remember"), env)
	if _, err := tl.Execute(t.Context(), json.RawMessage(`{"title":"t","body":"b"}`)); !errors.Is(err, memory.ErrNoPlace) {
		t.Errorf("got %v", err)
	}
	tl = tooltest.Bind(t, builtin(t, "memory"), env)
	if out, err := tl.Execute(t.Context(), json.RawMessage(`{"op":"list"}`)); err != nil || out != "No facts are kept." {
		t.Errorf("got %q, %v", out, err)
	}
}

// Equal scores have an order.
func TestTheSameSearchIsTheSameText(t *testing.T) {
	d := newDesk(t)
	for _, title := range []string{"Widget one", "Widget two", "Widget three"} {
		d.save(memory.Draft{Title: title, Body: "about widgets", Keywords: []string{"widget"}})
	}
	first, _, _ := d.call("memory", `{"op":"search","query":"widget"}`)
	again, _, _ := d.call("memory", `{"op":"search","query":"widget"}`)
	if first != again || strings.Count(first, "\n") != 2 {
		t.Errorf("got %q, then %q", first, again)
	}
}
