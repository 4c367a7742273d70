package search_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"reasonix/core/tool"
	_ "reasonix/core/tool/search"
	"reasonix/core/tool/tooltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type args = map[string]any

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// tree is a directory with files; names have forward slashes.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	return dir
}

func unbound(name string) tool.Tool {
	for _, tl := range tool.Builtins() {
		if tl.Name() == name {
			return tl
		}
	}
	panic("no tool " + name)
}

// grep runs the tool in dir.
func grep(t testing.TB, dir string, in args, opts ...tooltest.EnvOption) string {
	t.Helper()
	out, err := grepErr(t, context.Background(), dir, in, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func grepErr(t testing.TB, ctx context.Context, dir string, in args, opts ...tooltest.EnvOption) (string, error) {
	t.Helper()
	data, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	return tooltest.Bind(t, unbound("grep"), tooltest.Env(t, dir, opts...)).Execute(ctx, data)
}

func want(t *testing.T, got string, lines ...string) {
	t.Helper()
	if diff := cmp.Diff(strings.Join(lines, "\n"), got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestGrepConforms(t *testing.T) {
	tooltest.Run(t, unbound("grep"),
		tooltest.Args(`{"pattern":"need(le)?","path":"sub","glob":"*.txt","context":1}`),
		tooltest.Setup(func(t testing.TB, dir string) {
			write(t, filepath.Join(dir, "sub", "a.txt"), "hay\nneedle\nhay\n")
		}))
}
