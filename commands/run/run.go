// Package run is the one-shot front end: one task in, one answer out, in text
// for people or in JSON for programs. It submits Ops and draws Events; it sees
// nothing of the loop. A task is a command only where a flag says so, and nothing in
// standard input is ever interpreted. commands.Root adds it to the tree.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/event"
	"reasonix/core/protocol"
)

// Output formats.
const (
	formatText   = "text"
	formatJSON   = "json"
	formatStream = "stream-json"
	formatEvents = "events"
)

// options are run's flags.
type options struct {
	print, quiet, verbose, partial bool
	model, effort, dir             string
	addDirs, allow, deny           []string
	maxSteps                       int
	maxCost                        float64
	given                          func(flag string) bool
	maxTime                        time.Duration
	posture, onAsk, format, mode   *string
	session, command               string
	resume, trust, fork            bool
}

const long = `Run does one task in the current directory and exits: it reads, edits and runs
code with the configured model until the model answers without asking for more.

The task is the arguments, joined by blanks. Standard input is added to it when
it is a file, or a pipe that delivers data or ends within a second; "-" waits
for it. @path in the arguments adds a file or directory, @server:uri a resource
of an MCP server; standard input is never interpreted, and a task that begins
with "/" is plain text: --command NAME runs a command. One that only reports
(help, cost, status ...) leaves no session; with --continue or --session it is of
that one.

In text format the answer goes to stdout and everything else (tool lines,
retries, the receipt) to stderr. On a terminal the answer appears as it is
written; in a pipe each reply is printed once it is complete, so that text the
endpoint cut off and wrote again stands there once. json prints one object at
the end, stream-json one object a line in the shape other agents use, events
the session's journal as it is written (--partial adds live deltas).

Nobody can be asked in a run. What a rule would ask about is allowed, unless
--on-ask deny; a deny rule always holds, and what only a person may review is
refused. --on-ask prompt asks on the terminal, with a line of letters: once, for
the session, always, deny; what is typed behind d goes to the model.`

const examples = `  reasonix run "fix the failing test"
  git diff | reasonix run "review this"
  reasonix run --output-format json --max-steps 20 "bump the version" | jq -r .result
  reasonix run --command review "the error handling"
  reasonix run --continue "now update the changelog"`

// New makes the command.
func New(app *cmdutil.App) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:     "run [flags] [task]",
		Short:   "Do one task and exit",
		Long:    long,
		Example: examples,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.given = cmd.Flags().Changed
			return o.run(cmd.Context(), app, args)
		},
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return o.report(app, cmd.Root().FlagErrorFunc()(cmd, err))
	})
	cmdutil.MayExit(cmd, cmdutil.CodeProvider, cmdutil.CodeLimit, cmdutil.CodeCut, cmdutil.CodeDenied, cmdutil.CodeSIGINT, cmdutil.CodeSIGTERM)
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVarP(&o.print, "print", "p", false, "print only the final answer")
	f.StringVar(&o.model, "model", "", "model: provider, provider/model or model")
	f.StringVar(&o.effort, "effort", "", "reasoning effort of the model")
	o.mode = cmdutil.EnumFlag(cmd, "work-mode", "", "tools the model is offered", "economy", "balanced")
	f.StringVar(&o.dir, "dir", "", "work in this directory")
	f.StringArrayVar(&o.addDirs, "add-dir", nil, "further directory that may be written (repeatable)")
	f.IntVar(&o.maxSteps, "max-steps", 0, "stop after this many replies with tool calls; 0: no limit")
	f.Float64Var(&o.maxCost, "max-cost", 0, "stop before the next request once this much was spent, in the price's currency; 0: no limit")
	f.DurationVar(&o.maxTime, "max-turn-time", 0, "stop the turn after this long, e.g. 10m; 0: no limit")
	f.StringArrayVar(&o.allow, "allow", nil, "allow rule, e.g. 'Bash(go test:*)' (repeatable)")
	f.StringArrayVar(&o.deny, "deny", nil, "deny rule, e.g. 'Bash(git push:*)' (repeatable)")
	o.posture = cmdutil.EnumFlag(cmd, "permission-mode", "", "posture for calls no rule decides", "ask", "auto", "yolo")
	o.onAsk = cmdutil.EnumFlag(cmd, "on-ask", "", "what to do when a rule says ask", "allow", "deny", "prompt")
	f.BoolVar(&o.trust, "trust", false, "for this run, let count what this directory's configuration widens (reasonix permissions trust)")
	o.format = cmdutil.OutputFormat(cmd, formatText, formatJSON, formatStream, formatEvents)
	f.BoolVar(&o.partial, "partial", false, "with events: live deltas too")
	f.StringVar(&o.session, "session", "", "resume this session: an id, the beginning of one, or words of a title")
	f.BoolVarP(&o.resume, "continue", "c", false, "resume this directory's newest session")
	f.BoolVar(&o.fork, "fork", false, "with --session or --continue: go on with a copy of the session")
	f.StringVar(&o.command, "command", "", "run this command with the task as its arguments: a built-in one, one of your own, a skill or an MCP prompt")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "text format: no tool lines and no receipt")
	f.BoolVar(&o.verbose, "verbose", false, "text format: reasoning and tool output on stderr too")
	o.complete(app, cmd)
	return cmd
}

