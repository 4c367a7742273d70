// Package acp is the command that serves editors: the Agent Client Protocol on
// standard input and output. It gives the server its host and its defaults and
// ends it on a signal or when the client has left; the protocol itself is
// integrations/acp. commands.Root adds it to the tree.
package acp

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/protocol"
	"reasonix/integrations/acp"
)

const long = `Acp speaks the Agent Client Protocol, version 1, on standard input and output: one
JSON-RPC message a line. Editors and orchestrators start it; it is of no use by
hand. Warnings go to stderr. It ends, and everything it started ends, when its
input is closed, when nobody reads its output any more, or on SIGTERM; every
session is saved by then, and the exit code is 0.

The client opens, loads, resumes, lists, closes and deletes sessions, prompts, steers
and cancels, and its user answers what a tool may do. It may lend its buffers and its
terminals and bring MCP servers along. The flags are defaults of new sessions, in
which the client can choose anew; a session that goes on keeps what it had, and writes
the further directories that the client names. Parts of a project's configuration
that nobody granted stay off and are named to the client.

docs/acp.md says what is served beyond the protocol, and how editors are set up.`

const examples = `  reasonix acp
  reasonix acp --model deepseek/deepseek-v4-pro --permission-mode auto
  reasonix acp --add-dir ../shared --work-mode economy`

// New makes the command.
func New(app *cmdutil.App) *cobra.Command {
	var (
		spec    protocol.Spec
		addDirs []string
		trust   bool
	)
	cmd := &cobra.Command{
		Use:     "acp",
		Short:   "Serve an editor over the Agent Client Protocol",
		Long:    long,
		Example: examples,
		Args:    cobra.NoArgs,
	}
	cmdutil.MayExit(cmd, cmdutil.CodeSIGINT, cmdutil.CodeSIGTERM) // at the second signal
	cmd.Flags().StringVar(&spec.Model, "model", "", "model of new sessions")
	cmd.Flags().StringVar(&spec.Effort, "effort", "", "reasoning effort of new sessions")
	mode := cmdutil.EnumFlag(cmd, "work-mode", "", "tools the model of new sessions is offered", "economy", "balanced")
	posture := cmdutil.EnumFlag(cmd, "permission-mode", "", "posture of new sessions", "ask", "auto", "yolo")
	cmd.Flags().StringArrayVar(&addDirs, "add-dir", nil, "further directory that new sessions may write (repeatable)")
	cmd.Flags().BoolVar(&trust, "trust", false, "while this runs, let count what a directory's configuration widens (reasonix permissions trust)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		spec.Approval, spec.WorkMode = *posture, *mode
		var err error
		if spec.AddDirs, err = directories(app, addDirs); err != nil {
			return err
		}
		world := wire.World{
			Home: app.Home, Version: app.Version, Environ: app.Environ, Now: app.Now, Trust: trust,
			Warn: func(text string) { fmt.Fprintf(app.Err, "reasonix: warning: %s\n", text) },
		}
		host, err := wire.New(world)
		if err != nil {
			return err
		}
		ctx, stop := cmdutil.WithSignals(cmd.Context())
		defer stop()
		ctx, leave := context.WithCancel(ctx)
		defer leave()
		if out, ok := app.Out.(*cmdutil.PipeWriter); ok {
			go leaveWhenGone(ctx, leave, out)
		}
		return acp.Serve(ctx, host, acp.Options{
			Version: app.Version, Spec: spec, Lang: world.Language(), Home: cmp.Or(app.Getenv("HOME"), app.Getenv("USERPROFILE")),
		}, app.In, app.Out)
	}
	return cmd
}

// directories makes what --add-dir names absolute, and refuses what is no directory.
func directories(app *cmdutil.App, names []string) ([]string, error) {
	var dirs []string
	for _, name := range names {
		if !filepath.IsAbs(name) {
			base, err := app.RequireWorkDir()
			if err != nil {
				return nil, err
			}
			name = filepath.Join(base, name)
		}
		if info, err := os.Stat(name); err != nil || !info.IsDir() {
			return nil, cmdutil.Usagef("--add-dir %s: it is no directory", name)
		}
		dirs = append(dirs, filepath.Clean(name))
	}
	return dirs, nil
}

// leaveWhenGone ends the server when the client reads no more, even if it keeps
// our input open.
func leaveWhenGone(ctx context.Context, leave context.CancelFunc, out *cmdutil.PipeWriter) {
	select {
	case <-out.Gone(ctx):
		leave()
	case <-ctx.Done():
	}
}
