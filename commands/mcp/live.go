package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/config"
	"reasonix/core/event"
	"reasonix/integrations/mcp"
)

// live are servers that were started for this command.
type live struct {
	*mcp.Set
	stop func() error
	news *news
}

// start starts servers as a session here would. The caller calls stop.
func (d *desk) start(cfg *config.Config, servers []config.Server, change func(*mcp.World)) (*live, error) {
	l := &live{news: &news{out: d.app.Err, tty: d.app.StderrTTY}}
	configs := make([]mcp.Config, len(servers))
	for i, s := range servers {
		configs[i] = wire.ServerConfig(s)
	}
	w := wire.World{Home: d.app.Home, Version: d.app.Version, Environ: d.app.Environ, Now: d.app.Now, Warn: func(text string) {
		fmt.Fprintf(d.app.Err, "warning: %s\n", text)
	}}
	var err error
	l.Set, l.stop, err = w.StartServers(cfg, d.app.WorkDir, configs, func(world *mcp.World) {
		world.Budget, world.OutputCap = -1, maxOutput // a person reads it, or a script: nothing is cut or put off
		world.Emit = l.news.take
		if change != nil {
			change(world)
		}
	})
	return l, err
}

// maxOutput is the largest result that is printed, in bytes.
const maxOutput = 64 << 20

// usable is the server of that name, or why it must or can not be started.
func (d *desk) usable(cfg *config.Config, name string) (config.Server, error) {
	e, err := find(cfg, name)
	switch {
	case err != nil:
		return config.Server{}, err
	case e.server == nil:
		return config.Server{}, cmdutil.WithHint(cmdutil.Exit(cmdutil.CodeConfig, fmt.Errorf("server %s is declared by this project and was not let start", name)),
			"reasonix mcp trust "+word(name))
	case e.Problem != "":
		return config.Server{}, cmdutil.Exit(cmdutil.CodeConfig, fmt.Errorf("%s", e.Problem))
	}
	return *e.server, nil
}

// end stops the servers after a work that ended with err, and tells of both. A work that
// has told all itself keeps its exit code.
func (l *live) end(err error) error {
	stopped := l.stop()
	var silent *cmdutil.ExitError
	if stopped != nil && errors.As(err, &silent) && silent.Err == nil {
		return cmdutil.Exit(silent.Code, stopped)
	}
	return errors.Join(err, stopped)
}

// connect waits until a server is there, or is known not to come.
func (l *live) connect(ctx context.Context, name string) error {
	err := l.Act(ctx, name, "connect")
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	if err != nil {
		return cmdutil.Exit(cmdutil.CodeConfig, err)
	}
	return nil
}

// state is what is known of a server.
func (l *live) state(name string) mcp.State {
	all := l.States()
	i := slices.IndexFunc(all, func(s mcp.State) bool { return s.Name == name })
	if i < 0 {
		return mcp.State{Name: name}
	}
	return all[i]
}

// news prints what servers tell while a command waits for them: notices, and on a
// terminal the progress of a call. It is safe for concurrent use.
type news struct {
	mu    sync.Mutex
	out   io.Writer
	tty   bool
	quiet bool
}

func (n *news) take(p event.Payload) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch t := p.(type) {
	case event.Notice:
		if !n.quiet {
			fmt.Fprintf(n.out, "%s: %s\n", t.Level, config.Printable(t.Text))
		}
	case event.ToolProgress:
		if !n.quiet && n.tty {
			fmt.Fprintf(n.out, "%s\n", config.Printable(progress(t)))
		}
	default: // states are in what the command prints
	}
	return nil
}

func progress(p event.ToolProgress) string {
	text := fmt.Sprintf("%g", p.Done)
	if p.Total > 0 {
		text += fmt.Sprintf(" of %g", p.Total)
	}
	if p.Text != "" {
		text += ": " + p.Text
	}
	return text
}

// A keeper puts what is no text of a result in files of a directory, which is made
// when something is kept.
type keeper struct {
	dir string // "": a temporary one
	max int64
}

// save is tool.Call.Save.
func (k *keeper) save(r io.Reader) (hash, path string, err error) {
	if k.dir == "" {
		if k.dir, err = os.MkdirTemp("", "reasonix-mcp-"); err != nil {
			return "", "", err
		}
	}
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return "", "", err
	}
	data, err := io.ReadAll(io.LimitReader(r, k.max))
	if err != nil {
		return "", "", err
	}
	sum := sha256.Sum256(data)
	hash = hex.EncodeToString(sum[:])
	path = filepath.Join(k.dir, hash[:16])
	return hash, path, os.WriteFile(path, data, 0o600)
}
