package sandbox_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"reasonix/sandbox"
)

// script runs one confined, and returns what it said.
func script(t *testing.T, r sandbox.Runner, cmd sandbox.Cmd, text string) (sandbox.Exit, string) {
	t.Helper()
	var out bytes.Buffer
	cmd.Argv = []string{"/bin/sh", "-c", "set -e\n" + text}
	cmd.Out, cmd.Err = &out, &out
	exit, err := r.Run(t.Context(), cmd)
	if err != nil {
		t.Fatal(err)
	}
	return exit, out.String()
}

// worktreeIsSandboxed commits in a linked worktree, whose repository lies elsewhere.
func worktreeIsSandboxed(t *testing.T, r sandbox.Runner) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	setup := exec.Command("/bin/sh", "-ec", `git init -q main; cd main; git config user.name n; git config user.email e
git commit -q --allow-empty -m first; git worktree add -q ../ours; git worktree add -q ../sibling; echo x >../sibling/file`)
	setup.Dir = dir
	setup.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := setup.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	ours, common := filepath.Join(dir, "ours"), filepath.Join(dir, "main/.git")
	cmd := sandbox.Cmd{
		Dir: ours, Env: append(os.Environ(), "HOME="+dir), Network: true,
		Writable:  []string{ours, common},
		Protected: []string{filepath.Join(ours, ".git"), filepath.Join(common, "hooks"), filepath.Join(common, "config")},
	}
	exit, said := script(t, r, cmd, `echo x >file; git add file; git commit -qm second; git log --oneline | grep -q second; git stash list; git checkout -qb new`)
	if exit.Code != 0 || len(exit.Restored) > 0 {
		t.Errorf("commit: %+v: %s", exit, said)
	}
	for _, attempt := range []string{
		`echo y >../sibling/file`, `echo y >../main/file`, `echo y >.git`, `echo y >../main/.git/hooks/post-commit`,
		`git config core.fsmonitor y`, `git config --worktree core.fsmonitor y`,
	} {
		exit, _ := script(t, r, cmd, attempt)
		if exit.Code == 0 && len(exit.Restored) == 0 {
			t.Errorf("%s: %+v", attempt, exit)
		}
	}
	for path, want := range map[string]string{"sibling/file": "x\n", "main/file": "", "main/.git/hooks/post-commit": ""} {
		if got, _ := os.ReadFile(filepath.Join(dir, path)); string(got) != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	if config, _ := os.ReadFile(filepath.Join(common, "config")); bytes.Contains(config, []byte("fsmonitor")) {
		t.Errorf("configuration: %s", config)
	}
	released := cmd
	released.Protected = cmd.Protected[:2]
	if exit, said := script(t, r, released, `git config user.name other`); exit.Code != 0 || len(exit.Restored) > 0 {
		t.Errorf("released: %+v: %s", exit, said)
	}
	if exit, said := script(t, r, cmd, `[ "$(git config user.name)" = other ]; echo y >f; git add f; git commit -qm third`); exit.Code != 0 {
		t.Errorf("after a release: %+v: %s", exit, said)
	}
	if exit, _ := script(t, r, cmd, `echo y >>"$(git rev-parse --git-common-dir)/config"`); exit.Code == 0 && len(exit.Restored) == 0 {
		t.Errorf("protected again: %+v", exit)
	}
}

// programIsBuilt builds and tests a Go program with the caches of the present user.
func programIsBuilt(t *testing.T, r sandbox.Runner) {
	dir := t.TempDir()
	cmd := sandbox.Cmd{Dir: dir, Env: os.Environ(), Writable: append(sandbox.Caches(os.Environ()), dir), Network: true}
	exit, said := script(t, r, cmd, `export GOFLAGS=-mod=mod GOTOOLCHAIN=local TMPDIR=$PWD/tmp; mkdir tmp p; cd p
printf 'module example.com/p\n\ngo 1.21\n' >go.mod
printf 'package main\n\nimport "os"\n\nfunc main() { os.Stdout.WriteString("built") }\n' >main.go
printf 'package main\n\nimport "testing"\n\nfunc TestMain1(t *testing.T) { main() }\n' >main_test.go
go build -o p . && [ "$(./p)" = built ] && go vet . && go test . && cp main.go other.txt`)
	if exit.Code != 0 {
		t.Errorf("%+v: %s", exit, said)
	}
}

func TestPM23WorktreeUnderLandlock(t *testing.T) {
	worktreeIsSandboxed(t, opened(t, sandbox.Options{Ways: []string{sandbox.WayLandlock}}))
}

func TestGoBuildUnderLandlock(t *testing.T) {
	programIsBuilt(t, opened(t, sandbox.Options{Ways: []string{sandbox.WayLandlock}}))
}
