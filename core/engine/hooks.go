package engine

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/hook"
)

// sourceHook is the kind of what a hook added to a message; its Ref is the point.
const sourceHook = "hook"

// reasonHook narrows the outcome of a turn that a hook ended.
const reasonHook = "hook"

// endLimit is how long hooks may take when what they are told of is over already and
// a person waits.
const endLimit = 5 * time.Second

// hooks runs the hooks of a session at their points and tells what they said. Safe for
// concurrent use, but for what the turn's goroutine sets.
type hooks struct {
	runner    hook.Runner // nil: there are none
	session   event.SessionID
	workspace string
	rec       *recorder
	stop      <-chan struct{} // closed when the session is to end

	began chan struct{} // closed when those of SessionStart ended; nil: there are none
	said  string        // by those of SessionStart, until a message of the user has it

	// Of the turn that runs: halt ends it, over is closed when it ends.
	halt context.CancelCauseFunc
	over <-chan struct{}

	mu     sync.Mutex
	failed map[string]bool // failures the user was told of
	closed bool            // nothing more is started beside the turn
	aside  sync.WaitGroup
}

func (h *hooks) wants(p hook.Point, subject string) bool {
	return h.runner != nil && h.runner.Wants(p, subject)
}

// fire runs the hooks of a point and records each. An error is the journal's, or the
// end of ctx.
func (h *hooks) fire(ctx context.Context, p hook.Point, in hook.Input) (hook.Verdict, error) {
	if !h.wants(p, in.Subject(p)) {
		return hook.Verdict{}, nil
	}
	in.Session, in.Dir, in.Turn = cmp.Or(in.Session, string(h.session)), h.workspace, h.rec.j.turnNow()
	v, err := h.runner.Fire(ctx, p, in)
	if v.Stop && !v.Block {
		v.By = stopper(v)
	}
	for _, r := range v.Runs {
		if err := h.ran(p, in.Call, r); err != nil {
			return v, err
		}
	}
	for _, text := range v.Messages {
		if err := h.rec.emit(event.Notice{Level: event.LevelInfo, Code: "hook_message", Args: []string{text}, Text: text}); err != nil {
			return v, err
		}
	}
	return v, err
}

// stopper names the hook that ends the turn, which is not always one that decided
// something.
func stopper(v hook.Verdict) string {
	for _, r := range v.Runs {
		if r.Reason == v.StopReason {
			return r.Hook.Title()
		}
	}
	if len(v.Runs) == 1 {
		return v.Runs[0].Hook.Title()
	}
	return v.By
}

// ran records a run. That a hook fails is said once for each point and exit code: what it
// prints may differ every time.
func (h *hooks) ran(p hook.Point, call string, r hook.Run) error {
	name := r.Hook.Title()
	err := h.rec.emit(event.HookRan{Hook: name, Point: string(p), Call: call, Verdict: r.Word, Reason: r.Reason, Took: r.Took})
	if err != nil || r.Word != hook.WordFailed || !h.news(fmt.Sprint(name, "\x00", p, "\x00", r.Exit)) {
		return err
	}
	return h.rec.emit(event.Notice{
		Level: event.LevelWarning, Code: "hook_failed", Args: []string{name, string(p), r.Reason},
		Text: fmt.Sprintf("the hook %s failed at %s: %s", name, p, r.Reason),
	})
}

func (h *hooks) news(failure string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failed[failure] {
		return false
	}
	if h.failed == nil {
		h.failed = map[string]bool{}
	}
	h.failed[failure] = true
	return true
}

// stopTurn ends the turn because a hook says so, and tells why.
func (h *hooks) stopTurn(v hook.Verdict) error {
	h.halt(&agent.Stop{Outcome: event.Completed, Reason: reasonHook, Detail: v.StopReason})
	return h.rec.emit(event.Notice{Level: event.LevelWarning, Code: "hook_stopped", Args: []string{v.StopReason}, Text: "a hook stopped the turn: " + v.StopReason})
}

// beside runs something beside the turn; it ends at the latest when the session does.
func (h *hooks) beside(run func(ctx context.Context)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	h.aside.Go(func() {
		ctx, cancel := lasting(h.stop)
		defer cancel()
		run(ctx)
	})
}

