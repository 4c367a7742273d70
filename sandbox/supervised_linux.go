package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// supervised is the owner's handle on one supervisor process. It serves one
// command at a time.
type supervised struct {
	conn  *net.UnixConn
	proc  *os.Process
	ended func() <-chan struct{} // closed when the process has been reaped
	lost  bool                   // it did not answer as agreed; of no further use
	sends sync.Mutex             // one frame at a time
}

// errCut is returned for a command that was ended, not one that ended.
var errCut = errors.New("command was ended")

const (
	// readyPatience bounds the start of a supervisor on a machine under load.
	readyPatience = 20 * time.Second
	// cancelPatience bounds the end of a cancelled command, processes that cannot
	// be killed included.
	cancelPatience = 1800 * time.Millisecond
)

// startSupervisor re-executes the running binary.
func startSupervisor() (*supervised, error) {
	if os.Args[0] == helperName {
		return nil, errors.New("start supervisor: inside a supervisor; main must call sandbox.Helper first")
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, fmt.Errorf("start supervisor: %w", err)
	}
	proc, err := spawnHelper(theirs)
	_ = theirs.Close()
	if err != nil {
		_ = ours.Close()
		return nil, fmt.Errorf("start supervisor: %w", err)
	}
	s := &supervised{conn: ours, proc: proc}
	s.ended = sync.OnceValue(s.reap)
	if err := s.ready(); err != nil {
		s.close()
		return nil, fmt.Errorf("start supervisor: %w", err)
	}
	return s, nil
}

func socketPair() (ours *net.UnixConn, theirs *os.File, err error) {
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	theirs = os.NewFile(uintptr(pair[1]), "supervisor")
	ours, err = unixConn(os.NewFile(uintptr(pair[0]), "supervised"))
	if err != nil {
		_ = theirs.Close()
		return nil, nil, err
	}
	return ours, theirs, nil
}

// unixConn turns f into a connection and closes f.
func unixConn(f *os.File) (*net.UnixConn, error) {
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	u, ok := c.(*net.UnixConn)
	if !ok {
		_ = c.Close()
		return nil, errors.New("not a unix socket")
	}
	return u, nil
}

// spawnHelper starts the supervisor in a session of its own, away from the
// terminal's signals, with nothing of ours but its socket.
func spawnHelper(socket *os.File) (*os.Process, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	return os.StartProcess("/proc/self/exe", []string{helperName}, &os.ProcAttr{
		Dir: "/",
		// One thread is enough; and a build with the race detector would linger for
		// a second before it exits.
		Env:   []string{"GOMAXPROCS=1", "GORACE=atexit_sleep_ms=0"},
		Files: []*os.File{null, null, null, socket},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
}

func (s *supervised) ready() error {
	_ = s.conn.SetReadDeadline(time.Now().Add(readyPatience))
	msg, _, err := readFrame(s.conn)
	_ = s.conn.SetReadDeadline(time.Time{})
	switch {
	case err != nil:
		return fmt.Errorf("it does not answer: %w", err)
	case msg[0] != verbReady:
		return errFrame
	case len(msg) > 1:
		return errors.New(msg[1])
	}
	return nil
}

// run starts one command and waits for its end and that of all it started.
func (s *supervised) run(ctx context.Context, path string, cmd Cmd, files *streams) (Exit, error) {
	err := s.start(path, cmd, files)
	files.closeChild()
	if err != nil {
		return Exit{}, err
	}
	cancelled := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(cancelled)
		_ = s.send([]string{verbCancel})
		_ = s.conn.SetReadDeadline(time.Now().Add(cancelPatience))
	})
	exit, err := s.follow(cmd)
	if !stop() {
		<-cancelled
		_ = s.conn.SetReadDeadline(time.Time{})
	}
	return exit, err
}

func (s *supervised) start(path string, cmd Cmd, files *streams) error {
	fds, err := descriptors(files.child[:])
	defer closeAll(fds)
	if err != nil {
		return err
	}
	if err := s.send(request(path, cmd), fds...); err != nil {
		s.lost = true
		return fmt.Errorf("start %s: %w", cmd.Argv[0], err)
	}
	return nil
}

