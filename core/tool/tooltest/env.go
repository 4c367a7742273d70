package tooltest

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reasonix/core/tool"
	"reasonix/core/workspace"
	"reasonix/sandbox"
)

// EnvOption changes what Env builds.
type EnvOption func(*surroundings)

type surroundings struct {
	roots workspace.Roots
	over  workspace.Overlay
	env   tool.Env
}

// Roots adds writable and hidden directories.
func Roots(write, hide []string) EnvOption {
	return func(s *surroundings) { s.roots.Write, s.roots.Hide = write, hide }
}

// Overlay lets an editor hold files.
func Overlay(o workspace.Overlay) EnvOption { return func(s *surroundings) { s.over = o } }

// Runner runs the commands of the tool; the caller closes it.
func Runner(r sandbox.Runner) EnvOption { return func(s *surroundings) { s.env.Run = r } }

// Settings are the configured limits. An empty Temp is filled in.
func Settings(set tool.Settings) EnvOption { return func(s *surroundings) { s.env.Settings = set } }

// Env is a session's surroundings on the real directory dir. It is closed when
// the test ends.
func Env(t testing.TB, dir string, opts ...EnvOption) tool.Env {
	t.Helper()
	s := surroundings{roots: workspace.Roots{Dir: dir}, env: tool.Env{Now: time.Now}}
	for _, o := range opts {
		o(&s)
	}
	if s.env.Settings.Temp == "" {
		s.env.Settings.Temp = t.TempDir()
	}
	files, err := workspace.Open(s.roots, s.over)
	if err != nil {
		t.Fatal(err)
	}
	s.env.Files = files
	env := tool.NewEnv(s.env)
	t.Cleanup(func() {
		if err := env.Close(); err != nil {
			t.Errorf("close tools: %v", err)
		}
		if err := files.Close(); err != nil {
			t.Errorf("close workspace: %v", err)
		}
	})
	return env
}

// Bind returns tl bound to env, or tl itself when it needs no binding.
func Bind(t testing.TB, tl tool.Tool, env tool.Env) tool.Tool {
	t.Helper()
	b, ok := tl.(tool.Binder)
	if !ok {
		return tl
	}
	bound, err := b.Bind(env)
	if err != nil {
		t.Fatalf("bind %s: %v", tl.Name(), err)
	}
	return bound
}

// Tree describes everything below dir, one line an entry: mode, time, content or
// link target. Two equal trees are the same text.
func Tree(t testing.TB, dir string) string {
	t.Helper()
	var lines strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		what := ""
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			what, err = os.Readlink(path)
		case info.Mode().IsRegular():
			var data []byte
			data, err = os.ReadFile(path)
			what = fmt.Sprintf("%d bytes %x", len(data), sha256.Sum256(data))
		}
		rel, _ := filepath.Rel(dir, path)
		fmt.Fprintf(&lines, "%s %s %s %s\n", filepath.ToSlash(rel), info.Mode(), info.ModTime().Format(time.RFC3339Nano), what)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines.String()
}
