package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/config"
	"reasonix/core/hook"
)

// trial is what test was asked for.
type trial struct {
	point  hook.Point
	input  hook.Input
	args   string
	name   string
	format string
}

func newTest(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "test EVENT",
		Short: "Run the hooks of one point on made-up input",
		Long: `Run the hooks of one point on made-up input, as a session here would: yours with your rights, a repository's
that you granted inside the sandbox. The programs really run. Each is shown with what it said, and at the end what
all of them make of the point. Neither a session nor a model is used.

EVENT is one of SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, PermissionRequest, PreCompact, TurnEnd
(or Stop), SessionEnd, Notification, SubagentStop. It exits with 0 when every hook ran, whatever they decided, with
1 when one failed, with 2 when the input makes no sense.`,
		Example: `  reasonix hook test PreToolUse --tool bash --args '{"command":"rm -rf build"}'
  reasonix hook test UserPromptSubmit --prompt 'deploy it' --name guard
  reasonix hook test Stop --output-format json | jq .verdict`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmdutil.Usagef("which event? %s; such as: reasonix hook test PreToolUse --tool bash", strings.Join(pointNames(), ", "))
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		ValidArgs: pointNames(),
	}
	t := trial{}
	f := cmd.Flags()
	f.StringVar(&t.name, "name", "", "only the hooks of this name")
	f.StringVar(&t.input.Tool, "tool", "bash", "the tool of a call")
	f.StringVar(&t.args, "args", "{}", "the arguments of a call, a JSON object")
	f.StringVar(&t.input.Result, "result", "", "the result of a call")
	f.BoolVar(&t.input.Failed, "failed", false, "the call failed")
	f.StringVar(&t.input.Prompt, "prompt", "", "what the user typed")
	f.StringVar(&t.input.Source, "source", "startup", "how the session begins: startup or resume")
	f.StringVar(&t.input.Trigger, "trigger", "manual", "what starts a compaction: manual or auto")
	f.StringVar(&t.input.Outcome, "outcome", "completed", "how the turn ended")
	f.StringVar(&t.input.Words, "words", "", "the last reply")
	format := cmdutil.OutputFormat(cmd)
	cmdutil.MayExit(cmd, cmdutil.CodeSIGINT, cmdutil.CodeSIGTERM)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		t.format = *format
		if err := t.read(args[0]); err != nil {
			return err
		}
		ctx, stop := cmdutil.WithSignals(cmd.Context())
		defer stop()
		return t.run(ctx, app)
	}
	return cmd
}

func pointNames() []string {
	var names []string
	for _, p := range hook.Points() {
		names = append(names, string(p))
	}
	return names
}

// read makes sense of the command line.
func (t *trial) read(name string) error {
	var ok bool
	if t.point, ok = hook.ParsePoint(name); !ok {
		return cmdutil.Usagef("%s is no event; there are %s", config.Printable(name), strings.Join(pointNames(), ", "))
	}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(t.args), &object) != nil {
		return cmdutil.Usagef("--args %s: it is no JSON object", config.Printable(t.args))
	}
	t.input.Args = json.RawMessage(t.args)
	t.input.Session, t.input.Call, t.input.Turn = "test", "call-1", 1
	switch t.point {
	case hook.SessionEnd:
		t.input.Reason = "other"
	case hook.Notification:
		t.input.Kind, t.input.Message = "permission_prompt", "reasonix needs your permission to use "+t.input.Tool
	case hook.SessionStart, hook.UserPromptSubmit, hook.PreToolUse, hook.PostToolUse, hook.PermissionRequest, hook.PreCompact, hook.TurnEnd, hook.SubagentStop:
	}
	if t.point == hook.SessionStart || t.point == hook.SessionEnd || t.point == hook.UserPromptSubmit || t.point == hook.PreCompact || t.point == hook.TurnEnd || t.point == hook.SubagentStop {
		t.input.Tool, t.input.Args, t.input.Call = "", nil, ""
	}
	return nil
}