// descriptors duplicates the files' numbers, for the caller to close.
func descriptors(files []*os.File) ([]int, error) {
	var dups []int
	for _, f := range files {
		raw, err := f.SyscallConn()
		if err != nil {
			return dups, fmt.Errorf("standard file %s: %w", f.Name(), err)
		}
		dup, failed := -1, error(nil)
		err = raw.Control(func(fd uintptr) {
			dup, failed = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0)
		})
		if err = errors.Join(err, failed); err != nil {
			return dups, fmt.Errorf("standard file %s: %w", f.Name(), err)
		}
		dups = append(dups, dup)
	}
	return dups, nil
}

func request(path string, cmd Cmd) []string {
	msg := make([]string, 0, 4+len(cmd.Argv)+len(cmd.Env))
	msg = append(msg, verbRun, path, cmd.Dir, strconv.Itoa(len(cmd.Argv)))
	msg = append(msg, cmd.Argv...)
	return append(msg, cmd.Env...)
}

// follow reads what the supervisor tells about the running command.
func (s *supervised) follow(cmd Cmd) (Exit, error) {
	session := 0
	for {
		msg, _, err := readFrame(s.conn)
		if err != nil {
			return Exit{}, s.abandon(session, err)
		}
		number := numberAt(msg, 1)
		switch {
		case msg[0] == verbStarted:
			session = number
		case msg[0] == verbFailed:
			return Exit{}, startError(cmd, syscall.Errno(number))
		case len(msg) < 3:
			return Exit{}, s.abandon(session, errFrame)
		case msg[0] == verbExit:
			s.lost = msg[2] != "true"
			return exitOf(syscall.WaitStatus(number), msg[3:]), nil
		case msg[0] == verbCut:
			s.lost = msg[2] != "true"
			return Exit{Code: -1, Signal: syscall.SIGTERM.String()}, errCut
		}
	}
}

func numberAt(msg []string, i int) int {
	if i >= len(msg) {
		return 0
	}
	n, _ := strconv.Atoi(msg[i])
	return n
}

func exitOf(ws syscall.WaitStatus, killed []string) Exit {
	e := Exit{Code: ws.ExitStatus()}
	if ws.Signaled() {
		e.Code, e.Signal = -1, ws.Signal().String()
	}
	if len(killed) > 0 {
		e.Killed = killed
	}
	return e
}

// startError names the directory when that is what is missing: the kernel's
// error does not say which of the two it means.
func startError(cmd Cmd, errno syscall.Errno) error {
	if info, err := os.Stat(cmd.Dir); cmd.Dir != "" && (err != nil || !info.IsDir()) {
		return fmt.Errorf("start %s: directory %s: %w", cmd.Argv[0], cmd.Dir, errno)
	}
	return fmt.Errorf("start %s: %w", cmd.Argv[0], errno)
}

// abandon gives a supervisor up that does not answer any more. While it lives it
// goes on ending what it has; when it is dead (a command can kill it) we end what
// shares the command's session.
func (s *supervised) abandon(session int, cause error) error {
	s.lost = true
	_ = s.conn.Close()
	if s.wait(time.Second) == nil && session > 0 {
		killSession(session)
	}
	return fmt.Errorf("%w: supervisor is gone: %w", errCut, cause)
}

// alive tells whether an idle supervisor can still serve.
func (s *supervised) alive() bool {
	raw, err := s.conn.SyscallConn()
	if err != nil {
		return false
	}
	var peeked error
	err = raw.Control(func(fd uintptr) {
		_, _, peeked = syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	})
	return err == nil && errors.Is(peeked, syscall.EAGAIN) // nothing to read, and no end either
}

func (s *supervised) send(msg []string, fds ...int) error {
	s.sends.Lock()
	defer s.sends.Unlock()
	return writeFrame(s.conn, msg, fds...)
}

// hangUp tells the supervisor to end everything and itself.
func (s *supervised) hangUp() { _ = s.conn.CloseWrite() }

// close hangs up and waits a while.
func (s *supervised) close() {
	s.hangUp()
	_ = s.wait(closePatience)
	_ = s.conn.Close()
}

// wait returns when the process has ended and has been reaped.
func (s *supervised) wait(patience time.Duration) error {
	select {
	case <-s.ended():
		return nil
	case <-time.After(patience):
		return fmt.Errorf("supervisor %d is still ending its processes", s.proc.Pid)
	}
}

func (s *supervised) reap() <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = s.proc.Wait()
	}()
	return done
}
