package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A jail is a directory of a test with what a confinement is about, for root or an
// ordinary user.
type jail struct {
	t   *testing.T
	uid int
	dir string // holds work, outside, hidden
	cmd Cmd
}

// nobody is an ordinary user without rights to anything of ours.
const nobody = 65534

// jails runs test as every user we can be.
func jails(t *testing.T, test func(t *testing.T, j *jail)) {
	t.Helper()
	if err := probeLandlock(); err != nil {
		t.Fatal(err)
	}
	users := map[string]int{"ourselves": os.Getuid()}
	if os.Getuid() == 0 {
		users["ordinary user"] = nobody
	}
	for name, uid := range users {
		t.Run(name, func(t *testing.T) { test(t, newJail(t, uid)) })
	}
}

func newJail(t *testing.T, uid int) *jail {
	t.Helper()
	// An ordinary user must get there: TMPDIR may be in a directory of root's.
	dir, err := os.MkdirTemp("/tmp", "jail")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	j := &jail{t: t, uid: uid, dir: dir}
	j.mkdir(".")
	for _, name := range []string{"work", "outside", "home/secrets"} {
		j.mkdir(name)
	}
	j.write("outside/file", "outside\n")
	j.write("home/key", "secret\n")
	j.write("home/secrets/one", "secret\n")
	j.write("home/notes", "notes\n")
	j.cmd = Cmd{
		Writable: []string{j.path("work")}, Hidden: []string{j.path("home/key"), j.path("home/secrets"), j.path("home/later")},
		Network: true,
	}
	return j
}

func (j *jail) path(name string) string { return filepath.Join(j.dir, name) }

func (j *jail) own(path string) {
	j.t.Helper()
	if err := os.Chown(path, j.uid, -1); err != nil {
		j.t.Fatal(err)
	}
}

func (j *jail) mkdir(name string) {
	j.t.Helper()
	if err := os.MkdirAll(j.path(name), 0o755); err != nil {
		j.t.Fatal(err)
	}
	if err := os.Chmod(j.path(name), 0o755); err != nil {
		j.t.Fatal(err)
	}
	j.own(j.path(name))
	j.own(filepath.Dir(j.path(name + "/.")))
}

func (j *jail) write(name, text string) {
	j.t.Helper()
	if err := os.WriteFile(j.path(name), []byte(text), 0o644); err != nil {
		j.t.Fatal(err)
	}
	j.own(j.path(name))
}

