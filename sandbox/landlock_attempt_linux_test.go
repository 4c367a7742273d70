package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// attemptEnv makes the test binary print what comes of an attempt, confined.
const attemptEnv = "REASONIX_ATTEMPT"

// attempt runs this binary in the jail with one attempt, and returns its lines.
func (j *jail) attempt(name string) []string {
	j.t.Helper()
	out, err := j.run("/usr/bin/env", attemptEnv+"="+name, j.binary(), "-test.run=^TestAttempt$", "-test.count=1")
	if err != nil {
		j.t.Fatalf("attempt %s: %v: %s", name, err, out)
	}
	return strings.Split(strings.TrimSpace(out), "\n")
}

// binary copies the test binary to where an ordinary user can execute it.
func (j *jail) binary() string {
	path := j.path("outside/attempt")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	self, err := os.Executable()
	if err != nil {
		j.t.Fatal(err)
	}
	from, err := os.Open(self)
	if err != nil {
		j.t.Fatal(err)
	}
	defer from.Close()
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		j.t.Fatal(err)
	}
	if _, err = io.Copy(to, from); err == nil {
		err = to.Close()
	}
	if err != nil {
		j.t.Fatal(err)
	}
	return path
}

var attempts = map[string]func(){
	"sockets":   trySockets,
	"processes": tryProcesses,
	"calls":     tryCalls,
	"disk":      tryDisk,
	"traced":    beTraced,
}

// TestAttempt is the confined side of the tests that need more than a shell.
func TestAttempt(t *testing.T) {
	try, ok := attempts[os.Getenv(attemptEnv)]
	if !ok {
		return
	}
	try()
	os.Exit(0)
}

// say prints what came of a call.
func say(name string, err error) {
	word := "ok"
	var errno syscall.Errno
	switch {
	case errors.As(err, &errno):
		word = unix.ErrnoName(errno)
	case err != nil:
		word = err.Error()
	}
	fmt.Println(name, word)
}

func trySockets() {
	for name, s := range map[string][3]int{
		"tcp": {unix.AF_INET, unix.SOCK_STREAM, 0}, "udp": {unix.AF_INET, unix.SOCK_DGRAM, 0}, "tcp6": {unix.AF_INET6, unix.SOCK_STREAM, 0},
		"ping": {unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_ICMP}, "raw": {unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP},
		"packet": {unix.AF_PACKET, unix.SOCK_RAW, 0}, "vsock": {unix.AF_VSOCK, unix.SOCK_STREAM, 0}, "unix": {unix.AF_UNIX, unix.SOCK_STREAM, 0},
		"unix datagram": {unix.AF_UNIX, unix.SOCK_DGRAM | unix.SOCK_CLOEXEC, 0}, "netlink route": {unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE},
		"netlink audit": {unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT},
	} {
		_, err := unix.Socket(s[0], s[1], s[2])
		say(name, err)
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		_, err = unix.Write(pair[0], []byte("x"))
	}
	if err == nil {
		_, err = unix.Read(pair[1], make([]byte, 1))
	}
	say("pair", err)
	_, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	say("pair of datagrams", err)
	_, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_RAW, 0)
	say("pair of raw", err)
}

