package sandboxtest

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// userEnv is set for a test binary that runs again as an ordinary user.
const userEnv = "REASONIX_SANDBOXTEST_USER"

// ordinaryUser is an id that machines use for nobody in particular.
const ordinaryUser = 65534

// AsUsers runs a test as the present user. If that is root it runs it again as an
// ordinary user, in a process of its own and at the same time; not under the race
// detector.
func AsUsers(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	switch {
	case os.Getenv(userEnv) != "":
		t.Run("ordinary user", test)
	case os.Geteuid() == 0 && !raced:
		finish := func(*testing.T) {}
		if os.Getenv(ownerEnv) == "" {
			finish = again(t, "ordinary user")
		}
		t.Run("root", test)
		t.Run("ordinary user", finish)
	default:
		t.Run("present user", test)
	}
}

// again starts the test it is called in as an ordinary user; what it returns
// reports how that went.
func again(t *testing.T, part string) (finish func(*testing.T)) {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "user") // TMPDIR may be in a directory of root's
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	binary := copySelf(t, dir)
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(home, ordinaryUser, ordinaryUser); err != nil {
		t.Fatal(err)
	}
	name := strings.ReplaceAll(t.Name()+"/"+strings.ReplaceAll(part, " ", "_"), "/", "$/^")
	args := []string{"-test.run=^" + name + "$", "-test.count=1"}
	if testing.Verbose() {
		args = append(args, "-test.v")
	}
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Dir = home
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, userEnv + "=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ordinaryUser, Gid: ordinaryUser}}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	return func(t *testing.T) {
		if err := <-ended; err != nil {
			t.Errorf("as an ordinary user: %v", err)
		}
		if t.Failed() || !strings.Contains(out.String(), "PASS") || strings.Contains(out.String(), "no tests to run") {
			t.Errorf("it said:\n%s", out.String())
		}
		t.Log(out.String())
	}
}

// copySelf puts this binary where an ordinary user can execute it.
func copySelf(t *testing.T, dir string) string {
	t.Helper()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	path := filepath.Join(dir, "sandbox.test")
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(to, from)
	if closed := to.Close(); err == nil {
		err = closed
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}
