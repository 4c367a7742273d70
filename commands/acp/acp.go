// Package acp is the command that serves editors: the Agent Client Protocol on
// standard input and output. It gives the server its host and its defaults and
// ends it on a signal or when the client has left; the protocol itself is
// integrations/acp. commands.Root adds it to the tree.
package acp

import (
	"context"
	"fmt"

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

The client opens sessions, prompts, steers and cancels, and its user answers what
a tool may do. MCP servers that a client offers are not connected.`

const examples = `  reasonix acp
  reasonix acp --model deepseek/deepseek-v4-pro --permission-mode auto`

// New makes the command.
func New(app *cmdutil.App) *cobra.Command {
	var spec protocol.Spec
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
	posture := cmdutil.EnumFlag(cmd, "permission-mode", "", "posture of new sessions", "ask", "auto", "yolo")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		spec.Approval = *posture
		host, err := wire.New(wire.World{
			Home: app.Home, Version: app.Version, Environ: app.Environ, Now: app.Now,
			Warn: func(text string) { fmt.Fprintf(app.Err, "reasonix: warning: %s\n", text) },
		})
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
		return acp.Serve(ctx, host, acp.Options{Version: app.Version, Spec: spec}, app.In, app.Out)
	}
	return cmd
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
