// Package hook is `reasonix hook`: which hooks there are, which of them run and why
// others do not, and a try of those of one point without a session or a model. What
// they are, say and may take is core/hook; this package turns it into text and JSON.
// The root command adds it to the tree.
package hook

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/config"
	"reasonix/core/hook"
)

// New returns the command.
func New(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook",
		Short: "List hooks and try them",
		Long: `List hooks and try them: programs of yours that run at points of a session and may stop a call, change it, or tell
the model something.

They stand in [[hooks]] of the configuration and in the settings.json files of <home>, .reasonix/ and .claude/,
as in Claude Code. A repository's own run only after you granted them, and inside the sandbox; yours run with your
rights. docs/hooks.md has the whole of it.`,
		Example: `  reasonix hook list
  reasonix hook test PreToolUse --tool bash --args '{"command":"rm -rf build"}'`,
	}
	cmd.AddCommand(newList(app), newTest(app))
	return cmd
}

// A scene is what a session in the working directory would have.
type scene struct {
	app *cmdutil.App
	cfg *config.Config
	dir string // the workspace
}

// open reads the configuration, and says on stderr what is odd about hooks.
func open(app *cmdutil.App, tell bool) (*scene, error) {
	dir, err := app.RequireWorkDir()
	if err != nil {
		return nil, err
	}
	cfg, err := config.Load(wire.Input(app.Home, dir, app.Environ))
	if err != nil {
		return nil, err
	}
	s := &scene{app: app, cfg: cfg, dir: cmp.Or(cfg.Sandbox.WorkspaceRoot, dir)}
	for _, w := range cfg.Warnings {
		if tell && (w.Code == config.WarnHooks || w.Code == wire.WarnGrants) {
			fmt.Fprintf(app.Err, "warning: %s\n", w)
		}
	}
	return s, nil
}

// place is where a hook stands, for people.
func (s *scene) place(file string, line int) string {
	at := filepath.ToSlash(file)
	if rel, err := filepath.Rel(s.dir, file); err == nil && filepath.IsLocal(rel) {
		at = filepath.ToSlash(rel)
	}
	if line > 0 {
		at = fmt.Sprintf("%s:%d", at, line)
	}
	return config.Printable(at)
}

// owner says whose a hook is.
func owner(h hook.Hook) string {
	if h.FromProject {
		return "project"
	}
	return "user"
}
