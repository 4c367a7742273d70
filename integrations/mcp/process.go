package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"reasonix/core/durable"
	"reasonix/sandbox"
)

// A process is one life of a stdio server: one Run of its sandbox.
type process struct {
	pipe *pipe
	kill context.CancelFunc
	done chan struct{} // closed when nothing of it is left
	exit sandbox.Exit  // valid once done is closed
	err  error
}

// A program is what runs a server's process, and what else its declaration has run.
type program struct {
	declared
	log     *serverLog
	noise   *noise
	running *sync.WaitGroup
}

// spawn starts the server's process. ctx is its life: when it ends, so does every
// process that the server started.
func (g *program) spawn(ctx context.Context) (*process, error) {
	cmd, err := g.command()
	if err != nil {
		return nil, err
	}
	run := g.world.Runner(g.cfg)
	ctx, kill := context.WithCancel(ctx)
	p := &process{pipe: newPipe(g.noise.take), kill: kill, done: make(chan struct{})}
	cmd.In, cmd.Out, cmd.Err = p.pipe.input, output{p.pipe}, g.log
	g.log.fresh()
	g.log.note("start %s", g.cfg.Command) // arguments may have secrets
	g.running.Go(func() {
		defer close(p.done)
		defer kill()
		p.exit, p.err = run.Run(ctx, cmd)
		p.pipe.finish()
		g.log.note("end: %s", p.how())
	})
	return p, nil
}

// command is what to run, inside what confines it.
func (g *program) command() (sandbox.Cmd, error) {
	w := g.world
	if w.Runner == nil {
		return sandbox.Cmd{}, errors.New("there is nothing to run a process with")
	}
	if g.cfg.Command == "" {
		return sandbox.Cmd{}, errors.New("no command is configured")
	}
	cmd := g.hold()
	cmd.Argv = append([]string{g.cfg.Command}, g.cfg.Args...)
	if w.StateDir == "" {
		return cmd, nil
	}
	state := filepath.Join(w.StateDir, g.file())
	temp := filepath.Join(state, "tmp")
	if err := durable.MkdirAll(temp); err != nil {
		return sandbox.Cmd{}, fmt.Errorf("make directory: %w", err)
	}
	cmd.Writable = append(slices.Clone(cmd.Writable), state)
	if g.cfg.Sandboxed {
		// The system's temporary directory may not be writable in there.
		cmd.Env = setEnv(cmd.Env, map[string]string{"TMPDIR": temp, "TMP": temp, "TEMP": temp})
		cmd.Env = setEnv(cmd.Env, g.cfg.Env)
	}
	return cmd, nil
}

// hold is a command of the server without its arguments.
func (g *program) hold() sandbox.Cmd {
	w := g.world
	var cmd sandbox.Cmd
	if w.Hold != nil {
		cmd = w.Hold(g.cfg)
	}
	if cmd.Env == nil {
		cmd.Env = w.Environ
	}
	cmd.Env = setEnv(cmd.Env, g.cfg.Env)
	if g.cfg.Dir != "" {
		cmd.Dir = g.cfg.Dir
	} else if cmd.Dir == "" {
		cmd.Dir = w.Workspace
	}
	return cmd
}

// setEnv returns env with some variables set, in a fixed order.
func setEnv(env []string, set map[string]string) []string {
	same := func(a, b string) bool {
		if os.PathSeparator == '\\' {
			return strings.EqualFold(a, b)
		}
		return a == b
	}
	env = slices.Clone(env)
	for _, name := range slices.Sorted(maps.Keys(set)) {
		env = slices.DeleteFunc(env, func(v string) bool {
			n, _, _ := strings.Cut(v, "=")
			return same(n, name)
		})
		env = append(env, name+"="+set[name])
	}
	return env
}

// stop lets the process leave by itself for a while, then ends it and what it
// started, and returns when they are gone.
func (p *process) stop(grace time.Duration) {
	_ = p.pipe.Close()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.done:
		return
	case <-timer.C:
	}
	p.kill()
	<-p.done
}

// how says how the process ended.
func (p *process) how() string {
	switch {
	case p.pipe.long != nil:
		return p.pipe.long.Error()
	case errors.Is(p.err, context.Canceled):
		return "it was stopped"
	case p.err != nil:
		return p.err.Error()
	case p.exit.Signal != "":
		return "it was ended by the signal " + p.exit.Signal
	}
	return fmt.Sprintf("it ended with exit code %d", p.exit.Code)
}
