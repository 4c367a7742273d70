package sandboxtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"reasonix/sandbox"
)

// ownerEnv makes a re-executed test binary the owner that is killed; its value
// is the directory where the owner's command notes its process ids.
const ownerEnv = "REASONIX_SANDBOXTEST_OWNER"

// nestedEnv is set for an owner that is itself confined, and confines nothing.
const nestedEnv = "REASONIX_SANDBOXTEST_NESTED"

// escapes are the ways a process leaves its parent. Each notes its id in pids.
var escapes = map[string]string{
	"background":   `sh -c 'echo $$ >>pids; exec sleep 999' &`,
	"own session":  `setsid sh -c 'echo $$ >>pids; exec sleep 999' &`,
	"nohup":        `setsid nohup sh -c 'echo $$ >>pids; exec sleep 999' >/dev/null 2>&1 &`,
	"forks twice":  `(setsid sh -c '(sh -c "echo \$\$ >>pids; exec sleep 999" &) ' &)`,
	"ignores TERM": `setsid sh -c 'trap "" TERM HUP; echo $$ >>pids; while :; do sleep 999; done' &`,
}

// noted waits until a script's escape has noted its id.
const noted = "\nwhile [ ! -s pids ]; do sleep 0.01; done\n"

func conformSystem(t *testing.T, open func(t *testing.T) sandbox.Runner) {
	t.Helper()
	if dir := os.Getenv(ownerEnv); dir != "" {
		t.Run("OwnerIsKilled", func(t *testing.T) {
			r := sandbox.NewOff()
			if os.Getenv(nestedEnv) == "" {
				r = open(t)
			}
			own(t, r, dir)
		})
		return
	}
	t.Run("OwnerIsKilled", func(t *testing.T) {
		for name, script := range escapes {
			t.Run(name, func(t *testing.T) { t.Parallel(); ownerIsKilled(t, script) })
		}
		t.Run("with its supervisor stopped", func(t *testing.T) { t.Parallel(); ownerIsKilled(t, "kill -STOP $PPID\n"+escapes["own session"]) })
	})
}

var systemCases = []testCase{
	{name: "NothingOutlivesItsCommand", test: leftovers},
	{name: "NothingOutlivesACancel", test: leftoversOfACancel},
	{name: "CommandHasNoTerminalAndNoOtherFiles", test: inherits},
	{name: "NoDescriptorAndNoProcessIsLeaked", test: leaks, alone: true},
	{name: "SupervisorThatIsKilled", test: killedSupervisor, alone: true},
	{name: "SupervisorThatIsKilledLeavesOthersAlone", test: othersOfTheOwner, alone: true},
	{name: "SupervisorThatIsStoppedAtACancel", test: stoppedAtACancel},
	{name: "SupervisorThatIsStoppedAtClose", test: stoppedAtClose},
}

func leftovers(t *testing.T, r sandbox.Runner) {
	for name, script := range escapes {
		t.Run(name, func(t *testing.T) {
			cmd := sh(t, script+noted+"exit 6", nil)
			exit := mustRun(t, r, cmd)
			if exit.Code != 6 || len(exit.Killed) == 0 {
				t.Errorf("got %+v, want code 6 and the process named", exit)
			}
			mustBeGone(t, cmd.Dir, 0)
		})
	}
}

func leftoversOfACancel(t *testing.T, r sandbox.Runner) {
	for name, script := range escapes {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(timely(t))
			out := &gate{want: "ready", open: make(chan struct{})}
			cmd := sh(t, script+noted+"echo ready; sleep 999", out)
			go func() { <-out.open; cancel() }()
			if _, err := r.Run(ctx, cmd); err == nil {
				t.Error("want the context's error")
			}
			mustBeGone(t, cmd.Dir, 0)
		})
	}
}

