//go:build unix && !linux

package sandbox

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// group is a command and what it started, as far as it stayed in the command's
// process group. A process that made a session of its own is not found here.
type group struct {
	proc  *os.Process
	state *os.ProcessState // valid once ended is closed
	ended chan struct{}
}

func startGroup(cmd Cmd, files *streams) (*group, error) {
	path, err := lookPath(cmd)
	if err != nil {
		return nil, err
	}
	proc, err := os.StartProcess(path, cmd.Argv, &os.ProcAttr{
		Dir:   cmd.Dir,
		Env:   append([]string{}, cmd.Env...),
		Files: files.child[:],
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Argv[0], err)
	}
	g := &group{proc: proc, ended: make(chan struct{})}
	go func() {
		defer close(g.ended)
		g.state, _ = proc.Wait()
	}()
	return g, nil
}

const (
	settleTime = 50 * time.Millisecond
	askTime    = 250 * time.Millisecond
	pollTime   = 5 * time.Millisecond
	killTime   = time.Second
)

// end ends the group: what is left of it after the command, or all of it when
// the command is cut short. It names what was left.
func (g *group) end(cut bool) []string {
	if !cut && g.gone(settleTime) {
		return nil
	}
	g.signal(syscall.SIGTERM)
	if !g.gone(askTime) {
		g.signal(syscall.SIGKILL)
		g.gone(killTime)
	}
	if cut {
		return nil
	}
	return []string{fmt.Sprintf("process group %d", g.proc.Pid)}
}

func (g *group) signal(sig syscall.Signal) { _ = syscall.Kill(-g.proc.Pid, sig) }

// gone waits until the group has no process left that we may signal.
func (g *group) gone(patience time.Duration) bool {
	deadline := time.Now().Add(patience)
	for {
		if syscall.Kill(-g.proc.Pid, 0) != nil {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(pollTime)
	}
}

func (g *group) exit() Exit {
	if g.state == nil {
		return Exit{Code: -1}
	}
	e := Exit{Code: g.state.ExitCode()}
	if ws, ok := g.state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		e.Signal = ws.Signal().String()
	}
	return e
}
