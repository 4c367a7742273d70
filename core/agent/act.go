package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/provider"
	"reasonix/core/tool"
)

// SaveFunc keeps bytes beside the journal and returns their hash and path.
type SaveFunc = func(r io.Reader) (hash, path string, err error)

// job is one call on its way from the reply to its result.
type job struct {
	call    message.ToolCall
	tool    tool.Tool // nil: no such tool
	subject tool.Subject
	args    json.RawMessage // nil: not a JSON object
	// readOnly is what the tool said of itself once: what a server says may change.
	readOnly bool
	result   event.ToolFinished
	noted    string // what the model reads behind the result; of hooks
	// completed says that the call completed a todo, again why it ran once more.
	completed atomic.Bool
	again     atomic.Pointer[string]
}

// act runs the calls of one reply: maximal runs of readers in parallel, every
// writer alone. Every call gets a result, in the order of the calls, whatever
// happens.
func (a *Agent) act(ctx context.Context, t *turn, calls []message.ToolCall) error {
	t.steps++
	t.halved, t.empty = 0, 0
	if err := a.Emit(event.Phase{Name: event.PhaseTool, Detail: calls[0].Name}); err != nil {
		return err
	}
	jobs := a.jobs(calls)
	for start := 0; start < len(jobs); {
		end := start + 1
		for end < len(jobs) && jobs[start].reads() && jobs[end].reads() {
			end++
		}
		if err := a.together(ctx, jobs[start:end]); err != nil {
			return err
		}
		start = end
	}
	results := make([]message.Message, len(jobs))
	for i, j := range jobs {
		results[i] = j.result.Message
	}
	a.extend(results...)
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	return a.judge(t, jobs)
}

func (a *Agent) jobs(calls []message.ToolCall) []*job {
	jobs := make([]*job, len(calls))
	for i, c := range calls {
		j := &job{call: c}
		if args, ok := provider.ValidArguments(c.Arguments); ok {
			j.args = json.RawMessage(args)
		}
		if j.tool, _ = a.Tools.Get(c.Name); j.tool != nil {
			j.readOnly = j.tool.ReadOnly()
		}
		jobs[i] = j
	}
	return jobs
}

func (j *job) reads() bool { return j.tool == nil || j.args == nil || j.readOnly }

// together runs jobs at once, at most Parallel of them.
func (a *Agent) together(ctx context.Context, jobs []*job) error {
	if len(jobs) == 1 {
		return a.one(ctx, jobs[0])
	}
	var g errgroup.Group
	g.SetLimit(a.Parallel)
	for _, j := range jobs {
		g.Go(func() error { return a.one(ctx, j) })
	}
	return g.Wait()
}

// one takes a call from judgement to its stored result. An error is the
// journal's, or a bug of ours: the call itself can only fail in its result.
func (a *Agent) one(ctx context.Context, j *job) (err error) {
	defer func() {
		if bug := recover(); bug != nil {
			slog.Debug("panic beside a call", "tool", j.call.Name, "value", bug, "stack", string(debug.Stack()))
			err = fmt.Errorf("internal error beside a call of %s: %v", j.call.Name, bug)
		}
	}()
	if j.tool != nil {
		// Now, not when the reply came: the calls before this one may have moved it.
		j.subject = subjectOf(j.tool, j.args)
	}
	if ctx.Err() != nil {
		return a.finish(j, event.StatusCancelled, resultNotRun)
	}
	if j.tool == nil {
		return a.finish(j, event.StatusFailed, fmt.Sprintf(resultUnknownTool, j.call.Name, strings.Join(a.Tools.Names(), ", ")))
	}
	if j.args == nil {
		return a.finish(j, event.StatusFailed, fmt.Sprintf(resultBadJSON, j.call.Name, jsonFault(j.call.Arguments)))
	}
	req, v, err := a.permitted(ctx, j)
	if err != nil {
		if ctx.Err() != nil {
			return a.finish(j, event.StatusCancelled, resultNotRun)
		}
		return err
	}
	j.result.Rule = v.Rule
	if !v.Allow {
		j.result.Reason = v.Reason
		return a.finish(j, event.StatusDenied, deniedText(req, v))
	}
	over, err := a.writing(ctx, req, v)
	if ctx.Err() != nil {
		return errors.Join(over(), a.finish(j, event.StatusCancelled, resultNotRun))
	}
	if err != nil {
		return a.finish(j, event.StatusFailed, errorText(err))
	}
	if err := a.Emit(event.ToolStarted{Call: j.call.ID, Title: j.subject.Title, Kind: j.subject.Kind, Rule: v.Rule, Held: v.Held, Paths: j.subject.Paths}); err != nil {
		return err
	}
	return a.execute(ctx, j, req, v.Release, over)
}

// writing announces a call that may change something. over is never nil.
func (a *Agent) writing(ctx context.Context, req Request, v Verdict) (over func() error, err error) {
	nothing := func() error { return nil }
	if a.Writing == nil || req.ReadOnly || v.Reads {
		return nothing, nil
	}
	if over, err = a.Writing(ctx, req); err != nil {
		return nothing, err
	}
	return over, nil
}