func (j *jail) read(name string) string {
	data, err := os.ReadFile(j.path(name))
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// run executes argv in the directory work, confined, and returns what it printed.
func (j *jail) run(argv ...string) (string, error) {
	j.t.Helper()
	var out bytes.Buffer
	cmd := exec.CommandContext(j.t.Context(), argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = j.path("work"), &out, &out
	cmd.Env = append(os.Environ(), "HOME="+j.path("work"), "REASONIX_JAIL="+j.dir, fmt.Sprint("REASONIX_OWNER=", os.Getpid()))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if j.uid != os.Getuid() {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(j.uid), Gid: uint32(j.uid)}
	}
	if err := startLandlocked(confinementOf(j.cmd, true), cmd.Start); err != nil {
		j.t.Fatal(err)
	}
	err := cmd.Wait()
	return out.String(), err
}

// works expects that a script succeeds, and returns its output.
func (j *jail) works(script string) string {
	j.t.Helper()
	out, err := j.run("/bin/sh", "-euc", script)
	if err != nil {
		j.t.Errorf("%s: %v: %s", script, err, out)
	}
	return out
}

// fails expects that a script fails for one of the reasons.
func (j *jail) fails(script string, why ...string) {
	j.t.Helper()
	out, err := j.run("/bin/sh", "-euc", script)
	if err == nil {
		j.t.Errorf("%s: succeeded: %s", script, out)
		return
	}
	if len(why) == 0 {
		why = []string{"Permission denied"}
	}
	for _, text := range why {
		if strings.Contains(out, text) {
			return
		}
	}
	j.t.Errorf("%s: failed with %q, want one of %q", script, out, why)
}

func TestLandlockWritesOnlyInsideWritable(t *testing.T) {
	jails(t, func(t *testing.T, j *jail) {
		j.works(`echo a >a; mkdir d; mv a d/b; ln d/b d/hard; ln -s d/b link; mkfifo p; : >d/b; rm d/hard; rm -r d; echo x >/dev/null`)
		j.works(`head -c 8 /dev/urandom >r; cat /dev/zero | head -c 8 >>r; test $(wc -c <r) = 16`)
		for _, script := range []string{
			`echo x >../outside/file`, `echo x >>../outside/file`, `: >../outside/file`, `echo x >../outside/new`,
			`mkdir ../outside/new`, `ln -s x ../outside/new`, `mkfifo ../outside/new`, `rm ../outside/file`,
			`ln -s ../outside out; echo x >out/file`, `echo x >/proc/self/root` + j.path("outside/file"),
			`truncate -s 0 ../outside/file`, `dd if=/dev/null of=../outside/file`,
			`echo x >/dev/shm/reasonix-escape`, `echo x >$HOME/../outside/file`,
		} {
			j.fails(script)
		}
		j.fails(`mv ../outside/file f`, "Permission denied", "cannot move", "Invalid cross-device link")
		j.fails(`ln ../outside/file f; echo x >f`, "Permission denied", "Invalid cross-device link", "Operation not permitted")
		j.fails(`echo 1 >w; mv w ../outside/w`, "Permission denied", "cannot move")
		if got := j.read("outside/file"); got != "outside\n" {
			t.Errorf("the file outside is now %q", got)
		}
		if list, _ := os.ReadDir(j.path("outside")); len(list) != 1 {
			t.Errorf("outside has %v", list)
		}
	})
}

func TestLandlockReadsEverywhereButHidden(t *testing.T) {
	jails(t, func(t *testing.T, j *jail) {
		if err := os.Symlink(j.path("home/key"), j.path("work/before")); err != nil {
			t.Fatal(err)
		}
		j.works(`cat ../outside/file ../home/notes /proc/self/status /etc/passwd >/dev/null; ls / ../home ../outside /usr /dev; test -e ../home/key`)
		for _, script := range []string{
			`cat ../home/key`, `cat before`, `ln -s ../home/key l; cat l`, `cat /proc/self/root` + j.path("home/key"),
			`cat /proc/self/cwd/../home/key`, `cd ../home; cat key`, `cat ../home/secrets/one`,
			`: >../home/key`, `rm ../home/key`, `echo x >../home/secrets/two`, `exec 3<../home/key`, `cp ../home/key k`,
		} {
			j.fails(script)
		}
		j.fails(`ln ../home/key k; cat k`, "Permission denied", "Invalid cross-device link", "Operation not permitted")
		j.fails(`mv ../home/secrets s; cat s/one`, "Permission denied", "cannot move", "Invalid cross-device link")
	})
}

// What is created beside a hidden path is closed, there or under a name that was
// hidden before it existed.
func TestLandlockSiblingsCreatedLaterStayClosed(t *testing.T) {
	jails(t, func(t *testing.T, j *jail) {
		out := make(chan string)
		fifo := j.path("work/go")
		if err := unix.Mkfifo(fifo, 0o666); err != nil {
			t.Fatal(err)
		}
		j.own(fifo)
		go func() { out <- j.works(`read x <go; cat ../home/notes; cat ../home/later ../home/new 2>&1 || true`) }()
		f, err := os.OpenFile(fifo, os.O_WRONLY, 0) // waits for the reader
		if err != nil {
			t.Fatal(err)
		}
		j.write("home/later", "secret\n")
		j.write("home/new", "secret\n")
		_, _ = f.WriteString("go\n")
		_ = f.Close()
		if got := <-out; !strings.HasPrefix(got, "notes\n") || strings.Contains(got, "secret") || strings.Count(got, "Permission denied") != 2 {
			t.Errorf("got %q", got)
		}
	})
}

// A second name of a hidden file that stands beside it is not allowed with the
// others: the rule would be the file's.
func TestLandlockHiddenHasNoSecondNameBesideIt(t *testing.T) {
	jails(t, func(t *testing.T, j *jail) {
		if err := os.Link(j.path("home/key"), j.path("home/key2")); err != nil {
			t.Fatal(err)
		}
		j.fails(`cat ../home/key2`)
		j.fails(`cat ../home/key`)
	})
}

// Of several places around a path the innermost holds.
func TestLandlockInnermostPlaceHolds(t *testing.T) {
	jails(t, func(t *testing.T, j *jail) {
		for _, name := range []string{"home/secrets/work", "home/secrets/docs", "work/private"} {
			j.mkdir(name)
			j.write(name+"/file", name)
		}
		j.cmd.Writable = append(j.cmd.Writable, j.path("home/secrets/work"))
		j.cmd.Bare = []string{j.path("home/secrets/docs")}
		j.cmd.Hidden = append(j.cmd.Hidden, j.path("work/private"))
		j.works(`cat ../home/secrets/work/file ../home/secrets/docs/file; echo x >../home/secrets/work/new; ls ../home/secrets/docs`)
		j.fails(`echo x >../home/secrets/docs/file`)
		j.fails(`cat ../home/secrets/one`)
		j.fails(`cat private/file`)
		j.fails(`echo x >private/new`)
	})
}

// A hidden file in the workspace: what is there can be used, and listed; nothing
// can be created beside it.
func TestLandlockHiddenFileInsideWritable(t *testing.T) {
	jails(t, func(t *testing.T, j *jail) {
		j.write("work/.env", "secret")
		j.write("work/main.go", "package main")
		j.mkdir("work/sub")
		j.cmd.Hidden = append(j.cmd.Hidden, j.path("work/.env"))
		j.works(`ls; cat main.go; echo x >main.go; echo x >sub/new; cat sub/new; mv sub/new sub/other`)
		for _, script := range []string{`cat .env`, `echo x >.env`, `rm -f .env`, `echo x >new`, `mv .env sub/env`, `mkdir new`} {
			j.fails(script, "Permission denied", "cannot move", "cannot remove", "Invalid cross-device link")
		}
	})
}

func TestLandlockRefusesToHideASocketItCannot(t *testing.T) {
	j := newJail(t, os.Getuid())
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: j.path("home/socket")}); err != nil {
		t.Fatal(err)
	}
	c := confinement{Hidden: []string{j.path("home/socket")}, Network: true}
	if err := startLandlocked(c, func() error { return errors.New("started") }); err == nil || !strings.Contains(err.Error(), "cannot hide the socket") {
		t.Errorf("got %v", err)
	}
	c.Network = false // no socket can be made then
	if err := startLandlocked(c, func() error { return nil }); err != nil {
		t.Error(err)
	}
}

