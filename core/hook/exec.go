package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"reasonix/sandbox"
)

// Exec is the Runner that starts programs. Hooks of the project run first and those
// of the user behind them, each in the order of Hooks: the user's see what the
// project's made of the arguments, so that theirs is the last word. The first block
// ends it.
type Exec struct {
	Hooks []Hook
	// Sandbox runs the hooks of the project, User those of the user, with the user's
	// rights.
	Sandbox, User sandbox.Runner
	// Hold is what the hooks of the project are held to, and their environment. Argv,
	// Dir and the streams are set by Fire.
	Hold sandbox.Cmd
	// Environ is the environment of the user's hooks.
	Environ []string
	// Workspace is where hooks without a Dir run, absolute.
	Workspace string
	// Shell is what a command is given to as the last argument; nil: sh -c.
	Shell []string
	// Redact takes secrets out of what hooks say; nil leaves it as it is.
	Redact func(string) string
	Now    func() time.Time
}

// Wants implements Runner.
func (e *Exec) Wants(p Point, subject string) bool {
	return slices.ContainsFunc(e.Hooks, func(h Hook) bool { ok, _ := h.matches(p, subject); return ok })
}

// Fire implements Runner.
func (e *Exec) Fire(ctx context.Context, p Point, in Input) (Verdict, error) {
	var all Verdict
	for _, h := range of(e.Hooks, p, in) {
		v, err := e.one(ctx, h, p, in)
		if err != nil {
			return all, err
		}
		all = all.and(v)
		if all.Block {
			break
		}
		if v.Args != nil {
			in.Args = v.Args
		}
	}
	return all, nil
}

// one runs one hook. Its verdict has one Run.
func (e *Exec) one(ctx context.Context, h Hook, p Point, in Input) (Verdict, error) {
	begun := e.Now()
	ran := Run{Hook: h, Word: WordOK}
	v, err := e.ask(ctx, h, p, in, &ran)
	if err != nil {
		if ctx.Err() != nil {
			return Verdict{}, context.Cause(ctx)
		}
		var late *lateError
		var deep *deepError
		v = Verdict{}
		if p.guards() && (errors.As(err, &deep) || errors.As(err, &late) && !h.Claude) {
			v = h.block(p, "the hook "+h.Title()+" was to say whether this may be, and "+err.Error())
		}
		ran.Word, ran.Reason = WordFailed, err.Error()
	}
	switch {
	case ran.Word == WordFailed:
	case v.Permission != "":
		ran.Word, ran.Reason = string(v.Permission), v.Reason
	case v.Block:
		ran.Word, ran.Reason = WordBlock, v.Reason
	case v.Stop:
		ran.Reason = v.StopReason
	}
	ran.Took = e.Now().Sub(begun)
	v.Runs = []Run{ran}
	return e.redacted(v), nil
}

// ask runs the hook and reads what it says.
func (e *Exec) ask(ctx context.Context, h Hook, p Point, in Input, ran *Run) (Verdict, error) {
	if _, err := h.matches(p, in.Subject(p)); err != nil {
		return Verdict{}, err
	}
	given, err := h.stdin(p, in)
	if err != nil {
		return Verdict{}, err
	}
	limit := h.Timeout
	if limit <= 0 {
		limit = h.DefaultTimeout()
	}
	timed, cancel := context.WithTimeoutCause(ctx, limit, &lateError{limit})
	defer cancel()
	var out, errOut capped
	runner, cmd, err := e.command(h, p)
	if err != nil {
		return Verdict{}, err
	}
	cmd.In, cmd.Out, cmd.Err = bytes.NewReader(given), &out, &errOut
	exit, err := runner.Run(timed, cmd)
	ran.Exit, ran.Out, ran.ErrOut = exit.Code, string(out.kept), string(errOut.kept)
	if err != nil {
		return Verdict{}, err
	}
	v, err := h.read(p, exit.Code, exit.Signal, out.kept, []byte(e.clean(string(errOut.kept))), e.clean)
	if h.Claude && v.Args != nil {
		v.Args = inClaude(in.Tool).fromClaude(v.Args)
	}
	return v, err
}

// command is what h runs, and where.
func (e *Exec) command(h Hook, p Point) (sandbox.Runner, sandbox.Cmd, error) {
	runner, cmd := e.User, sandbox.Cmd{Env: e.Environ}
	if h.FromProject {
		runner, cmd = e.Sandbox, e.Hold
		cmd.Unconfined = false
	}
	depth := depthOf(cmd.Env)
	if depth >= MaxDepth {
		return nil, sandbox.Cmd{}, &deepError{}
	}
	shell := e.Shell
	if len(shell) == 0 {
		shell = []string{"sh", "-c"}
	}
	cmd.Argv = append(slices.Clone(shell), h.Command)
	cmd.Dir = h.Dir
	if cmd.Dir == "" {
		cmd.Dir = e.Workspace
	}
	cmd.Env = with(cmd.Env, "REASONIX_PROJECT_DIR="+e.Workspace, "CLAUDE_PROJECT_DIR="+e.Workspace, "REASONIX_HOOK_EVENT="+string(p),
		depthVariable+"="+strconv.Itoa(depth+1))
	return runner, cmd, nil
}

// with is environ with variables in place of those of the same names.
func with(environ []string, variables ...string) []string {
	all := make([]string, 0, len(environ)+len(variables))
	for _, e := range environ {
		name, _, _ := strings.Cut(e, "=")
		if !slices.ContainsFunc(variables, func(v string) bool { return strings.HasPrefix(v, name+"=") }) {
			all = append(all, e)
		}
	}
	return append(all, variables...)
}

// clean takes secrets out of a text, before it is cut: a part of one would be left.
func (e *Exec) clean(text string) string {
	if e.Redact == nil {
		return text
	}
	return e.Redact(text)
}

func (e *Exec) redacted(v Verdict) Verdict {
	if e.Redact == nil {
		return v
	}
	texts := []*string{&v.Reason, &v.Context, &v.StopReason}
	for i := range v.Messages {
		texts = append(texts, &v.Messages[i])
	}
	for i := range v.Runs {
		texts = append(texts, &v.Runs[i].Reason, &v.Runs[i].Out, &v.Runs[i].ErrOut)
	}
	for _, t := range texts {
		*t = e.Redact(*t)
	}
	return v
}

// lateError is the cause of a hook's context when its time is over.
type lateError struct{ limit time.Duration }

func (e *lateError) Error() string {
	return fmt.Sprintf("it did not end within %s and was ended", e.limit)
}

// capped keeps the first MaxOutput bytes.
type capped struct{ kept []byte }

func (c *capped) Write(p []byte) (int, error) {
	room := min(len(p), MaxOutput-len(c.kept))
	c.kept = append(c.kept, p[:room]...)
	return len(p), nil
}