func (t *trial) run(ctx context.Context, app *cmdutil.App) error {
	s, err := open(app, t.format == cmdutil.Text)
	if err != nil {
		return err
	}
	named := func(h hook.Hook) bool { return t.name == "" || h.Name == t.name }
	if t.name != "" && !slices.ContainsFunc(wire.Hooks(s.cfg), named) {
		return cmdutil.Usagef("no hook that runs here has the name %s; 'reasonix hook list' lists them", config.Printable(t.name))
	}
	if _, err := app.RequireHome(); err != nil {
		return err
	}
	w := wire.World{Home: app.Home, Version: app.Version, Environ: app.Environ, Now: app.Now, Warn: func(text string) {
		fmt.Fprintf(app.Err, "warning: %s\n", text)
	}}
	e, stop, err := w.StartHooks(s.cfg, s.dir)
	if err != nil {
		return err
	}
	e.Hooks = slices.DeleteFunc(e.Hooks, func(h hook.Hook) bool { return !named(h) })
	t.input.Dir = s.dir
	v, err := e.Fire(ctx, t.point, t.input)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	if err := errors.Join(err, stop()); err != nil {
		return err
	}
	if err := t.print(app.Out, s, v); err != nil {
		return err
	}
	if slices.ContainsFunc(v.Runs, func(r hook.Run) bool { return r.Word == hook.WordFailed }) {
		return cmdutil.Exit(cmdutil.CodeInternal, nil)
	}
	return nil
}

// tried is what test prints in JSON.
type tried struct {
	Event   string  `json:"event"`
	Runs    []run   `json:"runs"`
	Verdict verdict `json:"verdict"`
}

type run struct {
	Name     string  `json:"name"`
	Scope    string  `json:"scope"`
	Word     string  `json:"verdict"`
	Reason   string  `json:"reason"`
	Exit     int     `json:"exit"`
	Out      string  `json:"stdout"`
	ErrOut   string  `json:"stderr"`
	TookSecs float64 `json:"took_seconds"`
}

type verdict struct {
	Block      bool            `json:"block"`
	Permission string          `json:"permission"`
	Reason     string          `json:"reason"`
	Args       json.RawMessage `json:"updated_input,omitempty"`
	Context    string          `json:"context"`
	Stop       bool            `json:"stop"`
	StopReason string          `json:"stop_reason"`
	Messages   []string        `json:"messages"`
}

func (t *trial) print(out io.Writer, s *scene, v hook.Verdict) error {
	if t.format == cmdutil.JSON {
		j := tried{Event: string(t.point), Runs: []run{}, Verdict: verdict{
			Block: v.Block, Permission: string(v.Permission), Reason: v.Reason, Args: v.Args, Context: v.Context,
			Stop: v.Stop, StopReason: v.StopReason, Messages: append([]string{}, v.Messages...),
		}}
		for _, r := range v.Runs {
			j.Runs = append(j.Runs, run{r.Hook.Title(), owner(r.Hook), r.Word, r.Reason, r.Exit, r.Out, r.ErrOut, r.Took.Seconds()})
		}
		return cmdutil.PrintJSON(out, j)
	}
	var b strings.Builder
	for _, r := range v.Runs {
		fmt.Fprintf(&b, "%s  %s, %s (%s)\n", r.Word, config.Printable(r.Hook.Title()), s.place(r.Hook.File, r.Hook.Line), r.Took.Round(time.Millisecond))
		indent(&b, "stdout", r.Out)
		indent(&b, "stderr", r.ErrOut)
		if r.Word == hook.WordFailed {
			indent(&b, "error", r.Reason)
		}
	}
	fmt.Fprintln(&b, t.sum(v))
	_, err := io.WriteString(out, b.String())
	return err
}

func indent(b *strings.Builder, name, text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintf(b, "  %s: %s\n", name, config.Printable(strings.TrimRight(line, "\r\n")))
	}
}

// sum says in words what the hooks make of the point.
func (t *trial) sum(v hook.Verdict) string {
	if len(v.Runs) == 0 {
		return fmt.Sprintf("no hook runs at %s for this", t.point)
	}
	var said []string
	add := func(what, text string) { said = append(said, what+": "+config.Printable(text)) }
	switch {
	case v.Block:
		add("blocked by "+config.Printable(v.By), v.Reason)
	case v.Permission != "":
		add(string(v.Permission), v.Reason)
	}
	if v.Args != nil {
		add("other arguments", string(v.Args))
	}
	if v.Context != "" {
		add("for the model", v.Context)
	}
	if v.Stop {
		add("the turn ends", v.StopReason)
	}
	for _, m := range v.Messages {
		add("for you", m)
	}
	if len(said) == 0 {
		return "it goes on as if there were no hooks"
	}
	return strings.Join(said, "\n")
}
