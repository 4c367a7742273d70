package sandbox

import (
	"errors"
	"net"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// helperName tells a re-executed supervisor from everything else. It is its name,
// or the argument after its name where another program starts it; then the way
// it is confined by may follow.
const helperName = "__reasonix-supervise"

// asHelper returns how a supervisor with these arguments is confined.
func asHelper(args []string) (how []string, ok bool) {
	for i := range min(2, len(args)) {
		if args[i] == helperName {
			return args[i+1:], true
		}
	}
	return nil, false
}

// helperSocket is the descriptor its socket is inherited as.
const helperSocket = 3

// Helper serves as the supervisor when args are those of a re-executed one, and
// then returns true when its owner is gone: main must return. Otherwise it
// returns false at once. It is called before anything else in main, and in
// TestMain through sandboxtest.Main.
func Helper(args []string) bool {
	how, ok := asHelper(args)
	if !ok {
		return false
	}
	// The parent-death signal of a command is tied to the thread that started it.
	runtime.LockOSThread()
	s, err := newSupervisor(how)
	if err != nil {
		_, _ = os.Stderr.WriteString(err.Error() + "\n") // the owner reads it
		return true
	}
	s.serve()
	return true
}

// supervisor is the re-executed process. One goroutine does everything but
// reading the socket, so that a process id it holds is never reaped under it.
type supervisor struct {
	conn     *net.UnixConn
	children chan os.Signal // a child has changed state
	requests chan order     // closed when the owner is gone
}

// An order is one frame of the owner.
type order struct {
	msg []string
	fds []int
}

func newSupervisor(how []string) (*supervisor, error) {
	closeInherited(helperSocket + 1)
	// The owner reads what we say, a panic for one, when we are gone. More than the
	// pipe takes is dropped then, not waited for.
	_ = syscall.SetNonblock(syscall.Stderr, true)
	conn, err := unixConn(os.NewFile(helperSocket, "owner"))
	if err != nil {
		return nil, err
	}
	s := &supervisor{conn: conn, children: make(chan os.Signal, 1), requests: make(chan order)}
	signal.Notify(s.children, syscall.SIGCHLD)
	// Caught, not ignored: commands would inherit that. Nobody reads the channel.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	hello := []string{verbReady}
	if err := settle(how); err != nil {
		hello = append(hello, err.Error())
	}
	if err := writeFrame(conn, hello); err != nil {
		return nil, err
	}
	go s.listen()
	return s, nil
}

// closeInherited closes descriptors that came through our exec, which are those
// without the close-on-exec mark; the runtime's own have it.
func closeInherited(from int) {
	dir, err := os.Open("/proc/self/fd")
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		fd, err := strconv.Atoi(name)
		if err != nil || fd < from {
			continue
		}
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = syscall.Close(fd)
		}
	}
}

func (s *supervisor) listen() {
	defer close(s.requests)
	for {
		msg, fds, err := readFrame(s.conn)
		if err != nil {
			closeAll(fds)
			return
		}
		s.requests <- order{msg, fds}
	}
}

// serve runs one command after the other until the owner is gone.
func (s *supervisor) serve() {
	for o := range s.requests {
		if o.msg[0] == verbRun { // otherwise a cancel that came too late
			s.run(o)
		}
	}
}

func (s *supervisor) run(o order) {
	pid, errno := start(o)
	closeAll(o.fds)
	if errno != 0 {
		s.reply(verbFailed, int(errno))
		return
	}
	s.reply(verbStarted, pid)
	if status, finished := s.await(pid); finished {
		left, clear := s.sweep()
		s.reply(verbExit, int(status), append([]string{strconv.FormatBool(clear)}, left...)...)
		return
	}
	s.reply(verbCut, 0, strconv.FormatBool(s.end()))
}

func (s *supervisor) reply(verb string, number int, more ...string) {
	_ = writeFrame(s.conn, append([]string{verb, strconv.Itoa(number)}, more...))
}

