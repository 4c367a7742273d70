package sandbox

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A sweep ends, from the owner's side, what a supervisor had that is dead: one
// that the command killed, or that we had to kill since it was stopped. Orphans
// of a dead supervisor become the owner's children, as adoptOrphans asks for.
//
// The owner may have other children, of which it knows nothing here. A process is
// taken for the command's only if it was born after the command's start and
//   - carries the supervisor's mark in its environment, or
//   - is of the command's session, or
//   - is a child of ours that we did not start: it is of another session than we
//     are, and not our own binary, which supervisors are; or
//   - descends from such a process.
//
// The third catches what has shed its mark (env -i) and left the session. It
// would also catch a child that other code of this process starts at that same
// time in a session of its own.
type sweep struct {
	mark    string
	session int    // of the command; 0 when it is not known
	since   uint64 // when the command was started, in ticks

	owner, ownSession int
	binary            os.FileInfo    // of the owner; nil when it is not known
	killed            map[int]uint64 // when they were born, by process id
}

// ticksPerSecond is the unit of a process's start; Linux fixes it for programs.
const ticksPerSecond = 100

// never is a time at which nothing is born.
const never = math.MaxUint64

// ticks returns the time since the system's start as processes are born by.
func ticks() uint64 {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts) != nil {
		return never // rather than take all processes for young
	}
	return uint64(ts.Sec)*ticksPerSecond + uint64(ts.Nsec)/(1e9/ticksPerSecond)
}

// adoptOrphans makes orphaned descendants ours instead of the system's. Without
// it, which no kernel we know refuses, marks and sessions still find most.
func adoptOrphans() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// run kills until two looks in a row find nothing alive: one look may miss a
// process whose parent ends meanwhile. clear is false when patience ran out.
func (s *sweep) run(patience time.Duration) (clear bool) {
	if s.since == never {
		return true
	}
	s.owner = os.Getpid()
	s.ownSession, _ = unix.Getsid(0)
	s.binary, _ = os.Stat("/proc/self/exe")
	s.killed = map[int]uint64{}
	deadline := time.Now().Add(patience)
	pause := time.Millisecond
	for quiet := 0; quiet < 2; {
		if s.kill() {
			quiet = 0
		} else {
			quiet++
		}
		if quiet == 0 && time.Now().After(deadline) {
			return false
		}
		time.Sleep(pause)
		pause = min(2*pause, 20*time.Millisecond)
	}
	return true
}

// kill kills what it finds, reaps what of that is ours to reap, and tells whether
// something was alive.
func (s *sweep) kill() (alive bool) {
	table, err := processes()
	if err != nil {
		return false
	}
	var roots []process
	for _, p := range table {
		if p.born >= s.since && p.pid != s.owner && s.known(p) {
			roots = append(roots, p)
		}
	}
	for _, p := range below(table, roots) {
		alive = alive || !p.zombie
		s.killed[p.pid] = p.born
		_ = syscall.Kill(p.pid, syscall.SIGKILL)
		if p.parent == s.owner {
			_, _ = syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil)
		}
	}
	return alive
}

func (s *sweep) known(p process) bool {
	if s.session != 0 && p.session == s.session {
		return true
	}
	if born, ok := s.killed[p.pid]; ok && born == p.born {
		return true
	}
	if p.zombie { // it shows neither environment nor binary
		return false
	}
	environ, _ := os.ReadFile(procFile(p.pid, "environ"))
	return bytes.Contains(environ, []byte(s.mark)) || s.adopted(p)
}

// adopted tells whether p is a child that we did not start.
func (s *sweep) adopted(p process) bool {
	if p.parent != s.owner || p.session == s.ownSession {
		return false
	}
	binary, err := os.Stat(procFile(p.pid, "exe"))
	if err != nil { // it hides from others of its user, or it has just ended
		return errors.Is(err, fs.ErrPermission)
	}
	return s.binary != nil && !os.SameFile(binary, s.binary)
}