func (a *Agent) execute(ctx context.Context, j *job, req Request, release []string, over func() error) error {
	live := &liveOutput{emit: a.Emit, redact: a.redact, hold: a.SecretLen, call: j.call.ID}
	c := &tool.Call{ID: j.call.ID, Out: live, Save: a.Save, Note: a.noting(j), Release: release}
	var attached []message.Attachment
	c.Attach = func(m message.Attachment) { attached = append(attached, m) }
	begun := a.Now()
	text, err := guarded(tool.WithCall(ctx, c), j)
	j.result.Took = a.Now().Sub(begun)
	told := a.after(ctx, j, req, text, err, c)
	if err := errors.Join(over(), told); err != nil {
		return err
	}
	if errors.Is(err, errAbandoned) { // it still owns c
		return a.finish(j, event.StatusCancelled, resultStopped+"; "+err.Error())
	}
	if err := live.flush(); err != nil {
		return err
	}
	j.result.Exit, j.result.Diffs, j.result.Full = c.Exit, c.Diffs, c.Full
	j.result.Message.Attachments = attached
	switch {
	case err != nil && ctx.Err() != nil:
		return a.finish(j, event.StatusCancelled, joined(text, resultStopped))
	case err != nil:
		return a.finish(j, event.StatusFailed, joined(text, errorText(err)))
	case c.Exit != nil && *c.Exit != 0:
		return a.finish(j, event.StatusFailed, text)
	}
	return a.finish(j, event.StatusOK, text)
}

// abandonAfter is how long a call may go on when its turn was stopped. What
// cannot be stopped then, a read from a dead network mount for example, is left
// behind.
const abandonAfter = 3 * time.Second

var errAbandoned = errors.New("it did not stop and was left behind")

// guarded executes the call, turns a panic of the tool into a failed result and
// does not wait for ever for a call of a stopped turn.
func guarded(ctx context.Context, j *job) (string, error) {
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if bug := recover(); bug != nil {
				slog.Debug("panic in a tool", "tool", j.call.Name, "value", bug, "stack", string(debug.Stack()))
				r = result{err: &PanicError{Tool: j.call.Name, Value: bug}}
			}
			done <- r
		}()
		r.text, r.err = j.tool.Execute(ctx, j.args)
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
	}
	grace := time.NewTimer(abandonAfter)
	defer grace.Stop()
	select {
	case r := <-done:
		return r.text, r.err
	case <-grace.C:
		return "", errAbandoned
	}
}

// PanicError is a bug in a tool; the turn goes on without the call.
type PanicError struct {
	Tool  string
	Value any
}

func (e *PanicError) Error() string { return fmt.Sprintf(resultPanic, e.Tool) }

func errorText(err error) string {
	text := err.Error()
	var bug *PanicError
	if errors.As(err, &bug) || strings.HasPrefix(text, "error: ") {
		return text
	}
	return "error: " + text
}

func joined(text, note string) string {
	if text == "" {
		return note
	}
	return strings.TrimRight(text, "\n") + "\n" + note
}

// finish stores the call's result.
func (a *Agent) finish(j *job, status event.Status, text string) error {
	text = cmp.Or(text, "(no output)")
	if j.noted != "" {
		text = joined(text, j.noted)
	}
	text = a.redact(text)
	r := &j.result
	if a.Sights != nil {
		r.Seen = a.Sights()
	}
	for i := range r.Diffs {
		r.Diffs[i] = a.redactDiff(r.Diffs[i])
	}
	r.Call, r.Status, r.Title = j.call.ID, status, j.subject.Title
	if j.subject.Kind == "execute" && j.subject.Dir != "" {
		r.Dir = filepath.ToSlash(subjectOf(j.tool, j.args).Dir)
	}
	if rule := j.again.Load(); rule != nil {
		r.Rule = *rule
	}
	if r.Title == "" {
		r.Title = j.call.Name
	}
	r.Message.ID, r.Message.Role = message.ID(a.NewID()), message.ToolRole
	r.Message.ToolCallID, r.Message.Name, r.Message.Content = j.call.ID, j.call.Name, text
	return a.Emit(*r)
}

// redact takes secrets out of what leaves a tool for the journal, the model and
// every front end.
func (a *Agent) redact(s string) string {
	if a.Redact == nil {
		return s
	}
	return a.Redact(s)
}

func (a *Agent) redactDiff(d event.Diff) event.Diff {
	d.Unified = a.redact(d.Unified)
	for _, side := range []**string{&d.Old, &d.New} {
		if *side != nil {
			text := a.redact(**side)
			*side = &text
		}
	}
	return d
}

// liveOutput tells a running call's output as it comes. Where secrets are taken
// out, the end of it waits until more came: it may be the beginning of one. Safe
// for concurrent use.
type liveOutput struct {
	emit   func(event.Payload) error
	redact func(string) string
	hold   int // bytes that wait
	call   string
	mu     sync.Mutex
	at     int
	held   string
}

func (o *liveOutput) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.held = o.redact(o.held + string(p))
	ready := max(0, len(o.held)-o.hold, strings.LastIndexByte(o.held, '\n')+1) // no secret spans lines
	for ready > 0 && ready < len(o.held) && !utf8.RuneStart(o.held[ready]) {
		ready--
	}
	return len(p), o.tell(ready)
}

// flush tells what waited.
func (o *liveOutput) flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.tell(len(o.held))
}

func (o *liveOutput) tell(n int) error {
	if n == 0 {
		return nil
	}
	text := o.held[:n]
	o.held = o.held[n:]
	at := o.at
	o.at += len(text)
	return o.emit(event.ToolOutput{Call: o.call, Offset: at, Text: text})
}

// jsonFault says what is wrong with a call's arguments and where.
func jsonFault(args string) string {
	var object map[string]json.RawMessage
	err := json.Unmarshal([]byte(args), &object)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("%s at byte %d", syntax.Error(), syntax.Offset)
	case err != nil:
		return err.Error()
	}
	return "not an object"
}
