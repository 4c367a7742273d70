package wire

import (
	"runtime"
	"strings"

	"reasonix/core/config"
	"reasonix/core/event"
	"reasonix/sandbox"
)

// runner is what commands run in. What confines them is chosen at the first one.
func (w World) runner(cfg *config.Config) sandbox.Runner {
	if cfg.Sandbox.Bash != "enforce" {
		return sandbox.NewOff()
	}
	return sandbox.New(w.Confinement(cfg))
}

// Confinement is what the configuration wants of a sandbox, for a session and for
// whoever examines the machine.
func (w World) Confinement(cfg *config.Config) sandbox.Options {
	o := sandbox.Options{
		Needs: []sandbox.Guarantee{sandbox.HoldsWrites, sandbox.HoldsProtected, sandbox.HoldsHidden},
		Path:  variable(w.Environ, "PATH"),
	}
	if !cfg.Sandbox.Network {
		o.Needs = append(o.Needs, sandbox.HoldsNetwork)
	}
	return o
}

// heldBy says in words what holds a command that runs in r.
func heldBy(r sandbox.Runner, network bool) func() string {
	return func() string {
		way := r.Way()
		switch way {
		case sandbox.WayOff:
			return "not sandboxed"
		case "":
			return "refused: no sandbox can be had"
		}
		words := way + ": writes only in the workspace; network "
		if network {
			return words + "on"
		}
		return words + "off"
	}
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
