package sandbox

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What a supervisor filters of its commands' system calls, beside what confines it.

// offline is the argument of a supervisor whose commands have no network.
const offline = "offline"

// isolated are the families of sockets that a network namespace keeps apart, or
// that reach nothing. Others lead out of it: to the host of a virtual machine, to a
// radio.
var isolated = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK, unix.AF_PACKET, unix.AF_ALG}

// filterNested completes what namespaces separate. The keys of a user are in none.
func filterNested(network bool) error {
	return install(func(p *program) {
		for _, nr := range []uint32{unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL} {
			p.when(unix.BPF_JEQ, nr, failWith(unix.EPERM))
		}
		if network {
			return
		}
		p.when(unix.BPF_JEQ, unix.SYS_IO_URING_SETUP, failWith(unix.EPERM)) // opens sockets unseen
		p.call(unix.SYS_SOCKET, func(p *program) {
			p.argument(0)
			for _, family := range isolated {
				p.when(unix.BPF_JEQ, family, unix.SECCOMP_RET_ALLOW)
			}
			p.give(failWith(unix.EPERM))
		})
	})
}

// filterLandlocked keeps commands from setting limits for processes of others: one
// on the time of a processor ends a process.
func filterLandlocked() error {
	return install(func(p *program) {
		p.call(unix.SYS_PRLIMIT64, func(p *program) {
			p.argument(0)
			p.unless(0, failWith(unix.EPERM))
		})
	})
}

// install puts the calling thread under a filter, and what it starts. The thread
// cannot gain privileges any more.
func install(judge func(*program)) error {
	arch, ok := auditArch()
	if !ok {
		return fmt.Errorf("seccomp: no filter for %s", runtime.GOARCH)
	}
	var p program
	p.load(offsetArch)
	p.unless(arch, unix.SECCOMP_RET_KILL_PROCESS)
	p.load(offsetNumber)
	p.when(unix.BPF_JGE, x32, failWith(unix.ENOSYS))
	judge(&p)
	p.give(unix.SECCOMP_RET_ALLOW)
	prog := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
}

// settle makes the supervisor what its commands need it to be, before the first.
// how is its arguments: the way it is confined by, and offline. It is called on the
// thread that starts the commands.
func settle(how []string) error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("prctl subreaper: %w", err)
	}
	if len(how) == 0 {
		return nil
	}
	// Commands of the same user could trace it otherwise.
	err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	switch how[0] {
	case WayBwrap:
		// It goes with bwrap, its parent outside.
		err = errors.Join(err, unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0))
		err = errors.Join(err, filterNested(!slices.Contains(how, offline)))
	case WayLandlock:
		err = errors.Join(err, filterLandlocked())
	}
	return err
}