// run is the command after parsing.
func (o *options) run(ctx context.Context, app *cmdutil.App, args []string) error {
	ctx, stop := cmdutil.WithSignals(ctx)
	defer stop()
	out := o.printer(app)
	err := o.attempt(ctx, app, args, out)
	var ended *endedError
	var lost *lostError
	switch {
	case errors.As(err, &lost):
		return err // on stderr in every format: stdout is what failed
	case !errors.As(err, &ended):
		return o.reportOn(out, err)
	case *o.format != formatText || ended.ended.Reason == cmdutil.ReaderGone:
		return cmdutil.Exit(cmdutil.CodeOf(err), nil) // told already, or nobody is left to tell
	}
	return err
}

// report puts an error that came before there was a turn into the final object
// of a machine format.
func (o *options) report(app *cmdutil.App, err error) error { return o.reportOn(o.printer(app), err) }

func (o *options) reportOn(out printer, err error) error {
	if err == nil {
		return nil
	}
	out.failed(err)
	if *o.format == formatText {
		return err
	}
	return cmdutil.Exit(cmdutil.CodeOf(err), nil)
}

func (o *options) attempt(ctx context.Context, app *cmdutil.App, args []string, out printer) error {
	spec, flags, err := o.spec(app)
	if err != nil {
		return err
	}
	what, err := readTask(ctx, app, args, o.command != "", out.warn)
	if err != nil {
		return err
	}
	host, err := wire.New(wire.World{
		Home: app.Home, Version: app.Version, Environ: app.Environ, Now: app.Now, Flags: flags, Trust: o.trust, Warn: out.warn,
		Modelless: wire.NeedsNoModel(o.command),
	})
	if err != nil {
		return err
	}
	if o.resume {
		if spec.Session, err = newest(ctx, host, spec.Workspace); err != nil {
			return err
		}
	}
	if o.fork {
		spec.Fork, spec.Session = protocol.Fork{Session: spec.Session}, ""
	}
	s, err := host.Open(ctx, spec)
	if err != nil {
		return openError(spec, err)
	}
	if err = o.known(ctx, s); err == nil {
		err = o.play(ctx, app, s, spec.Workspace, out, o.prompt(app, what))
	}
	if closed := s.Close(); err == nil {
		err = closed
	}
	if !o.passing() {
		return err
	}
	if gone := host.Delete(context.WithoutCancel(ctx), spec.Workspace, s.ID()); err == nil && !errors.Is(gone, protocol.ErrUnknown) {
		return gone
	}
	return err
}

// passing reports whether the run only asks for a report, of no session in particular:
// there is nothing in it to continue, so that none is left.
func (o *options) passing() bool {
	return o.session == "" && !o.resume && wire.NeedsNoModel(o.command)
}

// prompt is the task as the session takes it. Only --command makes a command of it.
func (o *options) prompt(app *cmdutil.App, what task) protocol.Prompt {
	p := protocol.Prompt{ID: event.PromptID(fmt.Sprintf("run-%x", app.Now().UnixNano())), Text: what.text, Data: what.data, Literal: true}
	if o.command != "" {
		p.Text, p.Literal = strings.TrimSpace("/"+o.named()+" "+what.text), false
	}
	return p
}

// play runs the prompt as one turn.
func (o *options) play(ctx context.Context, app *cmdutil.App, s protocol.Session, dir string, out printer, prompt protocol.Prompt) error {
	p := &cmdutil.Player{
		App: app, Session: s, Prompt: prompt,
		Draw: func(env event.Envelope) {
			if up, ok := env.Payload.(event.CaughtUp); ok {
				out.begin(dir, up)
				return
			}
			out.draw(env)
		},
	}
	if *o.onAsk == "prompt" {
		p.Answer = newAsker(app, dir).ask
	}
	ended, err := p.Play(ctx)
	if bad := (*protocol.BadOp)(nil); errors.As(err, &bad) && bad.Field == "Text" {
		return cmdutil.Usagef("%s", bad.Reason)
	}
	if err != nil {
		return err
	}
	out.end(ended)
	if ended.Outcome == event.Completed {
		return lost(app)
	}
	return &endedError{ended}
}

// lost is an answer that could not be written.
func lost(app *cmdutil.App) error {
	w, ok := app.Out.(*cmdutil.PipeWriter)
	if !ok || w.Err() == nil {
		return nil
	}
	return &lostError{w.Err()}
}

type lostError struct{ err error }

func (e *lostError) Error() string { return fmt.Sprintf("the answer could not be written: %v", e.err) }

func (e *lostError) Hint() string {
	return "make room or name another file; the session has the answer: reasonix run --continue"
}

// newest finds the session --continue means.
func newest(ctx context.Context, host protocol.Host, workspace string) (event.SessionID, error) {
	infos, err := host.Sessions(ctx, protocol.Query{Workspace: workspace, Limit: 1})
	if err != nil {
		return "", err
	}
	if len(infos) == 0 {
		return "", cmdutil.WithHint(cmdutil.Usagef("no session of %s to continue", workspace), "leave out --continue to begin one")
	}
	return infos[0].ID, nil
}

// openError adds whose fault it is to the errors of opening a session.
func openError(spec protocol.Spec, err error) error {
	var busy interface{ OpenElsewhere() bool }
	if errors.As(err, &busy) {
		return cmdutil.WithHint(err, "wait until it ends, go on with a copy of it (add --fork), or look at it (reasonix session show)")
	}
	if errors.Is(err, protocol.ErrUnknown) {
		return cmdutil.WithHint(cmdutil.Usagef("no session %s in %s", cmp.Or(spec.Session, spec.Fork.Session), spec.Workspace),
			"reasonix run --continue resumes the newest one")
	}
	return err
}
