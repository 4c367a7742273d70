// Package shell is the bash tool: it runs a command line in the session's shell
// and tells the model how it ended, with what it wrote.
//
// Every call is a new shell process, started through the session's
// sandbox.Runner, so that nothing of a call outlives it. What is meant to is a
// background job: it starts where a call would, goes on until it ends, is killed
// or the session closes, and is read, waited for and killed by the tools
// bash_output, wait and kill_shell. Its end is an event. The directory and the
// exported variables of a call that ends are the next one's; those of a call that
// is timed out, cancelled or killed, or that replaces its shell with exec or its
// EXIT trap before an explicit exit, are not. Standard input is at its end and
// there is no terminal; only a command that nothing confines runs in the terminal of
// an editor that lends one, where a person sees it.
//
// The model sees at most Settings.OutputCap bytes, the head and the tail, with
// escape sequences removed and control bytes spelled out; the raw output is kept
// in a file then. The package decides nothing about permission. It registers
// itself; the agent calls it through the registry.
package shell

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"reasonix/core/tool"
	"reasonix/sandbox"
)

func init() {
	tool.RegisterBuiltin(bash{})
	tool.RegisterBuiltin(bashOutput{})
	tool.RegisterBuiltin(waiting{})
	tool.RegisterBuiltin(killShell{})
}

// bash is the tool. The zero value describes; Bind returns the one that runs.
type bash struct {
	env   tool.Env
	shell interpreter
	state *state
	jobs  *jobs
}

const schema = `{"properties":{` +
	`"command":{"type":"string"},"description":{"type":"string"},` +
	`"run_in_background":{"type":"boolean"},"timeout_ms":{"type":"integer"}},` +
	`"required":["command"],"type":"object"}`

type arguments struct {
	Command     string `json:"command"`
	Description string `json:"description"`
	Background  bool   `json:"run_in_background"`
	TimeoutMS   int64  `json:"timeout_ms"`
}

func (bash) Name() string            { return "bash" }
func (bash) Schema() json.RawMessage { return json.RawMessage(schema) }
func (bash) ReadOnly() bool          { return false }

// Description names the interpreter once the tool is bound. It is the same bytes
// for every session on the same machine with the same settings.
func (b bash) Description() string {
	limit := ""
	if d := b.env.Settings.BashTimeout; d > 0 {
		limit = fmt.Sprintf(" Limit %v unless timeout_ms.", d)
	}
	return "Run a command in " + b.shell.String() + ". Directory and exports carry over. " +
		"No stdin, no terminal. Processes end with the call unless run_in_background." + limit
}

// Bind chooses the interpreter. It fails when the configured one does not exist.
func (b bash) Bind(env tool.Env) (tool.Tool, error) {
	shell, err := choose(env.Settings)
	if err != nil {
		return nil, err
	}
	st, err := tool.Shared(env, func() (*state, error) {
		return newState(cmp.Or(env.Dir, env.Files.Dir()), env.Settings.Environ), nil
	})
	if err != nil {
		return nil, err
	}
	js, err := sharedJobs(env)
	if err != nil {
		return nil, err
	}
	return bash{env: env, shell: shell, state: st, jobs: js}, nil
}

// maxTitle bounds a call's title, in runes.
const maxTitle = 120

// Subject is the first line of the command and whether it goes on after the call.
func (b bash) Subject(args json.RawMessage) tool.Subject {
	var a arguments
	_ = json.Unmarshal(args, &a) // a call that cannot be decoded is refused later
	title := b.title(a)
	if a.Background {
		title += " [background]"
	}
	s := tool.Subject{Title: title, Kind: "execute", Reason: strings.TrimSpace(clean(a.Description))}
	if b.state != nil {
		s.Dir = b.state.where(b.env.Files.Dir())
	}
	return s
}

// title is the first line of the command.
func (b bash) title(a arguments) string {
	line, _, _ := strings.Cut(strings.TrimSpace(clean(a.Command)), "\n")
	if utf8.RuneCountInString(line) > maxTitle {
		line = string([]rune(line)[:maxTitle-1]) + "…"
	}
	if line == "" {
		line = b.Name()
	}
	return line
}