func TestLandlockDefects(t *testing.T) {
	for _, c := range []struct {
		abi      int
		err      error
		why, fix string
	}{
		{0, unix.ENOSYS, "does not have Landlock", "Linux 6.2"},
		{0, unix.EOPNOTSUPP, "switched off", "lsm="},
		{0, unix.EPERM, "a filter around us", "seccomp profile"},
		{0, unix.EIO, "input/output error", "Linux 6.2"},
		{2, nil, "has version 2 of Landlock", "Linux 6.2"},
	} {
		d := landlockDefect(c.abi, c.err)
		if !strings.Contains(d.Error(), c.why) || !strings.Contains(d.Error(), "kernel "+kernel()) || !strings.Contains(d.fix, c.fix) {
			t.Errorf("version %d, %v: got %v; %s", c.abi, c.err, d, d.fix)
		}
	}
}

// The thread that a process is started from does not stay, since the process could
// trace it, and ours are not confined by it.
func TestLandlockLeavesTheOwnerAlone(t *testing.T) {
	j := newJail(t, os.Getuid())
	for range 20 {
		j.works(":")
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range tasks {
			status, _ := os.ReadFile("/proc/self/task/" + task.Name() + "/status")
			if strings.Contains(string(status), "NoNewPrivs:\t1") || strings.Contains(string(status), "Seccomp:\t2") {
				t.Fatalf("thread %s is confined", task.Name())
			}
		}
	}
	j.write("outside/file", "ours")
}

func BenchmarkLandlockStart(b *testing.B) {
	home, err := os.UserHomeDir()
	if err != nil {
		b.Fatal(err)
	}
	hidden := confinementOf(Cmd{Writable: []string{b.TempDir()}, Hidden: []string{filepath.Join(home, ".env-reasonix")}, Network: true}, true)
	for name, start := range map[string]func(func() error) error{
		"plain":  func(f func() error) error { return f() },
		"held":   func(f func() error) error { return startLandlocked(confinement{Network: true}, f) },
		"hidden": func(f func() error) error { return startLandlocked(hidden, f) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				cmd := exec.CommandContext(b.Context(), "/bin/true")
				if err := start(cmd.Start); err != nil {
					b.Fatal(err)
				}
				if err := cmd.Wait(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
