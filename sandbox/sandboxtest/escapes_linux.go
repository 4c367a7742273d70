package sandboxtest

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"reasonix/sandbox"
)

// Escapes makes every attempt to get around a guarantee on the Runner that open
// returns: one it claims is to be held against all of them, and of one it does not
// claim at least one attempt is to succeed. Then it expects that ordinary work
// works. It uses what the machine has of git, go, npm and python3.
func Escapes(t *testing.T, open func(t *testing.T) sandbox.Runner) {
	t.Helper()
	noneLeft(t)
	r := opened(t, open)
	claimed := r.Holds()
	var mu sync.Mutex
	broken := map[sandbox.Guarantee]bool{} // of those with an attempt that ran
	t.Run("attempts", func(t *testing.T) {
		for _, a := range attempts {
			t.Run(string(a.holds)+"/"+a.name, func(t *testing.T) {
				t.Parallel()
				found := a.make(t, r)
				if slices.Contains(claimed, a.holds) && len(found) > 0 {
					t.Errorf("%s claims %q; got away with:\n  %s", r.Way(), a.holds, strings.Join(found, "\n  "))
				}
				mu.Lock()
				defer mu.Unlock()
				broken[a.holds] = broken[a.holds] || len(found) > 0
			})
		}
	})
	for _, g := range guarantees() {
		if got, tried := broken[g]; tried && !got && !slices.Contains(claimed, g) {
			t.Errorf("%s does not claim %q, and no attempt breaks it", r.Way(), g)
		}
	}
	ordinaryWork(t, r)
}

// Unconfined shows that the attempts are real: each succeeds without a sandbox.
func Unconfined(t *testing.T) {
	noneLeft(t)
	r := opened(t, func(*testing.T) sandbox.Runner { return sandbox.NewOff() })
	for _, a := range attempts {
		if !a.bound {
			t.Run(string(a.holds)+"/"+a.name, func(t *testing.T) {
				if found := a.make(t, r); len(found) == 0 {
					t.Error("it fails without a sandbox too")
				}
			})
		}
	}
}

// guarantees lists those there are attempts at.
func guarantees() []sandbox.Guarantee {
	var all []sandbox.Guarantee
	for _, a := range attempts {
		if !slices.Contains(all, a.holds) {
			all = append(all, a.holds)
		}
	}
	return all
}

// make makes the attempt on a ground of its own and returns what came of it.
func (a attempt) make(t *testing.T, r sandbox.Runner) []string {
	t.Helper()
	g := newGround(t)
	var out bytes.Buffer
	cmd := g.cmd(t, a.script, &out)
	if a.trial != "" {
		cmd = g.cmd(t, `"$SELF"; exit 0`, &out)
		cmd.Env = append(cmd.Env, trialEnv+"="+a.trial)
	}
	if a.env != "" {
		cmd.Env = append(cmd.Env, os.Expand(a.env, func(name string) string { return variable(g.env, name) }))
	}
	cmd.Network = a.holds != sandbox.HoldsNetwork && a.holds != sandbox.HoldsSockets
	if a.terminal {
		cmd.Out = terminal(t)
	}
	if a.leak { // without the mark that closes it at an exec
		fd, err := syscall.Open(g.path("outside/file"), syscall.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer syscall.Close(fd)
	}
	if a.open {
		cmd.Hidden = slices.DeleteFunc(cmd.Hidden, func(path string) bool { return strings.HasPrefix(path, cmd.Dir) })
	}
	var found []string
	switch {
	case a.beside:
		found = a.makeBeside(t, r, g, cmd, &out)
	case a.then != "":
		mustRun(t, r, cmd)
		mustRun(t, r, scripted(cmd, a.then))
	default:
		mustRun(t, r, cmd)
	}
	found = append(found, g.evidence(t, out.String())...)
	if a.holds == sandbox.HoldsListing && strings.Contains(out.String(), g.name) {
		found = append(found, "a secret name was read")
	}
	if len(found) == 0 && r.Way() == sandbox.WayOff { // a packet may be on its way
		until(timely(t), func() bool { found = g.evidence(t, out.String()); return len(found) > 0 || t.Failed() })
	}
	t.Logf("%s", strings.ReplaceAll(out.String(), g.token, "(secret)"))
	return found
}

// scripted is cmd with another script.
func scripted(cmd sandbox.Cmd, script string) sandbox.Cmd {
	cmd.Argv = []string{"/bin/sh", "-c", script}
	return cmd
}

// makeBeside runs cmd until the second command has ended, and returns what is found
// while the first still runs.
func (a attempt) makeBeside(t *testing.T, r sandbox.Runner, g *ground, cmd sandbox.Cmd, out *bytes.Buffer) []string {
	t.Helper()
	first := scripted(cmd, a.script+"\necho ready\n"+`while [ ! -e "$TMPDIR/done" ]; do sleep 0.01; done`)
	ready := &gate{want: "ready", open: make(chan struct{})}
	first.Out, first.Err = ready, ready
	ended := make(chan error, 1)
	go func() {
		_, err := r.Run(timely(t), first)
		ended <- err
	}()
	select {
	case <-ready.open:
	case err := <-ended:
		t.Fatalf("the first command ended: %v: %s", err, ready.seen.String())
	}
	mustRun(t, r, scripted(cmd, a.then))
	found := g.evidence(t, out.String())
	if err := os.WriteFile(g.path("temp/done"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	out.WriteString(ready.seen.String())
	return found
}

// variable is the value of name in env.
func variable(env []string, name string) string {
	for _, kv := range env {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}

// terminal returns a terminal that another session has.
func terminal(t *testing.T) *os.File {
	t.Helper()
	ptmx, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ptmx.Close() })
	fd := int(ptmx.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tty.Close() })
	owner := exec.CommandContext(t.Context(), "/bin/sleep", "999")
	owner.Stdin = tty
	owner.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = owner.Process.Kill(); _ = owner.Wait() })
	return tty
}
