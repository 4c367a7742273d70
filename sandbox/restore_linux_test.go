package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Root may do what it likes to modes and owners, an ordinary user not.
func TestRestorerForAnOrdinaryUser(t *testing.T) {
	if os.Getuid() != 0 {
		return // the other tests have been run by one
	}
	j := newJail(t, nobody)
	cmd := exec.CommandContext(t.Context(), j.binary(), "-test.run=^TestRestore[A-Z]", "-test.count=1", "-rapid.checks=30")
	cmd.Dir = j.path("work")
	cmd.Env = append(os.Environ(), "HOME="+j.path("work"), "TMPDIR="+j.path("work"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}

// immutable sets or clears the mark that keeps even root from changing a file, and
// tells whether the file system has it.
func immutable(t *testing.T, path string, on bool) bool {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const mark = 0x10
	flags, err := unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS)
	if err != nil {
		return false
	}
	if flags &^= mark; on {
		flags |= mark
	}
	return unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, flags) == nil
}

func TestRestoreOfImmutableFiles(t *testing.T) {
	g := newGround(t, t.TempDir())
	k := &keeper{}
	toml, hook := filepath.Join(g.work, "reasonix.toml"), filepath.Join(g.work, ".git/hooks/pre-commit")
	if !immutable(t, toml, true) {
		return // an ordinary user cannot, nor any command of a confined root
	}
	defer immutable(t, toml, false)
	if changed, err := g.around(t, k, "! rm -f reasonix.toml 2>/dev/null; echo x >.envrc"); err != nil || strings.Join(changed, " ") != ".envrc" {
		t.Errorf("got %q, %v", changed, err)
	}
	r, err := started(k, g.work, g.protected)
	if err != nil {
		t.Fatal(err)
	}
	g.sh(t, "echo x >.git/hooks/pre-commit")
	immutable(t, hook, true)
	if _, err := r.ended(); err == nil || !strings.Contains(err.Error(), "pre-commit") {
		t.Errorf("a hook that cannot be removed: got %v", err)
	}
	if _, err := started(k, g.work, g.protected); err == nil {
		t.Error("the next command runs with it")
	}
	immutable(t, hook, false)
	if changed, err := g.around(t, k, ":"); err != nil || len(changed) > 0 {
		t.Errorf("once it can be: got %q, %v", changed, err)
	}
	if _, err := os.Lstat(hook); err == nil {
		t.Error("the hook is still there")
	}
}
