package sandbox

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The three system calls of Landlock.

func createRuleset(attr *unix.LandlockRulesetAttr) (fd int, err error) {
	got, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(attr)), unsafe.Sizeof(*attr), 0)
	if errno != 0 {
		return -1, os.NewSyscallError("landlock_create_ruleset", errno)
	}
	return int(got), nil
}

// addRule allows rights for what the descriptor names, and below it.
func addRule(ruleset, parent int, rights uint64) error {
	attr := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(parent)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_add_rule", errno)
	}
	return nil
}

// restrictThread holds the calling thread to a ruleset, for good.
func restrictThread(ruleset int) error {
	_, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_restrict_self", errno)
	}
	return nil
}
