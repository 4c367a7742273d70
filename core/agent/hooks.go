package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"reasonix/core/compaction"
	"reasonix/core/event"
	"reasonix/core/tool"
)

// Hooks is told of calls and compactions, and what it says counts. It is safe for
// concurrent use. An error of a method ends the turn, unless the turn's context
// ended: a hook that fails is no error.
type Hooks interface {
	// BeforeCall is asked before the Gate is.
	BeforeCall(ctx context.Context, req Request) (Advice, error)
	// AfterCall is told of a call that ran to its end, and returns what the model
	// reads behind the result. It may change files: it is part of the call.
	AfterCall(ctx context.Context, req Request, result string, failed bool) (said string, err error)
	// BeforeCompact returns what a summary must keep: focus and more.
	BeforeCompact(ctx context.Context, trigger, focus string) (string, error)
}

// Advice is what hooks say of a call. Its zero value is none.
type Advice struct {
	Decision string // deny, ask, allow or empty
	Reason   string
	By       string // the hook
	Context  string // what the model reads behind the result
	// Args take the place of the model's; nil: they stay. ReplacedBy is the hook.
	Args       json.RawMessage
	ReplacedBy string
}

// What Advice can decide. An allow is no more than an answer to a question that no
// rule wants asked.
const (
	AdviceDeny  = "deny"
	AdviceAsk   = "ask"
	AdviceAllow = "allow"
)

// permitted asks the hooks, then the Gate. What hooks replaced is what is judged,
// shown and run from here on.
func (a *Agent) permitted(ctx context.Context, j *job) (Request, Verdict, error) {
	req := a.request(j)
	if a.Hooks == nil {
		v, err := a.Gate.Check(ctx, req)
		return req, v, err
	}
	said, err := a.Hooks.BeforeCall(ctx, req)
	if err != nil {
		return req, Verdict{}, err
	}
	if said.Args != nil {
		if err := a.replaceArgs(j, said); err != nil {
			return req, Verdict{}, err
		}
		req = a.request(j)
	}
	if said.Context != "" {
		j.noted = joined(j.noted, said.Context)
	}
	req.Hooks = said
	if said.Decision == AdviceDeny {
		return req, Verdict{Rule: "hook " + said.By, Reason: said.Reason}, nil
	}
	v, err := a.Gate.Check(ctx, req)
	return req, v, err
}

// deniedText is what the model reads of a call that may not run. What a hook says may
// well be another way to the same end.
func deniedText(req Request, v Verdict) string {
	if req.Hooks.Decision == AdviceDeny {
		return fmt.Sprintf(resultBlocked, req.Hooks.By, v.Reason)
	}
	return fmt.Sprintf(resultDenied, v.Reason)
}

// request is a call as it would run.
func (a *Agent) request(j *job) Request {
	call := j.call
	call.Arguments = string(j.args)
	return Request{Call: call, Subject: a.shownSubject(j), ReadOnly: j.readOnly}
}

// replaceArgs gives a call a hook's arguments. They are recorded before anything is
// done with them, and the model reads them with the result: the call as it stands in
// the conversation is another.
func (a *Agent) replaceArgs(j *job, said Advice) error {
	j.args = said.Args
	j.subject = subjectOf(j.tool, j.args)
	shown := a.redact(string(j.args))
	j.noted = fmt.Sprintf(resultReplaced, said.ReplacedBy, clipped(shown, 2000))
	return a.Emit(event.Notice{
		Level: event.LevelInfo, Code: "hook_arguments", Args: []string{said.ReplacedBy, j.call.Name, j.call.ID, shown},
		Text: fmt.Sprintf("the hook %s gave %s other arguments: %s", said.ReplacedBy, j.call.Name, shown),
	})
}

// after tells hooks of a call that ran to its end. Which one failed is no matter of
// the call's.
func (a *Agent) after(ctx context.Context, j *job, req Request, text string, err error, c *tool.Call) error {
	if a.Hooks == nil || ctx.Err() != nil || errors.Is(err, errAbandoned) {
		return nil
	}
	if err != nil {
		text = joined(text, errorText(err))
	}
	said, hookErr := a.Hooks.AfterCall(ctx, req, a.redact(text), err != nil || c.Exit != nil && *c.Exit != 0)
	if said != "" {
		j.noted = joined(j.noted, said)
	}
	if ctx.Err() != nil {
		return nil
	}
	return hookErr
}

// beforeCompact is the Compactor's Before.
func (a *Agent) beforeCompact(ctx context.Context, t compaction.Trigger, focus string) (string, error) {
	if a.Hooks == nil {
		return focus, nil
	}
	return a.Hooks.BeforeCompact(ctx, string(t), focus)
}

// clipped is the beginning of a text, and that it is no more than that.
func clipped(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return string([]rune(s[:limit])) + "…"
}
