//go:build linux || darwin

package sandbox

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A ground is a workspace with protected paths, and a directory outside of it.
type ground struct {
	work, outside string
	protected     []string
	before        map[string]string
}

// kept are the protected paths of a ground, some of which are not there.
var kept = []string{
	".git/config", ".git/hooks", ".reasonix", "reasonix.toml", ".mcp.json", ".vscode/tasks.json", ".envrc", "deep/er/.envrc",
}

func newGround(t failer, dir string) *ground {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	g := &ground{work: filepath.Join(dir, "work"), outside: filepath.Join(dir, "outside")}
	for name, text := range map[string]string{
		"work/.git/config": "[core]\n\tbare = false\n", "work/.git/hooks/pre-commit.sample": "#!/bin/sh\n", "work/.git/hooks/mine": "mine\n",
		"work/.git/HEAD": "ref: refs/heads/main\n", "work/.git/objects/.keep": "", "work/.git/refs/.keep": "", "work/.reasonix/commands/a.md": "a", "work/.reasonix/empty/.keep": "",
		"work/reasonix.toml": "[permissions]\n", "work/deep/er/.envrc": "x", "work/main.go": "package main\n",
		"outside/file": "outside\n", "outside/hooks/pre-commit": "evil\n", "outside/tasks.json": "evil\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(g.work, ".git/hooks/mine"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range kept {
		g.protected = append(g.protected, filepath.Join(g.work, name))
	}
	g.before = g.state()
	return g
}

// state describes all protected paths, and all that is outside.
func (g *ground) state() map[string]string {
	all := map[string]string{}
	for _, root := range append([]string{g.outside}, g.protected...) {
		if real, err := filepath.EvalSymlinks(root); err != nil || real != root {
			all[root] = fmt.Sprint("leads to ", real)
			continue
		}
		_ = filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			info, failed := os.Lstat(path)
			if err != nil || failed != nil {
				all[path] = fmt.Sprint(err, failed)
				return nil
			}
			what := info.Mode().String()
			if info.Mode().IsRegular() {
				data, err := os.ReadFile(path)
				what += fmt.Sprint(" ", err, " ", string(data))
			} else if target, err := os.Readlink(path); err == nil {
				what += " " + target
			}
			all[path] = what
			return nil
		})
	}
	return all
}

// A failer is what is common to a test and one of its checks.
type failer interface {
	Context() context.Context
	Fatal(args ...any)
	Helper()
}

func (g *ground) sh(t failer, script string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-euc", script)
	cmd.Dir = g.work
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "HOME="+g.work,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a", "GIT_TEMPLATE_DIR=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatal(script, ": ", err, ": ", string(out))
	}
}

// around runs script as a command that is kept from the protected paths.
func (g *ground) around(t *testing.T, k *keeper, script string) (changed []string, err error) {
	t.Helper()
	r, err := started(k, g.work, g.protected)
	if err != nil {
		t.Fatal(err)
	}
	g.sh(t, script)
	changed, err = r.ended()
	for i, path := range changed {
		changed[i] = strings.TrimPrefix(path, g.work+"/")
	}
	return changed, err
}

// started is a command that may write in work and can change what it is not to.
func started(k *keeper, work string, protected []string, released ...string) (*restorer, error) {
	r := k.begin()
	return r, r.keep([]string{work}, protected, protected, released)
}

// ended is the command's end, and what it changed.
func (r *restorer) ended() (changed []string, err error) {
	err = r.restore()
	return sortedPaths(r.own), err
}
