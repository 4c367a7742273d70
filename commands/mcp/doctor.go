package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
)

// Statuses of a check.
const (
	isOK   = "ok"
	isOdd  = "warn"
	isBad  = "fail"
	isLeft = "skip"
)

// A check is one thing that was looked at.
type check struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

// A report is what doctor finds out about a server.
type report struct {
	Server string  `json:"server"`
	OK     bool    `json:"ok"`
	Checks []check `json:"checks"`
}

func (r *report) add(name, status, detail, fix string) {
	r.Checks = append(r.Checks, check{name, status, strings.TrimSpace(detail), fix})
	r.OK = r.OK && status != isBad
}

// A doctor is one `mcp doctor`.
type doctor struct {
	*desk
	tool, args string
	noCall     bool
	format     *string
}

func newDoctor(d *desk) *cobra.Command {
	x := &doctor{desk: d}
	cmd := &cobra.Command{
		Use:   "doctor [flags] [NAME]",
		Short: "Find out what is wrong with a server, and what to do about it",
		Long: `Find out what is wrong with a server, or with each one: how it is declared, whether it may be started, its
variables, the start and handshake and how long they take, the version of the protocol, its tools with their
schemas and names, what they cost in tokens, and one call.

The call is that of --call with the arguments of --args, else of a tool that only reads, by the server's word,
and needs no arguments; without such a tool none is made. A server that you have not let start is not started.
It exits with 3 when something is wrong.`,
		Example: `  reasonix mcp doctor
  reasonix mcp doctor files --call list_directory --args '{"path": "."}'
  reasonix mcp doctor files --output-format json | jq -r '.servers[0].checks[] | select(.status == "fail") | .fix'`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: d.completeNames(nil),
	}
	f := cmd.Flags()
	f.StringVar(&x.tool, "call", "", "the tool to call")
	f.StringVar(&x.args, "args", "{}", "its arguments, a JSON object; - reads them from stdin")
	f.BoolVar(&x.noCall, "no-call", false, "make no call")
	for _, name := range []string{"call", "args"} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions) // the flags exist
	}
	x.format = cmdutil.OutputFormat(cmd)
	cmdutil.MayExit(cmd, cmdutil.CodeSIGINT, cmdutil.CodeSIGTERM)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx, stop := cmdutil.WithSignals(cmd.Context())
		defer stop()
		return x.run(ctx, args)
	}
	return cmd
}

// examined is what doctor prints as JSON.
type examined struct {
	Servers []report `json:"servers"`
}

func (x *doctor) run(ctx context.Context, args []string) error {
	if x.tool != "" && (x.noCall || len(args) == 0) {
		return cmdutil.Usagef("--call wants NAME, and no --no-call")
	}
	arguments, err := x.arguments(x.args)
	if err != nil {
		return cmdutil.Usage(fmt.Errorf("--args: %w", err))
	}
	x.args = string(arguments)
	if _, err := x.app.RequireHome(); err != nil {
		return err
	}
	if _, err := x.app.RequireWorkDir(); err != nil {
		return err
	}
	cfg, err := x.load(true)
	if err != nil {
		return err
	}
	all := entries(cfg)
	if len(args) > 0 {
		e, err := find(cfg, args[0])
		if err != nil {
			return err
		}
		all = []entry{e}
	}
	out := examined{Servers: []report{}}
	for _, e := range all {
		r, err := x.examine(ctx, cfg, e)
		if err != nil {
			return err
		}
		out.Servers = append(out.Servers, r)
		if *x.format == cmdutil.Text {
			x.print(r)
		}
	}
	return x.finish(out)
}

func (x *doctor) finish(out examined) error {
	if *x.format == cmdutil.JSON {
		if err := cmdutil.PrintJSON(x.app.Out, out); err != nil {
			return err
		}
	} else if len(out.Servers) == 0 {
		fmt.Fprintln(x.app.Err, "no MCP servers; add one with: reasonix mcp add NAME -- COMMAND")
	}
	for _, r := range out.Servers {
		if !r.OK {
			return cmdutil.Exit(cmdutil.CodeConfig, nil)
		}
	}
	return nil
}

func (x *doctor) print(r report) {
	fmt.Fprintf(x.app.Out, "%s\n", config.Printable(r.Server))
	for _, c := range r.Checks {
		detail := strings.ReplaceAll(lines(c.Detail), "\n", "\n"+strings.Repeat(" ", 18))
		fmt.Fprintf(x.app.Out, "  %-4s  %-10s%s\n", c.Status, c.Name, detail)
		if c.Fix != "" {
			fmt.Fprintf(x.app.Out, "        %-10s-> %s\n", "", config.Printable(c.Fix))
		}
	}
}
