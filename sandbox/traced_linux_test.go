package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// beTraced asks to be traced by the parent, by any thread, and stops.
func beTraced() {
	runtime.LockOSThread()
	_, _, errno := unix.RawSyscall(unix.SYS_PTRACE, unix.PTRACE_TRACEME, 0, 0)
	fmt.Println("traced:", errnoOrNil(errno))
	if os.Getenv("STOP") != "" {
		_ = unix.Tgkill(os.Getpid(), unix.Gettid(), syscall.SIGUSR1)
	}
}

// A command that makes its supervisor the tracer cannot be waited for as others.
func TestCommandThatWantsToBeTracedEnds(t *testing.T) {
	r := newOff()
	defer r.Close()
	for stop, code := range map[string]int{"": 0, "1": -1} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		var out bytes.Buffer
		exit, err := r.Run(ctx, Cmd{
			Argv: []string{"/proc/self/exe", "-test.run=^TestAttempt$", "-test.count=1"}, Dir: "/", Out: &out, Err: &out,
			Env: append(os.Environ(), attemptEnv+"=traced", "STOP="+stop),
		})
		cancel()
		if err != nil || exit.Code != code {
			t.Errorf("stop %q: got %+v, %v; want code %d; output: %s", stop, exit, err, code, out.String())
		}
	}
}