// own is the part of the owner: it runs until it is killed.
func own(t *testing.T, r sandbox.Runner, dir string) {
	script, err := os.ReadFile(filepath.Join(dir, "script"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Run(context.Background(), shIn(dir, string(script), nil))
	t.Fatalf("the owner was not killed: %v", err)
}

// script leaves what an owner is to run in dir.
func script(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "script"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// ownerCommand is this test binary as the owner of the command in dir. within is
// the part of the present test's name that follows the suite's.
func ownerCommand(t *testing.T, within, dir string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	root, _, _ := strings.Cut(t.Name(), within)
	owner := exec.CommandContext(t.Context(), self, "-test.run=^"+strings.ReplaceAll(root, "/", "$/^")+"$/^OwnerIsKilled$")
	owner.Env = append(os.Environ(), ownerEnv+"="+dir)
	return owner
}

// ownerIsKilled starts an owner, kills it with SIGKILL, and expects that nothing
// of its command remains.
func ownerIsKilled(t *testing.T, escape string) {
	dir := t.TempDir()
	script(t, dir, escape+noted+"sleep 999")
	owner := ownerCommand(t, "/OwnerIsKilled", dir)
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	within(t, 20*time.Second, "the command runs", func() bool { return len(pids(dir)) > 0 })
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait()
	mustBeGone(t, dir, 3*time.Second)
}

func inherits(t *testing.T, r sandbox.Runner) {
	var out bytes.Buffer
	mustRun(t, r, sh(t, `for f in /proc/self/fd/*; do [ -e $f ] && printf '%s ' ${f##*/}; done; (: </dev/tty) 2>/dev/null && echo tty
grep -E 'Sig(Ign|Blk)' /proc/self/status`, &out))
	// Signals 32 and 33 are the C library's own; GNU make starts its commands with
	// them ignored, and no Go program can change that.
	got := regexp.MustCompile(`(SigIgn:\t0{7})[0-9a-f]([08])0{7}\n`).ReplaceAllString(out.String(), "${1}000000000\n")
	want := "0 1 2 SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"
	if got != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func leaks(t *testing.T, r sandbox.Runner) {
	script := "cat; echo out; echo err >&2; setsid sleep 0.001 & "
	var out counter
	dir := t.TempDir()
	run := func() {
		cmd := shIn(dir, script, &out)
		cmd.In = strings.NewReader("in")
		mustRun(t, r, cmd)
	}
	others := children(os.Getpid()) // of tests that ran before
	run()
	before := count(t, "/proc/self/fd")
	supervisors := slices.DeleteFunc(children(os.Getpid()), func(pid int) bool { return slices.Contains(others, pid) })
	for range 20 {
		run()
	}
	if after := count(t, "/proc/self/fd"); after > before {
		t.Errorf("descriptors: %d, then %d", before, after)
	}
	if got := children(os.Getpid()); len(got) != len(others)+len(supervisors) {
		t.Errorf("children: %v, then %v", supervisors, got)
	}
	for _, pid := range supervisors {
		for inside := children(pid); len(inside) > 0; inside = children(inside[0]) {
			if len(inside) > 1 || !selfIs(inside[0]) { // it may be below what confines it
				t.Errorf("supervisor %d keeps %v", pid, inside)
			}
		}
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	for _, pid := range supervisors {
		if syscall.Kill(pid, 0) == nil {
			t.Errorf("process %d is still there after Close", pid)
		}
	}
}

func count(t *testing.T, dir string) int {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// children lists a process's children, zombies included.
func children(parent int) []int {
	var found []int
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if ppid, err := parentOf(pid); err == nil && ppid == parent {
			found = append(found, pid)
		}
	}
	return found
}

// pids are the ids a command's processes noted.
func pids(dir string) []int {
	data, _ := os.ReadFile(filepath.Join(dir, "pids"))
	var list []int
	for _, field := range strings.Fields(string(data)) {
		if pid, err := strconv.Atoi(field); err == nil {
			list = append(list, pid)
		}
	}
	return list
}

// mustBeGone expects that no process of the command in dir is left. Those are
// known by their directory: the ids they noted may be of another namespace.
func mustBeGone(t *testing.T, dir string, patience time.Duration) {
	t.Helper()
	if len(pids(dir)) == 0 {
		t.Error("the command noted no process id")
	}
	within(t, patience, fmt.Sprintf("processes %v are gone", livingIn(dir)), func() bool { return len(livingIn(dir)) == 0 })
}

// livingIn lists the processes that work in dir.
func livingIn(dir string) []int {
	var found []int
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if at, err := os.Readlink("/proc/" + name + "/cwd"); err == nil && at == dir {
			found = append(found, pid)
		}
	}
	return found
}

// selfIs tells whether a process is this binary, such as a supervisor.
func selfIs(pid int) bool {
	self, err := os.Executable()
	if err != nil {
		return false
	}
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return err == nil && exe == self || errors.Is(err, os.ErrPermission)
}

// supervisorOf returns the process that a command in dir was started by; 0 when
// there is none.
func supervisorOf(dir string) int {
	for _, pid := range livingIn(dir) {
		parent, err := parentOf(pid)
		if err == nil && parent != os.Getpid() && selfIs(parent) {
			return parent
		}
	}
	return 0
}

func parentOf(pid int) (parent int, err error) {
	fields, err := stat(pid)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(fields[1])
}

// stat returns the fields of /proc/PID/stat that follow the process's name.
func stat(pid int) ([]string, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:])), nil
}

// within polls a condition of another process under a deadline.
func within(t *testing.T, patience time.Duration, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if !time.Now().Before(deadline) {
			t.Errorf("not within %v: %s", patience, what)
			return
		}
	}
}