func TestLandlockNetworkFalse(t *testing.T) {
	jails(t, func(t *testing.T, j *jail) {
		j.cmd.Network = false
		got := j.attempt("sockets")
		slices.Sort(got)
		want := []string{
			"netlink audit EPERM", "netlink route ok", "packet EPERM", "pair of datagrams EPERM", "pair of raw EPERM", "pair ok", "ping EPERM",
			"raw EPERM", "tcp EPERM", "tcp6 EPERM", "udp EPERM", "unix EPERM", "unix datagram EPERM", "vsock EPERM",
		}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestLandlockNetworkTrue(t *testing.T) {
	jails(t, func(t *testing.T, j *jail) {
		got := j.attempt("sockets")
		for _, want := range []string{"tcp ok", "udp ok", "tcp6 ok", "unix ok", "unix datagram ok", "pair ok", "pair of datagrams ok", "netlink route ok"} {
			if !slices.Contains(got, want) && want != "tcp6 ok" { // a machine may be without
				t.Errorf("got %q, want %q", got, want)
			}
		}
	})
}

// tryProcesses goes for the process that owns the jail, which is of the same user.
func tryProcesses() {
	owner, _ := strconv.Atoi(os.Getenv("REASONIX_OWNER"))
	say("signal", syscall.Kill(owner, 0))
	say("ptrace", unix.PtraceAttach(owner))
	var word [8]byte
	local := []unix.Iovec{{Base: &word[0]}}
	local[0].SetLen(len(word))
	_, err := unix.ProcessVMReadv(owner, local, []unix.RemoteIovec{{Base: uintptr(unsafe.Pointer(&word)), Len: len(word)}}, 0)
	say("read memory", err)
	for _, name := range []string{"environ", "mem", "maps", "auxv"} {
		_, err := os.ReadFile(procFile(owner, name))
		say(name, err)
	}
	_, err = os.Readlink(procFile(owner, "fd/0"))
	say("fd", err)
	_, err = os.Open(procFile(owner, "root/etc/passwd"))
	say("root", err)
	pidfd, err := unix.PidfdOpen(owner, 0)
	if err == nil {
		_, err = unix.PidfdGetfd(pidfd, 0, 0)
	}
	say("take descriptor", err)
}

func errnoOrNil(errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}

func TestLandlockHoldsProcesses(t *testing.T) {
	if !slices.Contains(landlockHolds(), HoldsProcesses) {
		t.Fatal("this kernel does not hold it; the test needs Linux 6.12")
	}
	jails(t, func(t *testing.T, j *jail) {
		for _, line := range j.attempt("processes") {
			name, word, _ := strings.Cut(line, " ")
			if word == "ok" || strings.HasSuffix(word, " ok") {
				t.Errorf("%s: %s", name, word)
			}
		}
	})
}

// tryCalls makes calls that the filter refuses. Arguments are such that the kernel
// itself would say something else than EPERM, or nothing would come of it.
func tryCalls() {
	bad := ^uintptr(0)
	for name, c := range map[string][4]uintptr{
		"keyctl":          {unix.SYS_KEYCTL, 0, ^uintptr(2), 0}, // the session's keyring
		"add_key":         {unix.SYS_ADD_KEY, 0, 0, 0},
		"io_uring":        {unix.SYS_IO_URING_SETUP, 0, 0, 0},
		"bpf":             {unix.SYS_BPF, bad, 0, 0},
		"userfaultfd":     {unix.SYS_USERFAULTFD, bad, 0, 0},
		"handle":          {unix.SYS_OPEN_BY_HANDLE_AT, bad, 0, 0},
		"setns":           {unix.SYS_SETNS, bad, 0, 0},
		"fsopen":          {unix.SYS_FSOPEN, 0, bad, 0},
		"unshare user":    {unix.SYS_UNSHARE, unix.CLONE_NEWUSER, 0, 0},
		"unshare mount":   {unix.SYS_UNSHARE, unix.CLONE_NEWNS, 0, 0},
		"clone user":      {unix.SYS_CLONE, unix.CLONE_NEWUSER | uintptr(unix.SIGCHLD), 0, 0},
		"sti":             {unix.SYS_IOCTL, bad, unix.TIOCSTI, 0},
		"sti in disguise": {unix.SYS_IOCTL, bad, unix.TIOCSTI | 1<<40, 0},
		"linux console":   {unix.SYS_IOCTL, bad, unix.TIOCLINUX, 0},
	} {
		_, _, errno := unix.RawSyscall(c[0], c[1], c[2], c[3])
		say(name, errnoOrNil(errno))
	}
	_, _, errno := unix.RawSyscall(unix.SYS_CLONE3, 0, 0, 0)
	if errno == unix.ENOSYS {
		errno = unix.EPERM
	}
	say("clone3", errnoOrNil(errno))
	say("mount", unix.Mount("none", "/mnt", "tmpfs", 0, ""))
	say("unmount", unix.Unmount("/proc", unix.MNT_DETACH))
	say("chroot", unix.Chroot("/proc"))
}

func TestLandlockRefusesCalls(t *testing.T) {
	jails(t, func(t *testing.T, j *jail) {
		got := j.attempt("calls")
		for _, line := range got {
			if !strings.HasSuffix(line, " EPERM") {
				t.Errorf("got %q, want EPERM", line)
			}
		}
		if len(got) < 15 {
			t.Errorf("got %q", got)
		}
		j.works(`(sleep 0.01) & wait; sh -c 'exit 0'; cd /usr; ls >/dev/null`)
	})
}

// tryDisk goes below the file system.
func tryDisk() {
	for _, path := range []string{"/proc/kcore", "/dev/mem", "/dev/kmsg", "/dev/fuse"} {
		if f, err := os.OpenFile(path, os.O_RDONLY, 0); err == nil {
			_, err = f.Read(make([]byte, 1))
			say(path, err)
		}
	}
	disks, _ := filepath.Glob("/sys/class/block/*")
	for _, disk := range disks {
		_, err := os.Open(filepath.Join("/dev", filepath.Base(disk)))
		say(disk, err)
	}
	terminals, _ := filepath.Glob("/dev/pts/*")
	for _, terminal := range append(terminals, "/dev/ptmx") {
		_, err := os.OpenFile(terminal, os.O_WRONLY|unix.O_NOCTTY, 0)
		say(terminal, err)
	}
	say("node", unix.Mknod("disk", unix.S_IFBLK|0o600, int(unix.Mkdev(254, 0))))
	say("character node", unix.Mknod("mem", unix.S_IFCHR|0o600, int(unix.Mkdev(1, 1))))
}

func TestLandlockHoldsBelowTheFileSystem(t *testing.T) {
	jails(t, func(t *testing.T, j *jail) {
		for _, line := range j.attempt("disk") {
			if strings.HasSuffix(line, " ok") {
				t.Errorf("got %q", line)
			}
		}
	})
}
