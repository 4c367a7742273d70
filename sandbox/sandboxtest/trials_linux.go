package sandboxtest

import (
	"context"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// trialEnv makes a re-executed test binary make one attempt that no shell can.
const trialEnv = "REASONIX_SANDBOXTEST_TRIAL"

// escaped is what a trial prints when it has done what it should not be able to
// and that leaves no other evidence.
const escaped = "ESCAPED"

// trial runs the trial that the environment names, if any.
func trial() (ran bool) {
	name := os.Getenv(trialEnv)
	if name == "" {
		return false
	}
	do, ok := trials[name]
	if !ok {
		fmt.Println("no trial", name)
		return true
	}
	runtime.LockOSThread() // tracing is by thread
	if err := do(); err != nil {
		fmt.Println(err)
	}
	return true
}

var trials = map[string]func() error{
	"tcp":      func() error { return dial("tcp", os.Getenv("TCP")) },
	"udp":      func() error { return dial("udp", os.Getenv("UDP")) },
	"unix":     func() error { return dial("unix", os.Getenv("SOCK")) },
	"unixgram": func() error { return dial("unixgram", os.Getenv("DSOCK")) },
	"abstract": func() error { return dial("unix", os.Getenv("ABSTRACT")) },
	"vsock":    openSocket(unix.AF_VSOCK, unix.SOCK_STREAM),
	"packet":   openSocket(unix.AF_PACKET, unix.SOCK_RAW),
	"trace":    func() error { return trace(victim()) },
	"traceOwn": func() error { return trace(supervisorPid()) },
	"memory":   readMemory,
	"handle":   openByHandle,
	"type":     typeIntoTerminal,
	"limits":   setLimits,
	"xattr":    func() error { return unix.Setxattr(os.Getenv("O")+"/file", "user.x", []byte("x"), 0) },
	"chroot":   leaveByChroot,
}

func dial(network, address string) error {
	d := net.Dialer{Timeout: 2 * time.Second}
	c, err := d.DialContext(context.Background(), network, address)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err = c.Write([]byte("x")); err != nil {
		return err
	}
	if network == "tcp" || network == "unix" { // the other side has accepted when it closes
		_, _ = c.Read(make([]byte, 1))
	}
	return nil
}

func openSocket(domain, kind int) func() error {
	return func() error {
		fd, err := unix.Socket(domain, kind, 0)
		if err != nil {
			return err
		}
		fmt.Println(escaped)
		return unix.Close(fd)
	}
}

func victim() int {
	pid, _ := strconv.Atoi(os.Getenv("V"))
	return pid
}

// supervisorPid is the parent of the shell that we were started by.
func supervisorPid() int {
	pid, err := parentOf(os.Getppid())
	if err != nil {
		return -1
	}
	return pid
}

func trace(pid int) error {
	if err := unix.PtraceSeize(pid); err != nil {
		return err
	}
	fmt.Println(escaped)
	return nil
}

func readMemory() error {
	var buf [16]byte
	base := victimStack()
	local := unix.Iovec{Base: &buf[0]}
	local.SetLen(len(buf))
	n, err := unix.ProcessVMReadv(victim(), []unix.Iovec{local}, []unix.RemoteIovec{{Base: base, Len: len(buf)}}, 0)
	if err != nil {
		return err
	}
	if n > 0 {
		fmt.Println(escaped)
	}
	return nil
}

// victimStack is an address that is mapped in the other process: the start of its
// stack is told to everybody.
func victimStack() uintptr {
	fields, err := stat(victim())
	if err != nil || len(fields) < 26 {
		return 0
	}
	at, _ := strconv.ParseUint(fields[25], 10, 64)
	return uintptr(at)
}

// openByHandle opens a file outside without a path, as only root can.
func openByHandle() error {
	handle, _, err := unix.NameToHandleAt(unix.AT_FDCWD, os.Getenv("O")+"/file", 0)
	if err != nil {
		return err
	}
	mount, err := unix.Open(os.Getenv("W"), unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	fd, err := unix.OpenByHandleAt(mount, handle, unix.O_WRONLY)
	if err != nil {
		return err
	}
	_, err = unix.Write(fd, []byte("x"))
	return err
}

// typeIntoTerminal puts input into the terminal that is our standard output and
// another session's controlling terminal.
func typeIntoTerminal() error {
	_, _, _ = syscall.Syscall(syscall.SYS_IOCTL, 1, unix.TIOCSCTTY, 0)
	char := byte('x')
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, 1, unix.TIOCSTI, uintptr(unsafe.Pointer(&char))); errno != 0 {
		return errno
	}
	_, err := os.Stderr.WriteString(escaped)
	return err
}

func setLimits() error {
	limit := unix.Rlimit{Cur: 10, Max: 10}
	if err := unix.Prlimit(victim(), unix.RLIMIT_NOFILE, &limit, nil); err != nil {
		return err
	}
	fmt.Println(escaped)
	return nil
}

// leaveByChroot is the classic way out of a changed root.
func leaveByChroot() error {
	dir := os.Getenv("W") + "/jail"
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if err := unix.Chroot(dir); err != nil {
		return err
	}
	for range 64 {
		_ = unix.Chdir("..")
	}
	if err := unix.Chroot("."); err != nil {
		return err
	}
	return os.WriteFile(os.Getenv("O")+"/file", []byte("x"), 0o600)
}
