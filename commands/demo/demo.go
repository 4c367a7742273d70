// Package demo is the command that shows the agent at work on a machine without
// a key: it makes a small project with a failing test, opens an ordinary session
// with the built-in demo model, and shows what happens, the change and the
// passing test. Tools, permissions and journal are those of every session; only
// the model is none, and the command says so at both ends.
//
// It overwrites nothing: the project goes into a directory that is empty or does
// not exist yet, and stays there. commands.Root adds it to the tree.
package demo

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/protocol"
)

const long = `Demo shows the agent at work without a key and without a network. It makes a
small shell project with a failing test in DIR, which must be empty or not exist
yet (default: a fresh temporary directory), and lets the agent repair it with its
ordinary tools, under your permissions, with an ordinary session as its record.

No real model is involved. The demo model is a small fixed program: it reads the
output of the failing test, opens the file named there, and tries small changes
until the tests pass, taking back those that do not help. It can do nothing else.
"reasonix setup" connects a real model.

The project needs a POSIX shell (sh). It is kept, and so is the session.`

const examples = `  reasonix demo
  reasonix demo ./try-it
  reasonix demo --output-format json | jq -r .diff`

// The session's model and what it is told.
const (
	model = "demo/demo" // reserved: no configuration can put another model here
	task  = "The tests fail. Find out why and fix it."
)

// New makes the command.
func New(app *cmdutil.App) *cobra.Command {
	var format *string
	cmd := &cobra.Command{
		Use:     "demo [DIR]",
		Short:   "Watch the agent repair a small project, without a key",
		Long:    long,
		Example: examples,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var dir string
			if len(args) > 0 {
				dir = args[0]
			}
			return show(cmd.Context(), app, dir, *format)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	format = cmdutil.OutputFormat(cmd)
	cmdutil.MayExit(cmd, cmdutil.CodeProvider, cmdutil.CodeLimit, cmdutil.CodeDenied, cmdutil.CodeSIGINT, cmdutil.CodeSIGTERM)
	return cmd
}

// show makes the project and lets the agent work on it. A project nobody got to
// work on is taken away again.
func show(ctx context.Context, app *cmdutil.App, dir, format string) error {
	p, err := makeProject(app, dir)
	if err != nil {
		return err
	}
	out := newPrinter(app, format)
	s, err := open(ctx, app, p.dir, out)
	if err != nil {
		return errors.Join(err, p.remove())
	}
	out.begin(p.dir, s.ID())
	r, err := follow(ctx, app, s, out)
	if closed := s.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	out.end(r)
	return r.err(format)
}

func open(ctx context.Context, app *cmdutil.App, dir string, out printer) (protocol.Session, error) {
	world := wire.World{Home: app.Home, Version: app.Version, Environ: app.Environ, Now: app.Now, Warn: out.warn}
	if !world.CanConfine() {
		// What the demo model runs is known, and a look at it is worth more than none.
		out.warn("no sandbox works on this machine; the demo's own commands run without one (see: reasonix doctor)")
		world.Flags = map[string]any{"sandbox.bash": "off"}
	}
	host, err := wire.New(world)
	if err != nil {
		return nil, err
	}
	return host.Open(ctx, protocol.Spec{Workspace: dir, Model: model})
}

// failedError is a demo that did not end with passing tests.
type failedError struct {
	code int
	text string
}

func (e *failedError) Error() string { return e.text }
func (e *failedError) ExitCode() int { return e.code }

// err is the demo's result as an exit code. In JSON the object says the rest.
func (r *report) err(format string) error {
	code := cmdutil.CodeOfTurn(r.ended)
	text := r.ended.Detail
	switch {
	case code == cmdutil.CodeOK && r.passed:
		return nil
	case code == cmdutil.CodeOK:
		code, text = cmdutil.CodeInternal, "the demo did not get its tests to pass"
	case text == "":
		text = fmt.Sprintf("the demo ended early: %s", r.ended.Outcome)
	}
	if format == cmdutil.JSON {
		return cmdutil.Exit(code, nil)
	}
	return &failedError{code, text}
}