// Execute runs the command, or starts it as a job. A command that fails is a result like any other,
// with Call.Exit set; an error is a call that was timed out, cancelled, or could
// not be run.
func (b bash) Execute(ctx context.Context, raw json.RawMessage) (string, error) {
	if b.state == nil || b.env.Run == nil {
		return "", tool.ErrUnbound
	}
	var args arguments
	if err := tool.Decode(raw, json.RawMessage(schema), &args); err != nil {
		return "", err
	}
	if strings.ContainsRune(args.Command, 0) {
		return "", errors.New("the command contains a NUL byte, which no shell accepts; write it as \\0 in printf, or use a file")
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if args.Background {
		return b.background(ctx, args)
	}
	return b.foreground(ctx, args)
}

// foreground runs the command and, where the sandbox stopped it and a person so
// decides, once more.
func (b bash) foreground(ctx context.Context, args arguments) (string, error) {
	at := b.state.now(b.env.Files.Dir())
	first, err := b.once(ctx, args, at, decision{})
	if len(first.stopped) == 0 {
		return first.text, err
	}
	decided, err := b.atTheEdge(ctx, args, at, first)
	switch {
	case err != nil:
		return first.text, err
	case !decided.again:
		return first.text + remarks(decided.notes), nil
	}
	if err := b.again(ctx, args, decided); err != nil {
		return first.text, err
	}
	at.notes = append(at.notes, decided.notes...)
	second, err := b.once(ctx, args, at, decided)
	return second.text, err
}

// ran is what became of one run.
type ran struct {
	text    string           // for the model
	stopped []sandbox.Denial // by the sandbox
	// Of stopped, what was changed and put back; unclear is what another command that
	// ran can have changed as well.
	putBack, unclear []string
}

// once runs the command.
func (b bash) once(ctx context.Context, args arguments, at place, how decision) (ran, error) {
	call := tool.CallFrom(ctx)
	l, err := b.shell.prepare(args.Command, at, b.env.Settings.Temp)
	if err != nil {
		return ran{}, fmt.Errorf("prepare command: %w", err)
	}
	defer l.remove()
	out := newOutput(b.env.Settings, call)
	defer out.remove()

	cmd := b.cmd(l, out, slices.Concat(call.Release, how.release))
	cmd.Unconfined = how.unconfined
	exit, err := b.run(ctx, b.limit(args), cmd)
	res := report{out: out, call: call, exit: exit, notes: at.notes}
	if err != nil {
		text, err := res.failed(ctx, b.explain(err, at))
		return ran{text: text}, err
	}
	b.state.update(l.after(at))
	call.Exit = &exit.Code
	stopped := denials(cmd, exit, out)
	putBack := slices.Concat(exit.Restored, exit.Unclear)
	res.notes = append(res.notes, stoppedNotes(stopped, putBack)...)
	if exit.Code == 0 { // it did the rest, and may not be able to do that twice
		stopped = slices.DeleteFunc(stopped, func(d sandbox.Denial) bool { return !slices.Contains(putBack, d.Path) })
	}
	return ran{res.finished(), stopped, putBack, exit.Unclear}, nil
}

// limit is the time the call may take; 0 is no limit.
func (b bash) limit(args arguments) time.Duration {
	const most = math.MaxInt64 / int64(time.Millisecond)
	if args.TimeoutMS > 0 {
		return time.Duration(min(args.TimeoutMS, most)) * time.Millisecond
	}
	return b.env.Settings.BashTimeout
}

func (b bash) run(ctx context.Context, limit time.Duration, cmd sandbox.Cmd) (sandbox.Exit, error) {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, &timeoutError{after: limit})
		defer cancel()
	}
	if exit, ran, err := b.seen(ctx, cmd); ran {
		return exit, err
	}
	return b.env.Run.Run(ctx, cmd)
}

// cmd is the launch as a confined command. release are the protected paths that a
// person let this call write.
func (b bash) cmd(l *launch, out *output, release []string) sandbox.Cmd {
	// A commit that would need more says so itself.
	_ = b.env.Files.Prepare()
	held := b.env.Files.Confined().Less(release)
	return sandbox.Cmd{
		Argv:      l.argv,
		Dir:       l.dir,
		Env:       l.env,
		Out:       out,
		Err:       out,
		Writable:  slices.Concat(held.Writable, []string{b.env.Settings.Temp}, b.env.Settings.Caches),
		Protected: held.Protected,
		Released:  release,
		Hidden:    held.Hidden,
		Bare:      held.Bare,
		Network:   b.env.Settings.Network,
	}
}

// explain adds what the model needs to go on after a call that did not end by
// itself.
func (b bash) explain(err error, at place) error {
	var timeout *timeoutError
	var unavailable *sandbox.UnavailableError
	switch {
	case errors.As(err, &unavailable):
		return b.refuse(unavailable)
	case errors.As(err, &timeout):
		timeout.dir = at.dir
	case errors.Is(err, syscall.E2BIG):
		b.state.forget()
		return fmt.Errorf("%w; the exported variables are back to those of the session's start", err)
	}
	return err
}

// timeoutError is the cause of a call that took too long.
type timeoutError struct {
	after time.Duration
	dir   string
}

func (e *timeoutError) Error() string {
	return fmt.Sprintf("timed out after %v; the next call starts in %s with the variables of before this call. "+
		"A larger timeout_ms is honoured", e.after, slashed(e.dir))
}

// isDir tells whether path is a directory that exists.
func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
