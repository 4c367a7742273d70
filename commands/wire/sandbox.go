package wire

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"reasonix/core/config"
	"reasonix/core/event"
	"reasonix/core/tool"
	"reasonix/core/workspace"
	"reasonix/sandbox"
)

// runner is what commands run in. What confines them is chosen at the first one.
func (w World) runner(cfg *config.Config) sandbox.Runner {
	if cfg.Sandbox.Bash != "enforce" {
		return sandbox.NewOff()
	}
	return &withCaches{Runner: sandbox.New(w.Confinement(cfg)), environ: w.Environ, warn: w.Warn}
}

// withCaches makes the directories of build tools before the first command: those
// that are not there cannot be made from inside.
type withCaches struct {
	sandbox.Runner
	environ []string
	warn    func(string)
	once    sync.Once
}

func (r *withCaches) Run(ctx context.Context, cmd sandbox.Cmd) (sandbox.Exit, error) {
	r.make()
	return r.Runner.Run(ctx, cmd)
}

func (r *withCaches) make() {
	r.once.Do(func() {
		if err := sandbox.MakeCaches(r.environ); err != nil && r.warn != nil {
			r.warn(err.Error())
		}
	})
}

// Warm is what sandbox.Warm does.
func (r *withCaches) Warm(cmd sandbox.Cmd) error {
	r.make()
	sandbox.Warm(r.Runner, cmd)
	return nil
}

// Own is what sandbox.Own does.
func (r *withCaches) Own(paths []string, write func() error) error {
	return sandbox.Own(r.Runner, paths, write)
}

// Check is what sandbox.Check does.
func (r *withCaches) Check() []string { return sandbox.Check(r.Runner) }

// Confinement is what the configuration wants of a sandbox, for a session and for
// whoever examines the machine. Without the network a command is to reach no Unix
// socket either: a daemon behind one has a network. Processes of others and metadata
// are no key of the configuration: a way that holds them is taken where it works,
// and one that does not is better than to refuse every command.
func (w World) Confinement(cfg *config.Config) sandbox.Options {
	o := sandbox.Options{
		Needs: []sandbox.Guarantee{sandbox.HoldsWrites, sandbox.HoldsProtected, sandbox.HoldsHidden},
		Path:  variable(w.Environ, "PATH"),
		Home:  w.Home,
	}
	if !cfg.Sandbox.Network {
		o.Needs = append(o.Needs, sandbox.HoldsNetwork, sandbox.HoldsSockets)
	}
	return o
}

// CanConfine reports whether any sandbox works here that holds what is always held.
// It starts a process for some.
func (w World) CanConfine() bool {
	return slices.ContainsFunc(sandbox.Probe(w.Confinement(&config.Config{Sandbox: config.Sandbox{Network: true}})), sandbox.Attempt.Works)
}

// heldBy says in words what holds a command that starts now.
func heldBy(env tool.Env) func() string {
	return func() string {
		switch way := env.Run.Way(); way {
		case sandbox.WayOff:
			return "not sandboxed"
		case "":
			return "refused: no sandbox can be had"
		default:
			return way + ": writes in " + writable(env) + "; " + reachable(env)
		}
	}
}

// writable says where commands may write. The session's temporary directory is not
// counted: it is gone with the session.
func writable(env tool.Env) string {
	where := []string{"the workspace"}
	temp := workspace.Real(env.Settings.Temp)
	further := 0
	for _, dir := range env.Files.Writable()[1:] {
		if dir != temp {
			further++
		}
	}
	switch further {
	case 0:
	case 1:
		where = append(where, "1 further directory")
	default:
		where = append(where, fmt.Sprint(further)+" further directories")
	}
	if len(env.Settings.Caches) > 0 {
		where = append(where, "caches")
	}
	last := len(where) - 1
	if last == 0 {
		return where[0]
	}
	return strings.Join(where[:last], ", ") + " and " + where[last]
}

// reachable says what commands can talk to.
func reachable(env tool.Env) string {
	switch {
	case env.Settings.Network:
		return "network on, Unix sockets reachable"
	case !slices.Contains(env.Run.Holds(), sandbox.HoldsSockets):
		return "network off, Unix sockets reachable"
	}
	return "network off"
}

// unsandboxed says once, at the beginning, that nothing holds commands.
func unsandboxed(cfg *config.Config) []event.Notice {
	text := ""
	switch {
	case runtime.GOOS == "windows":
		text = "commands are not sandboxed: there is no sandbox for Windows"
	case cfg.Sandbox.Bash != "enforce":
		text = `commands are not sandboxed: sandbox.bash = "off"`
	default:
		return nil
	}
	return []event.Notice{{Level: event.LevelInfo, Code: "not_sandboxed", Text: text}}
}

// variable is the value of name in environ, where the last one counts.
func variable(environ []string, name string) string {
	value := ""
	for _, e := range environ {
		if n, v, _ := strings.Cut(e, "="); n == name {
			value = v
		}
	}
	return value
}
