package file_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/event"
	"reasonix/core/tool"
	"reasonix/core/tool/tooltest"
)

// bench is a workspace with the file tools bound to it.
type bench struct {
	testing.TB
	dir   string
	env   tool.Env
	tools map[string]tool.Tool
	diffs []event.Diff // of the last call
}

func open(t testing.TB, opts ...tooltest.EnvOption) *bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return openIn(t, dir, opts...)
}

func openIn(t testing.TB, dir string, opts ...tooltest.EnvOption) *bench {
	t.Helper()
	b := &bench{TB: t, dir: dir, env: tooltest.Env(t, dir, opts...), tools: map[string]tool.Tool{}}
	for _, tl := range tool.Builtins() {
		b.tools[tl.Name()] = tooltest.Bind(t, tl, b.env)
	}
	return b
}

type args map[string]any

func (b *bench) call(name string, a args) (string, error) {
	b.Helper()
	data, err := json.Marshal(a)
	if err != nil {
		b.Fatal(err)
	}
	call := &tool.Call{ID: "c1"}
	out, err := b.tools[name].Execute(tool.WithCall(b.Context(), call), data)
	b.diffs = call.Diffs
	return out, err
}

func (b *bench) ok(name string, a args) string {
	b.Helper()
	out, err := b.call(name, a)
	if err != nil {
		b.Fatalf("%s: %v", name, err)
	}
	return out
}

// refused makes a call that must fail with all the words and change nothing.
func (b *bench) refused(name string, a args, words ...string) string {
	b.Helper()
	before := tooltest.Tree(b.TB, b.dir)
	text := b.refusedQuietly(name, a, words...)
	if after := tooltest.Tree(b.TB, b.dir); after != before {
		b.Errorf("%s: refused, but changed the workspace\nbefore\n%s\nafter\n%s", name, before, after)
	}
	return text
}

// refusedQuietly is refused for files too large to compare.
func (b *bench) refusedQuietly(name string, a args, words ...string) string {
	b.Helper()
	out, err := b.call(name, a)
	if err == nil {
		b.Fatalf("%s: got %q, want a refusal", name, out)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			b.Errorf("%s: error %q lacks %q", name, err, w)
		}
	}
	return err.Error()
}

func (b *bench) read(path string) string { b.Helper(); return b.ok("read_file", args{"path": path}) }

func (b *bench) edit(path, old, new string) string {
	b.Helper()
	return b.ok("edit_file", args{"path": path, "old_string": old, "new_string": new})
}

func (b *bench) put(name, content string) string { b.Helper(); return put(b.TB, b.dir, name, content) }

// holds checks the bytes of a file.
func (b *bench) holds(name, want string) {
	b.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		b.Fatal(err)
	}
	if string(data) != want {
		b.Errorf("%s holds\n%q, want\n%q", name, data, want)
	}
}
