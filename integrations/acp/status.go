package acp

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/view"
	"reasonix/integrations/internal/acpwire"
	"reasonix/integrations/internal/jsonrpc"
)

// statusVersion is the version of the status object and of its updates.
const statusVersion = 1

// status is what a session's state comes to for whoever asks: folded from its events,
// without the conversation. Safe for concurrent use.
type status struct {
	mu      sync.Mutex
	view    view.State
	message capped            // of the model, as it streams
	names   map[string]string // of the tools of the newest reply's calls
	calls   []acpwire.CurrentCall
	at      time.Time // of the newest piece of what streams
	waiting []*awaited
}

// apply takes in one event. Text that streams is kept apart, and the conversation is
// dropped: a status shows none of it.
func (s *status) apply(e event.Envelope) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch p := e.Payload.(type) {
	case event.TextDelta:
		s.at = e.Time
		s.message.add(string(p.Message), p.Offset, p.Text)
		return
	case event.ReasoningDelta, event.CallDelta, event.ToolOutput, event.ToolProgress:
		s.at = e.Time
		return
	case event.Replied:
		s.replied(p)
	case event.ToolStarted:
		s.started(e.Time, p)
	case event.ToolFinished:
		s.calls = slices.DeleteFunc(s.calls, func(c acpwire.CurrentCall) bool { return c.ID == p.Call })
	case event.TurnEnded:
		s.calls, s.names = nil, nil
	default: // the view says it
	}
	v := withoutLog(view.Apply(s.view, e))
	v.Messages, v.Ways, v.Live = nil, nil, view.Live{}
	s.view = v
}

// ended replaces how the last turn ended by what its client is told of it.
func (s *status) ended(p event.TurnEnded) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view.Ended = &p
}

func (s *status) replied(p event.Replied) {
	if p.Message.Content != "" { // the view has its words
		s.message = capped{}
	}
	s.names = make(map[string]string, len(p.Message.ToolCalls))
	for _, c := range p.Message.ToolCalls {
		s.names[c.ID] = c.Name
	}
}

// started also takes in that a call runs once more.
func (s *status) started(at time.Time, p event.ToolStarted) {
	if slices.ContainsFunc(s.calls, func(c acpwire.CurrentCall) bool { return c.ID == p.Call }) {
		return
	}
	s.calls = append(s.calls, acpwire.CurrentCall{ID: p.Call, Tool: s.names[p.Call], Title: p.Title, Since: stamp(at)})
}

// later is the later of two times.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// stamp is a time as the wire has it; empty for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// now is the view of the session as it stands, without its conversation.
func (s *status) now() view.State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.view
}

// object is the whole status, and the facts in it and beside it: it asks the host what
// no event says.
func (s *session) object(ctx context.Context) (o acpwire.Status, f protocol.Facts) {
	o = s.status.folded()
	o.SessionID, o.Cwd = string(s.ID()), s.spec.Workspace
	if s.host.Catalog == nil {
		return o, f
	}
	f, err := s.host.Facts(ctx, s.ID())
	if err != nil {
		return o, f // it is closed by now
	}
	o.JournalPath = f.Journal
	o.Pids = append(o.Pids, f.Pids...)
	o.Sandbox = acpwire.Sandbox{
		Sandbox: f.Sandbox.Way, Bash: f.Sandbox.Bash, AllowWrite: append([]string{}, f.Sandbox.AllowWrite...),
		Network: f.Sandbox.Network, WorkspaceRoot: f.Sandbox.Workspace, ConfigFile: f.Sandbox.ConfigFile,
	}
	return o, f
}

