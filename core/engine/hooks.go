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

// hooking is what a session keeps for its hooks.
type hooking struct {
	began chan struct{} // closed when those of SessionStart ended; nil: there are none
	said  string        // by those of SessionStart, until a message of the user has it

	// The turn's goroutine sets both: halt ends the turn, over is closed when it ends.
	halt context.CancelCauseFunc
	over <-chan struct{}

	mu     sync.Mutex
	failed map[string]bool // failures the user was told of
	closed bool            // nothing more is started beside the turn
	aside  sync.WaitGroup
}

func (s *sess) wants(p hook.Point, subject string) bool {
	return s.organs.Hooks != nil && s.organs.Hooks.Wants(p, subject)
}

// fire runs the hooks of a point and records each. An error is the journal's, or the
// end of ctx.
func (s *sess) fire(ctx context.Context, p hook.Point, in hook.Input) (hook.Verdict, error) {
	if !s.wants(p, in.Subject(p)) {
		return hook.Verdict{}, nil
	}
	in.Session, in.Dir, in.Turn = cmp.Or(in.Session, string(s.id)), s.spec.Workspace, s.j.turnNow()
	v, err := s.organs.Hooks.Fire(ctx, p, in)
	if v.Stop && !v.Block {
		v.By = stopper(v)
	}
	for _, r := range v.Runs {
		if err := s.ran(p, in.Call, r); err != nil {
			return v, err
		}
	}
	for _, text := range v.Messages {
		if err := s.emit(event.Notice{Level: event.LevelInfo, Code: "hook_message", Args: []string{text}, Text: text}); err != nil {
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

// ran records a run. That a hook fails is said once for each way in which it does.
func (s *sess) ran(p hook.Point, call string, r hook.Run) error {
	name := r.Hook.Title()
	err := s.emit(event.HookRan{Hook: name, Point: string(p), Call: call, Verdict: r.Word, Reason: r.Reason, Took: r.Took})
	if err != nil || r.Word != hook.WordFailed || !s.hooks.news(name+"\x00"+r.Reason) {
		return err
	}
	return s.emit(event.Notice{
		Level: event.LevelWarning, Code: "hook_failed", Args: []string{name, string(p), r.Reason},
		Text: fmt.Sprintf("the hook %s failed at %s: %s", name, p, r.Reason),
	})
}

func (h *hooking) news(failure string) bool {
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

// halt ends the turn because a hook says so, and tells why.
func (s *sess) halt(v hook.Verdict) error {
	s.hooks.halt(&agent.Stop{Outcome: event.Completed, Reason: reasonHook, Detail: v.StopReason})
	return s.emit(event.Notice{Level: event.LevelWarning, Code: "hook_stopped", Args: []string{v.StopReason}, Text: "a hook stopped the turn: " + v.StopReason})
}

// beside runs something beside the turn; it ends at the latest when the session does.
func (s *sess) beside(run func(ctx context.Context)) {
	h := &s.hooks
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	h.aside.Go(func() {
		ctx, cancel := lasting(s.stop)
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

// beginHooks runs those of SessionStart while the user types.
func (s *sess) beginHooks() {
	source := "resume"
	if s.opened.Reason == event.OpenedNew {
		source = "startup"
	}
	if !s.wants(hook.SessionStart, source) {
		return
	}
	s.hooks.began = make(chan struct{})
	s.beside(func(ctx context.Context) {
		defer close(s.hooks.began)
		v, err := s.fire(ctx, hook.SessionStart, hook.Input{Source: source})
		if err == nil {
			s.hooks.said = v.Context
		}
	})
}

// began waits for the hooks of SessionStart and returns what they said, until a message
// that has it is recorded.
func (s *sess) began(ctx context.Context) (said string, err error) {
	if s.hooks.began == nil {
		return "", nil
	}
	select {
	case <-s.hooks.began:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	return s.hooks.said, nil
}

// endHooks ends what runs beside the turn and runs the hooks of SessionEnd. No turn
// runs any more.
func (s *sess) endHooks() error {
	s.hooks.mu.Lock()
	s.hooks.closed = true
	s.hooks.mu.Unlock()
	s.hooks.aside.Wait()
	_, err := s.fire(context.Background(), hook.SessionEnd, hook.Input{Reason: "other"})
	return err
}

// submit says a prompt unless a hook blocks it, which is an agent.Stop: the prompt is
// kept in the journal, and no model reads it. before is what stands before it.
func (s *sess) submit(ctx context.Context, p event.PromptQueued, before string) error {
	v, err := s.fire(ctx, hook.UserPromptSubmit, hook.Input{Prompt: promptText(p.Display, p.Data)})
	if err != nil {
		return err
	}
	if reason, blocked := refuses(v); blocked {
		if err := s.emit(blockedPrompt(v, reason)); err != nil {
			return err
		}
		return &agent.Stop{Outcome: event.Completed, Reason: reasonHook, Detail: reason}
	}
	said, err := s.say(ctx, p, told(hook.SessionStart, before), told(hook.UserPromptSubmit, v.Context))
	if err != nil {
		return err
	}
	if err := s.said(p, said); err != nil {
		return err
	}
	s.hooks.said = "" // by now the model has it
	return nil
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
	text := "a hook did not let the prompt through: " + reason
	if v.By != "" {
		text = "the hook " + v.By + " did not let the prompt through: " + reason
	}
	return event.Notice{Level: event.LevelWarning, Code: "hook_blocked_prompt", Args: []string{v.By, reason}, Text: text}
}

// submitLate asks the hooks about a prompt that joins the turn that runs, and closes
// one that they block. It reports ok when the model may read it.
func (s *sess) submitLate(ctx context.Context, id event.PromptID, text string) (v hook.Verdict, ok bool, err error) {
	v, err = s.fire(ctx, hook.UserPromptSubmit, hook.Input{Prompt: text})
	if err != nil {
		return v, false, err
	}
	reason, blocked := refuses(v)
	if !blocked {
		return v, true, nil
	}
	if err := s.emit(blockedPrompt(v, reason)); err != nil {
		return v, false, err
	}
	return v, false, s.emit(event.TurnEnded{Prompt: id, Outcome: event.Completed, Reason: reasonHook, Detail: reason})
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
func (s *sess) notify(q event.Question) {
	in := hook.Input{Kind: "question", Tool: q.Tool, Title: q.Title, Message: "reasonix has a question: " + q.Title}
	if q.Kind != event.AskQuestion {
		in.Kind, in.Message = "permission_prompt", "reasonix needs your permission to use "+cmp.Or(q.Tool, "a command")
	}
	if outlives(q.Tool) {
		in.Title = ""
	}
	if !s.wants(hook.Notification, in.Kind) {
		return
	}
	s.beside(func(ctx context.Context) {
		_, _ = s.fire(ctx, hook.Notification, in) // a journal that fails stops the turn elsewhere
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
