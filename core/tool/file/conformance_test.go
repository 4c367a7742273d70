package file_test

import (
	"os"
	"path/filepath"
	"testing"

	"reasonix/core/tool"
	_ "reasonix/core/tool/file"
	"reasonix/core/tool/tooltest"
)

func TestConformance(t *testing.T) {
	setup := tooltest.Setup(func(t testing.TB, dir string) {
		put(t, dir, "a.txt", "one\ntwo\n")
		put(t, dir, "a.py", "def f():\n    pass\n")
		put(t, dir, "n.ipynb", `{"cells":[{"cell_type":"markdown","id":"a","metadata":{},"source":"x"}],"nbformat":4,"nbformat_minor":5}`)
	})
	for name, args := range map[string]string{
		"read_file":     `{"path":"a.txt","offset":1,"limit":5}`,
		"write_file":    `{"path":"new/b.txt","content":"x\n"}`,
		"edit_file":     `{"path":"a.txt","old_string":"one","new_string":"three","replace_all":false}`,
		"multi_edit":    `{"path":"a.txt","edits":[{"old_string":"one","new_string":"three"},{"old_string":"three","new_string":"four","replace_all":true}]}`,
		"move_file":     `{"source_path":"a.txt","destination_path":"new/b.txt"}`,
		"delete_range":  `{"path":"a.txt","start_anchor":"one","end_anchor":"two","inclusive":true}`,
		"notebook_edit": `{"path":"n.ipynb","cell_id":"a","cell_number":0,"cell_type":"code","edit_mode":"replace","new_source":"y"}`,
		"delete_symbol": `{"path":"a.py","name":"f","kind":"function","parent":""}`,
		"ls":            `{"path":".","recursive":true}`,
	} {
		t.Run(name, func(t *testing.T) { tooltest.Run(t, builtin(t, name), tooltest.Args(args), setup) })
	}
}

// TestDescriptionsAreShort holds down what every request of every session pays.
func TestDescriptionsAreShort(t *testing.T) {
	for _, tl := range tool.Builtins() {
		if len(tl.Description()) > 80 || len(tl.Schema()) > 300 {
			t.Errorf("%s: description %d bytes, schema %d bytes", tl.Name(), len(tl.Description()), len(tl.Schema()))
		}
	}
}

func builtin(t testing.TB, name string) tool.Tool {
	t.Helper()
	for _, tl := range tool.Builtins() {
		if tl.Name() == name {
			return tl
		}
	}
	t.Fatalf("no built-in %s", name)
	return nil
}

func put(t testing.TB, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