// start runs a request's command in a session of its own.
func start(o order) (pid int, errno syscall.Errno) {
	if len(o.msg) < 4 || len(o.fds) != 3 {
		return 0, syscall.EPROTO
	}
	path, dir, argc, rest := o.msg[1], o.msg[2], numberAt(o.msg, 3), o.msg[4:]
	if argc < 1 || argc > len(rest) {
		return 0, syscall.EPROTO
	}
	pid, err := syscall.ForkExec(path, rest[:argc], &syscall.ProcAttr{
		Dir:   dir,
		Env:   rest[argc:],
		Files: []uintptr{uintptr(o.fds[0]), uintptr(o.fds[1]), uintptr(o.fds[2])},
		Sys:   &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil && !errors.As(err, &errno) {
		errno = syscall.EINVAL
	}
	return pid, errno
}

// await waits for the first process; finished is false when the owner cancelled
// or is gone.
func (s *supervisor) await(pid int) (status syscall.WaitStatus, finished bool) {
	for {
		if got, _ := reap(pid); got != nil {
			return *got, true
		}
		select {
		case <-s.children:
		case o, ok := <-s.requests:
			closeAll(o.fds)
			if !ok || o.msg[0] == verbCancel {
				return 0, false
			}
		}
	}
}

const (
	// settleTime lets what ends by itself do so: a command's shell does not wait
	// for a process substitution such as >(tee log).
	settleTime = 50 * time.Millisecond
	// askTime is between the request to end and the kill. It lets git remove its
	// lock files.
	askTime = 250 * time.Millisecond
	// killTime is how long a killed process may take to go.
	killTime = time.Second
)

// sweep ends what a finished command left behind, and names it. clear is false
// when something could not be ended.
func (s *supervisor) sweep() (names []string, clear bool) {
	if s.alone(0) || s.alone(settleTime) {
		return nil, true
	}
	names = commandLines(os.Getpid())
	if clear = s.end(); clear {
		return names, true
	}
	for _, name := range commandLines(os.Getpid()) {
		names = append(names, name+" (could not be ended)")
	}
	return names, false
}

// end asks all processes to end, then kills them until none is left. It gives up
// on those that cannot be killed: another user's, or stuck in the kernel.
func (s *supervisor) end() (clear bool) {
	signalAll(syscall.SIGTERM)
	clear = s.alone(askTime)
	deadline := time.Now().Add(killTime)
	for pause := time.Millisecond; !clear && time.Now().Before(deadline); pause = min(2*pause, 50*time.Millisecond) {
		signalAll(syscall.SIGKILL)
		clear = s.alone(pause)
	}
	return clear
}

// alone waits until no child is left, which means no descendant either, since
// orphans become our children.
func (s *supervisor) alone(patience time.Duration) bool {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		if _, none := reap(0); none || patience == 0 {
			return none
		}
		select {
		case <-s.children:
		case <-timer.C:
			return false
		}
	}
}

// reap collects every ended child. It returns the status of pid if that was one
// of them, and whether no child is left. A process that asked to be traced by us
// and has stopped would wait for us forever; it is killed.
func reap(pid int) (status *syscall.WaitStatus, none bool) {
	for {
		var ws syscall.WaitStatus
		got, err := syscall.Wait4(-1, &ws, syscall.WNOHANG, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return status, true
		case got == 0:
			return status, false
		case ws.Stopped():
			_ = syscall.Kill(got, syscall.SIGKILL)
		case got == pid:
			status = &ws
		}
	}
}

// signalAll signals every descendant. Those we may not signal are left alone.
func signalAll(sig syscall.Signal) {
	for _, p := range descendants(os.Getpid()) {
		_ = syscall.Kill(p.pid, sig)
	}
}

func closeAll(fds []int) {
	for _, fd := range fds {
		_ = syscall.Close(fd)
	}
}