// folded is the part of the status that events say.
func (s *status) folded() acpwire.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.view
	o := acpwire.Status{
		SchemaVersion: statusVersion, Title: cmp.Or(v.Configured.Title, titleOf(v.First)), Sequence: uint64(v.Last), State: "idle",
		Phase: event.PhaseIdle, Detail: v.Phase.Detail, LeaseHolder: v.Phase.Holder,
		LastMessage: cmp.Or(s.message.String(), v.Words.Text), LastActivity: stamp(later(s.at, v.At)), Usage: usageOf(v),
		Plan: planOf(v.Todos).Entries, Jobs: []acpwire.Job{}, Pids: []int{}, Sandbox: acpwire.Sandbox{AllowWrite: []string{}},
	}
	if v.Phase.Name != "" {
		o.Phase = v.Phase.Name
	}
	switch {
	case v.Closed:
		o.State = "closed"
	case v.Running != "":
		o.State = "running"
	case o.Phase != event.PhaseCompacting: // what the last turn did is over
		o.Phase, o.Detail, o.LeaseHolder = event.PhaseIdle, "", ""
	}
	if v.Ended != nil {
		o.Outcome, o.Reason = string(v.Ended.Outcome), v.Ended.Reason
	}
	o.Model, o.Effort, o.WorkMode, o.ToolApproval, o.Mode = settings(v)
	for _, j := range v.Jobs {
		o.Jobs = append(o.Jobs, acpwire.Job{ID: string(j.Job), Call: j.Call, Title: j.Title})
	}
	if n := len(s.calls); n > 0 {
		call := s.calls[n-1]
		o.CurrentCall = &call
	}
	if len(v.Pending) > 0 {
		o.PendingRequest = pendingOf(v.Pending[0])
	}
	return o
}

func pendingOf(q event.Question) *acpwire.PendingRequest {
	p := &acpwire.PendingRequest{ID: string(q.ID), Kind: q.Kind, CallID: q.Call, Tool: q.Tool, Title: q.Title, Options: []acpwire.Option{}}
	for _, o := range q.Options {
		p.Options = append(p.Options, acpwire.Option{ID: o.ID, Name: o.Label, Kind: o.Kind})
	}
	return p
}

func usageOf(v view.State) acpwire.UsageTotal {
	u := acpwire.UsageTotal{
		InputTokens: v.Usage.Input, OutputTokens: v.Usage.Output, CachedTokens: v.Usage.CacheRead, ReasoningTokens: v.Usage.Reasoning,
		ContextTokens: v.Context.Tokens, ContextWindow: v.Context.Window, Cost: []acpwire.Amount{},
	}
	for _, m := range v.Cost {
		u.Cost = append(u.Cost, acpwire.Amount{Amount: m.Amount, Currency: m.Currency, Estimated: m.Estimated})
	}
	return u
}

// settings are what a session works with, and what it will.
func settings(v view.State) (model, effort, workMode, approval, mode acpwire.Setting) {
	now, next := v.Configured, v.Configured
	if v.Offered.Deferred != nil {
		next = *v.Offered.Deferred
	}
	setting := func(effective, queued string) acpwire.Setting {
		if effective == queued {
			return acpwire.Setting{Effective: effective}
		}
		return acpwire.Setting{Effective: effective, Queued: &queued}
	}
	// Of approval and mode nothing waits.
	return setting(now.Model, next.Model), setting(effortName(now.Effort), effortName(next.Effort)),
		setting(now.WorkMode, next.WorkMode), setting(now.Approval, now.Approval), setting(now.Mode, now.Mode)
}

// statusOf answers the status extension.
func (s *server) statusOf(ctx context.Context, req *jsonrpc.Request) (any, error) {
	var p acpwire.OfSession
	if err := req.Bind(&p); err != nil {
		return nil, err
	}
	ses, err := s.find(req.Method, p.SessionID)
	if err != nil {
		return nil, err
	}
	o, _ := ses.object(ctx)
	return o, nil
}

// tellStatus sends the status behind the event that changed it, named in one word, to a
// client that wants to be told.
func (s *session) tellStatus(ctx context.Context, name string) {
	if name == "" || !s.wantsStatus {
		return
	}
	o, _ := s.object(ctx)
	_ = s.conn.Notify(acpwire.StatusUpdateMethod, acpwire.StatusUpdate{
		SchemaVersion: statusVersion, SessionID: o.SessionID, Sequence: o.Sequence, Event: name, Status: o,
	})
}

// changedBy is what of a status an event changes, in one word; empty: nothing that is
// worth a message.
func changedBy(p event.Payload) string {
	switch p.(type) {
	case event.Phase, event.TurnStarted, event.ToolStarted:
		return "phase"
	case event.Replied, event.Folded, event.ChildEnded:
		return "usage"
	case event.Asked, event.Answered:
		return "request"
	case event.Planned:
		return "plan"
	case event.Configured, event.Offered:
		return "config"
	case event.JobStarted, event.JobEnded:
		return "job"
	default:
		return ""
	}
}

// ending is that word for the end of a turn.
func ending(p event.TurnEnded) string {
	if stopReason(p) == "" {
		return "error"
	}
	return "completion"
}