// lasting is a context that ends when over is closed.
func lasting(over <-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		select {
		case <-over:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// beginSession runs those of SessionStart while the user types.
func (h *hooks) beginSession(opened string) {
	source := "resume"
	if opened == event.OpenedNew {
		source = "startup"
	}
	if !h.wants(hook.SessionStart, source) {
		return
	}
	h.began = make(chan struct{})
	h.beside(func(ctx context.Context) {
		defer close(h.began)
		v, err := h.fire(ctx, hook.SessionStart, hook.Input{Source: source})
		if err == nil {
			h.said = v.Context
		}
	})
}

// waitSession waits for the hooks of SessionStart and returns what they said, until a message
// that has it is recorded.
func (h *hooks) waitSession(ctx context.Context) (said string, err error) {
	if h.began == nil {
		return "", nil
	}
	select {
	case <-h.began:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	return h.said, nil
}

// heard says that the model has what the hooks of SessionStart said.
func (h *hooks) heard() { h.said = "" }

// enter makes ctx that of the turn that runs, which hooks may end, until leave. The
// turn's goroutine calls it.
func (h *hooks) enter(ctx context.Context) (turn context.Context, leave func()) {
	turn, halt := context.WithCancelCause(ctx)
	h.halt, h.over = halt, turn.Done()
	return turn, func() { halt(nil) }
}

// duringTurn is a context that ends with the turn that runs.
func (h *hooks) duringTurn() (context.Context, context.CancelFunc) { return lasting(h.over) }

// endSession ends what runs beside the turn and runs the hooks of SessionEnd. No turn
// runs any more.
func (h *hooks) endSession() error {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.aside.Wait()
	_, err := h.fire(context.Background(), hook.SessionEnd, hook.Input{Reason: "other"})
	return err
}

// prompted asks the hooks about a prompt and tells when they block it: no model reads it
// then, because of reason. added is what they have for the model otherwise.
func (h *hooks) prompted(ctx context.Context, p event.PromptQueued) (added addition, reason string, blocked bool, err error) {
	v, err := h.fire(ctx, hook.UserPromptSubmit, hook.Input{Prompt: promptText(p.Display, p.Data)})
	if err != nil {
		return addition{}, "", false, err
	}
	if reason, blocked = refuses(v); blocked {
		err = h.rec.emit(blockedPrompt(v, reason))
	}
	return told(hook.UserPromptSubmit, v.Context), reason, blocked, err
}

func promptText(typed, data string) string {
	if data == "" {
		return typed
	}
	return strings.TrimPrefix(typed+"\n\n"+data, "\n\n")
}

func refuses(v hook.Verdict) (reason string, yes bool) {
	switch {
	case v.Block:
		return v.Reason, true
	case v.Stop:
		return v.StopReason, true
	}
	return "", false
}

func blockedPrompt(v hook.Verdict, reason string) event.Notice {
	if v.By == "" {
		return event.Notice{
			Level: event.LevelWarning, Code: "hook_blocked", Args: []string{reason},
			Text: "a hook did not let the prompt through: " + reason,
		}
	}
	return event.Notice{
		Level: event.LevelWarning, Code: "hook_blocked_prompt", Args: []string{v.By, reason},
		Text: "the hook " + v.By + " did not let the prompt through: " + reason,
	}
}

// addition is what a hook adds to a message.
type addition struct {
	point hook.Point
	text  string
}

// told is what hooks of a point have for the model.
func told(p hook.Point, text string) addition {
	if text == "" {
		return addition{}
	}
	text = strings.ReplaceAll(text, "</hook-context", "<\\/hook-context")
	return addition{p, fmt.Sprintf("<hook-context event=%q>\n%s\n</hook-context>", p, text)}
}

// lead puts additions before the text of a message.
func lead(said *event.UserSaid, all []addition) {
	var parts []string
	for _, a := range all {
		if a.text != "" {
			parts = append(parts, a.text)
			said.Sources = append(said.Sources, event.Source{Kind: sourceHook, Ref: string(a.point), Bytes: len(a.text)})
		}
	}
	said.Message.Content = strings.Join(append(parts, said.Message.Content), "\n\n")
}

// notify tells the hooks of Notification that a person is waited for. Of what is to
// be remembered or forgotten they learn nothing but the tool's name.
func (h *hooks) notify(q event.Question) {
	in := hook.Input{Kind: "question", Tool: q.Tool, Title: q.Title, Message: "reasonix has a question: " + q.Title}
	if q.Kind != event.AskQuestion && q.Kind != event.AskElicitation {
		in.Kind, in.Message = "permission_prompt", "reasonix needs your permission to use "+cmp.Or(q.Tool, "a command")
	}
	if outlives(q.Tool) {
		in.Title = ""
	}
	if !h.wants(hook.Notification, in.Kind) {
		return
	}
	h.beside(func(ctx context.Context) {
		_, _ = h.fire(ctx, hook.Notification, in) // a journal that fails stops the turn elsewhere
	})
}

// turnNow is the number of the turn that runs.
func (j *journal) turnNow() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.turn
}

// outlives names the tools whose calls outlive the session: what they are about to keep
// or to forget is the user's own.
func outlives(name string) bool { return name == "remember" || name == "forget" }
