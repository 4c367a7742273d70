package sandbox

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// judge runs the filter as the kernel does.
func judge(t *testing.T, p program, arch, nr uint32, args ...uint64) uint32 {
	t.Helper()
	raw := make([]bpf.RawInstruction, len(p))
	for i, in := range p {
		raw[i] = bpf.RawInstruction{Op: in.Code, Jt: in.Jt, Jf: in.Jf, K: in.K}
	}
	list, ok := bpf.Disassemble(raw)
	if !ok {
		t.Fatal("the filter has instructions nobody knows")
	}
	vm, err := bpf.NewVM(list)
	if err != nil {
		t.Fatal(err)
	}
	// The machine reads network order, and the kernel's data is little-endian: the
	// lower half of an argument comes first.
	data := binary.BigEndian.AppendUint32(nil, nr)
	data = binary.BigEndian.AppendUint32(data, arch)
	data = binary.BigEndian.AppendUint64(data, 0)
	for i := range 6 {
		var arg uint64
		if i < len(args) {
			arg = args[i]
		}
		data = binary.BigEndian.AppendUint32(data, uint32(arg))
		data = binary.BigEndian.AppendUint32(data, uint32(arg>>32))
	}
	verdict, err := vm.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(verdict)
}

func TestSeccompFilter(t *testing.T) {
	ours, ok := auditArch()
	if !ok {
		t.Fatal("no filter for this architecture")
	}
	const allow, kill = unix.SECCOMP_RET_ALLOW, unix.SECCOMP_RET_KILL_PROCESS
	perm, nosys := failWith(unix.EPERM), failWith(unix.ENOSYS)
	high := uint64(1) << 40
	for _, c := range []struct {
		name      string
		arch, nr  uint32
		args      []uint64
		open, cut uint32 // with network, and without
	}{
		{"32-bit gate", unix.AUDIT_ARCH_I386, 359, []uint64{unix.AF_INET}, kill, kill},
		{"32-bit arm", unix.AUDIT_ARCH_ARM, 0, nil, kill, kill},
		{"x32", ours, x32 | 41, nil, nosys, nosys},
		{"read", ours, unix.SYS_READ, nil, allow, allow},
		{"execve", ours, unix.SYS_EXECVE, nil, allow, allow},
		{"ptrace", ours, unix.SYS_PTRACE, nil, allow, allow},
		{"mount", ours, unix.SYS_MOUNT, nil, perm, perm},
		{"the last refused", ours, refused[len(refused)-1], nil, perm, perm},
		{"io_uring", ours, unix.SYS_IO_URING_SETUP, nil, perm, perm},
		{"clone3", ours, unix.SYS_CLONE3, nil, nosys, nosys},
		{"fork", ours, unix.SYS_CLONE, []uint64{uint64(unix.SIGCHLD)}, allow, allow},
		{"thread", ours, unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_THREAD | unix.CLONE_SIGHAND | unix.CLONE_FILES}, allow, allow},
		{"clone user", ours, unix.SYS_CLONE, []uint64{unix.CLONE_NEWUSER | uint64(unix.SIGCHLD)}, perm, perm},
		{"unshare files", ours, unix.SYS_UNSHARE, []uint64{unix.CLONE_FILES}, allow, allow},
		{"unshare net", ours, unix.SYS_UNSHARE, []uint64{unix.CLONE_FILES | unix.CLONE_NEWNET}, perm, perm},
		{"terminal size", ours, unix.SYS_IOCTL, []uint64{0, unix.TIOCGWINSZ}, allow, allow},
		{"typing", ours, unix.SYS_IOCTL, []uint64{0, unix.TIOCSTI}, perm, perm},
		{"typing in disguise", ours, unix.SYS_IOCTL, []uint64{0, unix.TIOCSTI | high}, perm, perm},
		{"tcp", ours, unix.SYS_SOCKET, []uint64{unix.AF_INET, unix.SOCK_STREAM}, allow, perm},
		{"tcp in disguise", ours, unix.SYS_SOCKET, []uint64{unix.AF_INET | high, unix.SOCK_STREAM}, allow, perm},
		{"unix", ours, unix.SYS_SOCKET, []uint64{unix.AF_UNIX, unix.SOCK_STREAM}, allow, perm},
		{"interfaces", ours, unix.SYS_SOCKET, []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE}, allow, allow},
		{"other netlink", ours, unix.SYS_SOCKET, []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT}, allow, perm},
		{"pair", ours, unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC}, allow, allow},
		{"pair of packets", ours, unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX, unix.SOCK_SEQPACKET}, allow, allow},
		{"pair of datagrams", ours, unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX, unix.SOCK_DGRAM | unix.SOCK_NONBLOCK}, allow, perm},
	} {
		for network, want := range map[bool]uint32{true: c.open, false: c.cut} {
			if got := judge(t, filter(ours, network), c.arch, c.nr, c.args...); got != want {
				t.Errorf("%s, network %v: got %#x, want %#x", c.name, network, got, want)
			}
		}
	}
}
