package sandbox

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// Landlock: a process gives up rights to files and to other processes, for good,
// without privileges and without anything installed. Seccomp completes it.
//
// We call the kernel ourselves: the library opens the paths of rules through
// links, and a link in a hostile directory would then choose what is allowed; it
// also restricts threads one by one, where we need a process that is confined as a
// whole from its first instruction (see startLandlocked).
//
// What it does not hold:
//   - HoldsMetadata. The kernel has no rule for modes, owners, times and extended
//     attributes: what the user owns can be changed in these anywhere.
//   - A Protected path inside Writable is not denied but put back, see restorer.
//   - A name for a hidden file that existed before, as a hard link, shows it.
//   - Sockets: with Network true, every Unix socket can be used whose file can be
//     reached by the user. With Network false no socket can be made at all, apart
//     from connected pairs, not even inside Writable.
//   - System V shared memory and semaphores of the user are shared.
//
// And what is closed that would be open elsewhere, since rules only add rights, to
// a directory and all below it: above a Hidden path every entry that exists is
// allowed on its own. So a file that is created there later stays closed, nothing
// can be created, moved or removed there even if it is Writable, and the directory
// cannot be listed if what it hides is a directory. Of /dev only nodes without
// state are open, no terminals and no /dev/shm; name them in Writable to have them.

// minLandlock is the first version of the interface that guards truncation,
// without which a file outside could be emptied.
const minLandlock = 3

// landlockABI returns the version of the kernel's interface. The file below /sys
// that lists security modules is not always there.
func landlockABI() (int, error) {
	abi, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errno
	}
	return int(abi), nil
}

// probeLandlock tells whether landlock works here, and if not, why and what helps.
func probeLandlock() error {
	abi, err := landlockABI()
	if err == nil && abi >= minLandlock {
		return probeSeccomp()
	}
	return landlockDefect(abi, err)
}

// landlockDefect says what an answer of the kernel means.
func landlockDefect(abi int, err error) *defect {
	d := &defect{fix: "use Linux 6.2 or newer, built with CONFIG_SECURITY_LANDLOCK"}
	switch {
	case errors.Is(err, unix.EOPNOTSUPP):
		d.why = fmt.Errorf("kernel %s has Landlock switched off", kernel())
		d.fix = "add landlock to the list of the kernel parameter lsm="
	case errors.Is(err, unix.ENOSYS):
		d.why = fmt.Errorf("kernel %s does not have Landlock", kernel())
	case errors.Is(err, unix.EPERM):
		d.why = fmt.Errorf("a filter around us refuses Landlock on kernel %s", kernel())
		d.fix = "let the container's seccomp profile allow landlock_create_ruleset, landlock_add_rule and landlock_restrict_self"
	case err != nil:
		d.why = fmt.Errorf("kernel %s refuses Landlock: %w", kernel(), err)
	default:
		d.why = fmt.Errorf("kernel %s has version %d of Landlock, which does not keep files from being emptied; %d does", kernel(), abi, minLandlock)
	}
	return d
}

func kernel() string {
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return "unknown"
	}
	release, _, _ := strings.Cut(string(name.Release[:]), "\x00")
	return release
}

// landlockHolds lists what this kernel's landlock holds commands to.
func landlockHolds() []Guarantee {
	abi, err := landlockABI()
	if err != nil || abi < minLandlock {
		return nil
	}
	holds := []Guarantee{HoldsWrites, HoldsProtected, HoldsHidden, HoldsNetwork, HoldsSockets}
	if abi >= 6 { // guards signals
		holds = append(holds, HoldsProcesses)
	}
	return holds
}

// Rights. The words of the kernel are long.
const (
	mayExecute  = unix.LANDLOCK_ACCESS_FS_EXECUTE
	mayReadFile = unix.LANDLOCK_ACCESS_FS_READ_FILE
	mayReadDir  = unix.LANDLOCK_ACCESS_FS_READ_DIR
	mayWrite    = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	mayControl  = unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	mayMove     = unix.LANDLOCK_ACCESS_FS_REFER
	mayRemove   = unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE
	mayMake     = unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SYM |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO
	// mayMakeDevice is handled and never given: root reads a disk through a node of its own.
	mayMakeDevice = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK

	rightsToRead  = mayExecute | mayReadFile | mayReadDir
	rightsToWrite = rightsToRead | mayWrite | mayControl | mayMove | mayRemove | mayMake
	rightsOfFiles = mayExecute | mayReadFile | mayWrite | mayControl
)

// handled are the rights that version abi can deny.
func handled(abi int) uint64 {
	var all uint64 = rightsToWrite | mayMakeDevice
	if abi < 5 {
		all &^= mayControl // of no consequence: no device is open that has commands
	}
	return all
}

// newRuleset makes a ruleset that allows nothing yet.
func newRuleset(abi int, network bool) (fd int, err error) {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: handled(abi)}
	if abi >= 4 && !network { // the filter refuses these sockets before
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if abi >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
	}
	return createRuleset(&attr)
}
