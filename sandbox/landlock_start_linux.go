package sandbox

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// startLandlocked calls start, which starts one process, on a thread that is held
// to c: the process is confined from its first instruction, all of its threads
// alike, and so is what it starts. c is in canonical form.
//
// The thread is ours, so that its memory is that of an unconfined process. Its
// confinement is the one the process gets, which the kernel would let trace the
// thread: it must be gone before the process may run what is not ours. So it is
// when startLandlocked returns. Were it to stay, startLandlocked fails, and the
// caller ends the process.
//
// A signal that start asks to be sent at its parent's death is sent at the end of
// that thread; the kernel then takes our first thread for the parent.
func startLandlocked(c confinement, start func() error) error {
	ruleset, err := landlockRuleset(c)
	if err != nil {
		return err
	}
	defer unix.Close(ruleset)
	thread, err := onThread(func() error {
		if err := holdThread(ruleset, c.Network); err != nil {
			return err
		}
		return start()
	})
	return errors.Join(err, awaitThread(thread))
}

// onThread runs do on a thread that ends with it, and is not the first one, which
// cannot end before the process.
func onThread(do func() error) (thread int, err error) {
	done := make(chan struct{})
	var run func()
	run = func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if thread = unix.Gettid(); thread != os.Getpid() {
			defer close(done)
			err = do()
			return
		}
		go run() // on another thread, as we keep this one
		<-done
		runtime.UnlockOSThread()
	}
	go run()
	<-done
	return thread, err
}

// threadPatience is how long an ended thread may take to go on a machine under load.
const threadPatience = 5 * time.Second

// awaitThread returns when a thread of ours is gone.
func awaitThread(thread int) error {
	deadline := time.Now().Add(threadPatience)
	for pause := 10 * time.Microsecond; ; pause = min(2*pause, 5*time.Millisecond) {
		if err := unix.Tgkill(os.Getpid(), thread, 0); errors.Is(err, unix.ESRCH) {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("landlock: confined thread %d does not end", thread)
		}
		time.Sleep(pause)
	}
}

// holdThread confines the calling thread, for good.
func holdThread(ruleset int, network bool) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl no_new_privs", err)
	}
	if err := boundCapabilities(network); err != nil {
		return err
	}
	if err := restrictThread(ruleset); err != nil {
		return err
	}
	return filterThread(network)
}

// keptCapabilities are what root still is when confined: other users, and the
// owner of their files. Without the rest there is no raw disk, kernel memory, clock
// or device node.
const keptCapabilities = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID |
	1<<unix.CAP_KILL | 1<<unix.CAP_SETGID | 1<<unix.CAP_SETUID | 1<<unix.CAP_NET_BIND_SERVICE

// boundCapabilities limits what programs get that the thread starts as root; an
// ordinary user has nothing to give up, and gains nothing as privileges are not.
func boundCapabilities(network bool) error {
	kept := uint64(keptCapabilities)
	if network {
		kept |= 1 << unix.CAP_NET_RAW // ping
	}
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	for c := uintptr(0); c < 64; c++ {
		if kept>>c&1 == 1 {
			continue
		}
		switch err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); {
		case errors.Is(err, unix.EINVAL): // the last one has been
			return nil
		case errors.Is(err, unix.EPERM) && !hasCapabilities():
			return nil
		case err != nil:
			return os.NewSyscallError("prctl capbset_drop", err)
		}
	}
	return nil
}

// hasCapabilities tells whether the thread has, or its programs get, any.
func hasCapabilities() bool {
	if os.Geteuid() == 0 || os.Getuid() == 0 {
		return true
	}
	var data [2]unix.CapUserData
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	if unix.Capget(&header, &data[0]) != nil {
		return true
	}
	return data[0].Permitted|data[1].Permitted|data[0].Inheritable|data[1].Inheritable != 0
}
