package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// supervised is the owner's handle on one supervisor process. It serves one
// command at a time.
type supervised struct {
	conn  *net.UnixConn
	proc  *os.Process
	key   string                 // of what its commands are held to
	mark  string                 // what its commands carry
	ended func() <-chan struct{} // closed when the process has been reaped
	fate  *fate                  // how it ended; valid then
	// inside is the supervisor itself when proc is the program that confines it;
	// nil otherwise. It is the first process of a namespace and all go with it.
	inside *os.Process
	lost   bool       // it did not answer as agreed; of no further use
	sends  sync.Mutex // one frame at a time

	session atomic.Int64  // of the running command; 0 until it is told
	since   atomic.Uint64 // when it was started; never while there is none
}

// errCut is returned for a command that was ended, not one that ended.
var errCut = errors.New("command was ended")

const (
	// readyPatience bounds the start of a supervisor on a machine under load.
	readyPatience = 20 * time.Second
	// probePatience bounds the first start of a way that has not worked yet. One that
	// hangs is to give way to the next.
	probePatience = 2 * time.Second
	// cancelPatience is how long a supervisor may take to end a cancelled command,
	// processes that cannot be killed included. Then it is killed.
	cancelPatience = 1300 * time.Millisecond
	// endPatience is how long a supervisor that does not answer may take to end by
	// itself, so that it can say why.
	endPatience = 100 * time.Millisecond
	// killPatience is how long a killed supervisor may take to go.
	killPatience = 200 * time.Millisecond
	// sweepPatience is how long what it leaves may take to go.
	sweepPatience = 500 * time.Millisecond
)

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
	s.session.Store(0)
	s.since.Store(ticks())
	// A supervisor that is stopped does not read.
	_ = s.conn.SetWriteDeadline(time.Now().Add(readyPatience))
	if err := s.send(s.request(path, cmd), fds...); err != nil {
		return fmt.Errorf("start %s: %w", cmd.Argv[0], s.abandon(err))
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

func (s *supervised) request(path string, cmd Cmd) []string {
	msg := make([]string, 0, 5+len(cmd.Argv)+len(cmd.Env))
	msg = append(msg, verbRun, path, cmd.Dir, strconv.Itoa(len(cmd.Argv)))
	msg = append(msg, cmd.Argv...)
	return append(msg, marked(cmd.Env, s.mark)...)
}

// follow reads what the supervisor tells about the running command.
func (s *supervised) follow(cmd Cmd) (Exit, error) {
	for {
		msg, _, err := readFrame(s.conn)
		if err != nil {
			return Exit{}, s.abandon(err)
		}
		number := numberAt(msg, 1)
		switch {
		case msg[0] == verbStarted:
			if s.inside == nil { // else the number means nothing out here
				s.session.Store(int64(number))
			}
		case msg[0] == verbFailed:
			return Exit{}, startError(cmd, syscall.Errno(number))
		case len(msg) < 3:
			return Exit{}, s.abandon(errFrame)
		case msg[0] == verbExit:
			s.finished(msg[2])
			return exitOf(syscall.WaitStatus(number), msg[3:]), nil
		case msg[0] == verbCut:
			s.finished(msg[2])
			return Exit{Code: -1, Signal: syscall.SIGTERM.String()}, errCut
		}
	}
}

// finished notes that the command is over; clear tells whether all of it is gone.
func (s *supervised) finished(clear string) {
	if s.lost = clear != "true"; !s.lost {
		s.since.Store(never)
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

// abandon gives a supervisor up that does not answer any more, dead (a command
// can kill it) or alive (it can be stopped), and ends all it had.
func (s *supervised) abandon(cause error) error {
	s.lost = true
	patience := endPatience
	if errors.Is(cause, os.ErrDeadlineExceeded) {
		patience = 0 // it has had its time
	}
	unended := s.end(patience)
	return errors.Join(fmt.Errorf("%w: supervisor is gone: %s: %w", errCut, s.lastWord(), cause), unended)
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

// end returns when the supervisor is gone and all it had. It hangs up, upon which
// a supervisor ends everything and itself; one that does not in time is killed, as
// a stopped process can be too. It may be called more than once, and at once.
func (s *supervised) end(patience time.Duration) error {
	s.hangUp()
	defer s.conn.Close()
	gone := s.gone(patience)
	if gone && s.fate.orderly() {
		return nil
	}
	if s.inside != nil {
		return s.endInside(gone)
	}
	if !gone {
		_ = s.proc.Kill()
		gone = s.gone(killPatience)
	}
	left := sweep{mark: s.mark, session: int(s.session.Load()), since: s.since.Load()}
	switch clear := left.run(sweepPatience); {
	case !gone:
		return fmt.Errorf("supervisor %d cannot be killed", s.proc.Pid)
	case !clear:
		return fmt.Errorf("processes of supervisor %d cannot be killed", s.proc.Pid)
	}
	return nil
}

// endInside kills the first process of a namespace. The kernel has ended all
// others in it when that one can be reaped, which is before its parent ends.
func (s *supervised) endInside(gone bool) error {
	_ = s.inside.Kill()
	if !gone && !s.gone(killPatience) {
		_ = s.proc.Kill()
		return fmt.Errorf("supervisor %d cannot be killed", s.inside.Pid)
	}
	// Had its parent been killed instead, it would be ours by now.
	for deadline := time.Now().Add(killPatience); ; time.Sleep(time.Millisecond) {
		got, err := syscall.Wait4(s.inside.Pid, nil, syscall.WNOHANG, nil)
		switch {
		case err != nil || got == s.inside.Pid:
			return nil
		case time.Now().After(deadline):
			return fmt.Errorf("supervisor %d cannot be killed", s.inside.Pid)
		}
	}
}

// gone tells whether the process has ended and has been reaped in time.
func (s *supervised) gone(patience time.Duration) bool {
	select {
	case <-s.ended():
		return true
	default:
	}
	select {
	case <-s.ended():
		return true
	case <-time.After(patience):
		return false
	}
}

// lastWord says how the supervisor ended.
func (s *supervised) lastWord() string {
	if !s.gone(0) {
		return "it has not ended"
	}
	return s.fate.String()
}

func (s *supervised) reap() <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.fate.learn(s.proc)
	}()
	return done
}
