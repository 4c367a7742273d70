package sandbox

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The filter of system calls that Landlock's rules are completed by: what has no
// path to judge, and what would get around the rules or the filter itself. We
// assemble it ourselves. The libraries for it let calls of a foreign architecture
// pass a list of refusals, and then a 64-bit program makes any of them through its
// machine's 32-bit gate.
//
// Tracing is not refused: Landlock allows it inside the confinement only, and leak
// detectors need it there.

// refused are system calls that fail with EPERM whatever their arguments.
var refused = []uint32{
	// Another view of the file system. Landlock refuses most of these too.
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
	unix.SYS_OPEN_TREE_ATTR, unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK,
	unix.SYS_MOUNT_SETATTR, unix.SYS_SETNS, unix.SYS_OPEN_BY_HANDLE_AT,
	// Requests that are executed without passing a filter.
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	// Keys of the user's session, which no process boundary keeps apart.
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
	// The kernel, where it lets ordinary users or only root at it.
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_REBOOT, unix.SYS_SWAPON,
	unix.SYS_SWAPOFF, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
	unix.SYS_ACCT, unix.SYS_QUOTACTL,
}

// newNamespaces are the flags of clone and unshare by which a process gets
// privileges in a namespace of its own.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWTIME

// Offsets in the kernel's seccomp_data. An argument has 64 bits, of which the
// kernel looks at the lower half of those that are judged here.
const (
	offsetNumber = 0
	offsetArch   = 4
	offsetArgs   = 16
	sizeArg      = 8
)

// x32 marks the system calls of amd64's third interface.
const x32 = 0x40000000

// auditArch returns the kernel's name for our architecture.
func auditArch() (uint32, bool) {
	switch runtime.GOARCH {
	case "amd64":
		return unix.AUDIT_ARCH_X86_64, true
	case "arm64":
		return unix.AUDIT_ARCH_AARCH64, true
	}
	return 0, false
}

// A program is a filter in the making.
type program []unix.SockFilter

// filter assembles the filter for our architecture. Without network the only
// sockets are pairs that stay connected, and those that list the machine's
// interfaces.
func filter(arch uint32, network bool) program {
	var p program
	p.load(offsetArch)
	p.unless(arch, unix.SECCOMP_RET_KILL_PROCESS)
	p.load(offsetNumber)
	p.when(unix.BPF_JGE, x32, failWith(unix.ENOSYS))
	for _, nr := range refused {
		p.when(unix.BPF_JEQ, nr, failWith(unix.EPERM))
	}
	// Its flags are in memory, out of a filter's sight; the C libraries fall back.
	p.when(unix.BPF_JEQ, unix.SYS_CLONE3, failWith(unix.ENOSYS))
	p.call(unix.SYS_CLONE, namespaces)
	p.call(unix.SYS_UNSHARE, namespaces)
	p.call(unix.SYS_IOCTL, terminalInput)
	if !network {
		p.call(unix.SYS_SOCKET, interfacesOnly)
		p.call(unix.SYS_SOCKETPAIR, connectedPairs)
	}
	p.give(unix.SECCOMP_RET_ALLOW)
	return p
}

func namespaces(p *program) {
	p.argument(0)
	p.when(unix.BPF_JSET, newNamespaces, failWith(unix.EPERM))
}

// terminalInput refuses to type into a terminal.
func terminalInput(p *program) {
	p.argument(1)
	p.when(unix.BPF_JEQ, unix.TIOCSTI, failWith(unix.EPERM))
	p.when(unix.BPF_JEQ, unix.TIOCLINUX, failWith(unix.EPERM))
}

func interfacesOnly(p *program) {
	p.argument(0)
	p.unless(unix.AF_NETLINK, failWith(unix.EPERM))
	p.argument(2)
	p.unless(unix.NETLINK_ROUTE, failWith(unix.EPERM))
}

// connectedPairs leaves out the datagram sockets: one of a pair can be connected
// anew, to a socket outside.
func connectedPairs(p *program) {
	p.argument(0)
	p.unless(unix.AF_UNIX, failWith(unix.EPERM))
	p.argument(1)
	p.statement(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, 0xf)
	p.when(unix.BPF_JEQ, unix.SOCK_DGRAM, failWith(unix.EPERM))
	p.when(unix.BPF_JEQ, unix.SOCK_RAW, failWith(unix.EPERM)) // the same as a datagram
}

func failWith(errno unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(errno) }

func (p *program) statement(code uint16, k uint32) {
	*p = append(*p, unix.SockFilter{Code: code, K: k})
}

func (p *program) load(offset uint32) { p.statement(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, offset) }

func (p *program) argument(i uint32) { p.load(offsetArgs + sizeArg*i) } // little-endian

func (p *program) give(verdict uint32) { p.statement(unix.BPF_RET|unix.BPF_K, verdict) }

// when ends with verdict if what is loaded compares to k.
func (p *program) when(compare uint16, k, verdict uint32) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_JMP | compare | unix.BPF_K, Jf: 1, K: k})
	p.give(verdict)
}

// unless ends with verdict if what is loaded is not k.
func (p *program) unless(k, verdict uint32) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 1, K: k})
	p.give(verdict)
}

// call judges the arguments of one system call. What judge lets through is
// allowed. The call's number is loaded before and after it.
func (p *program) call(nr uint32, judge func(*program)) {
	var inner program
	judge(&inner)
	inner.give(unix.SECCOMP_RET_ALLOW)
	*p = append(*p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: uint8(len(inner)), K: nr})
	*p = append(*p, inner...)
}

// filterThread puts the calling thread under the filter, for good, and what it
// starts. The thread must have given up gaining privileges.
func filterThread(network bool) error {
	arch, ok := auditArch()
	if !ok {
		return fmt.Errorf("seccomp: no filter for %s", runtime.GOARCH)
	}
	p := filter(arch, network)
	prog := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
}

// probeSeccomp tells whether the kernel filters system calls.
func probeSeccomp() error {
	if _, ok := auditArch(); !ok {
		return fmt.Errorf("seccomp: no filter for %s", runtime.GOARCH)
	}
	action := uint32(unix.SECCOMP_RET_KILL_PROCESS)
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	if errno != 0 {
		return &defect{
			why: fmt.Errorf("kernel %s filters no system calls: %w", kernel(), errno),
			fix: "use a kernel built with CONFIG_SECCOMP_FILTER",
		}
	}
	return nil
}
