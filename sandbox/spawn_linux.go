package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// A launch is how a supervisor is started.
type launch struct {
	path string
	argv []string
	// exec is the binary, for a program that confines it and executes it as own;
	// nil when path is the binary itself.
	exec *os.File
	// held is what path is held to from its first instruction; nil is nothing.
	held *confinement
	// patience bounds its start; 0 is readyPatience.
	patience time.Duration
}

func (l launch) confined() bool { return l.exec != nil || l.held != nil }

// own is the path by which a program that got launch.exec executes it.
const own = "/proc/self/fd/4"

// plain re-executes the running binary without confinement.
func plain() (launch, error) {
	return launch{path: "/proc/self/exe", argv: []string{helperName}}, nil
}

// startSupervisor re-executes the running binary. Its commands will carry mark.
func startSupervisor(mark, key string, l launch) (*supervised, error) {
	s, err := newSupervised(mark, key, l)
	if err != nil {
		return nil, fmt.Errorf("start supervisor: %w", err)
	}
	if err := s.greet(l); err != nil {
		_ = s.end(endPatience)
		return nil, &startFailure{cause: err, word: s.lastWord()}
	}
	return s, nil
}

// A startFailure is a supervisor that started and cannot serve.
type startFailure struct {
	cause error
	word  string // of it, or of what was to confine it
}

func (f *startFailure) Error() string {
	return fmt.Sprintf("start supervisor: %v: %s", f.cause, f.word)
}

// why is the cause, or the last word of one that just ended.
func (f *startFailure) why() string {
	if errors.Is(f.cause, io.EOF) || errors.Is(f.cause, syscall.ECONNRESET) {
		return f.word
	}
	return f.cause.Error()
}

func (f *startFailure) Unwrap() error { return f.cause }

func newSupervised(mark, key string, l launch) (*supervised, error) {
	if _, inside := asHelper(os.Args); inside {
		return nil, errors.New("inside a supervisor; main must call sandbox.Helper first")
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	adoptOrphans()
	if l.exec != nil { // before it can answer
		err = tellSender(ours, true)
	}
	var proc *os.Process
	var said *os.File
	if err == nil {
		proc, said, err = l.start(theirs)
	}
	if err != nil {
		_ = ours.Close()
		return nil, err
	}
	s := &supervised{conn: ours, proc: proc, key: key, mark: mark, fate: &fate{stderr: said}}
	s.ended = sync.OnceValue(s.reap)
	s.since.Store(never)
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

// start spawns the supervisor held to what it is to be held to.
func (l launch) start(socket *os.File) (proc *os.Process, said *os.File, err error) {
	if l.held == nil {
		return l.spawn(socket)
	}
	err = startLandlocked(*l.held, func() (err error) {
		proc, said, err = l.spawn(socket)
		return err
	})
	if err != nil && proc != nil {
		_ = proc.Kill()
		_, _ = proc.Wait()
		_ = said.Close()
	}
	return proc, said, err
}

// spawn starts the supervisor away from the terminal's signals, with nothing of
// ours but its socket and a pipe for what it says when it fails. A command can
// stop it; our death continues it, and then it finds its socket at the end.
func (l launch) spawn(socket *os.File) (proc *os.Process, said *os.File, err error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	defer null.Close()
	said, stderr, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer stderr.Close()
	files := []*os.File{null, null, stderr, socket}
	if l.exec != nil {
		defer l.exec.Close()
		files = append(files, l.exec)
	}
	proc, err = os.StartProcess(l.path, l.argv, &os.ProcAttr{
		Dir: "/",
		// One thread is enough; and a build with the race detector would linger for
		// a second before it exits.
		Env:   []string{"GOMAXPROCS=1", "GORACE=atexit_sleep_ms=0"},
		Files: files,
		// One that is confined hides from others of its user, or is another program
		// at first. In a session of its own it would be taken for a command's orphan;
		// see sweep.
		Sys: &syscall.SysProcAttr{Setsid: !l.confined(), Setpgid: l.confined(), Pdeathsig: syscall.SIGCONT},
	})
	if err != nil {
		_ = said.Close()
		return nil, nil, err
	}
	return proc, said, nil
}

// greet tells the supervisor what it needs and waits until it can serve.
func (s *supervised) greet(l launch) error {
	_ = s.conn.SetDeadline(time.Now().Add(cmp.Or(l.patience, readyPatience)))
	defer func() { _ = s.conn.SetDeadline(time.Time{}) }()
	msg, came, err := receive(s.conn)
	closeAll(came.fds)
	switch {
	case err != nil:
		return fmt.Errorf("it does not answer: %w", err)
	case msg[0] != verbReady:
		return errFrame
	case len(msg) > 1:
		return errors.New(msg[1])
	case l.exec != nil:
		return s.know(came.pid)
	}
	return nil
}

// know notes the process that a supervisor inside a namespace is out here. It
// has just answered, so that the number is its own.
func (s *supervised) know(pid int) (err error) {
	if pid <= 0 || pid == s.proc.Pid {
		return errors.New("it is not in a namespace of its own")
	}
	if s.inside, err = os.FindProcess(pid); err != nil {
		return fmt.Errorf("supervisor %d: %w", pid, err)
	}
	return tellSender(s.conn, false)
}

// tellSender makes the kernel say which process a frame comes from.
func tellSender(c *net.UnixConn, on bool) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	value := 0
	if on {
		value = 1
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_PASSCRED, value)
	})
	return errors.Join(err, os.NewSyscallError("setsockopt", failed))
}
