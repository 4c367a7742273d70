// Package agent is the loop: ask the model, run the calls it wants, ask again,
// until it answers without calls, a limit is reached or somebody stops it. It
// keeps the conversation encoded for its provider, so that every request extends
// the one before it byte for byte. It owns no journal and asks no user: facts
// leave through Emit, which stores them before anybody is told, and every call
// passes the Gate. The engine runs one Runner per session.
package agent

import (
	"context"
	"fmt"
	"time"

	"reasonix/core/compaction"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/provider"
	"reasonix/core/tool"
)

// Input is one turn: the stored tool schemas and the whole conversation, system
// message first.
type Input struct {
	Tools    []message.ToolSchema
	Messages []message.Message
	// Break says why the first request of this turn may not extend the last one
	// that was sent, e.g. after a switch of the model. Sent is the conversation of
	// that request when it differs; otherwise it was the first SentAt messages.
	Break  *event.Break
	Sent   []message.Message
	SentAt int
	// Counted is how many tokens this model's endpoint counted for the first
	// CountedAt messages and the tools; 0: unknown.
	Counted, CountedAt int
	// Typed is what the user typed to start the turn; empty when nobody did.
	Typed string
	// Used is what the turn used of its limits already, when this Run goes on with it.
	Used Used
	// Todos is the todo list the conversation left.
	Todos []event.Todo
}

// Used is how much of its limits a turn used.
type Used struct {
	Steps int           // replies with calls
	Time  time.Duration // since it began
	Cost  float64       // in the currency of the model's price
}

// Runner runs one turn. It returns nil when the turn is completed and a *Stop
// when it ended in any other outcome that has a name; everything else is an
// internal error.
type Runner interface {
	Run(ctx context.Context, in Input) error
}

// Gate is asked before every call. It may block while a person is asked.
type Gate interface {
	Check(ctx context.Context, req Request) (Verdict, error)
}

// Request is one call that wants to run.
type Request struct {
	Call     message.ToolCall
	Subject  tool.Subject
	ReadOnly bool
	Hooks    Advice // what hooks said of it
}

// Verdict says whether a call may run. Reason is read by the model when it may
// not; Rule names what decided. Held says in words what holds a command that may,
// and Release lists the protected paths that an approval lets this call write.
type Verdict struct {
	Allow              bool
	Rule, Reason, Held string
	Release            []string
	// Reads: the call is known to change nothing, although its tool may.
	Reads bool
}

// Parts is what an Agent is made of. Provider, Tools, Gate, Emit, NewID and Now
// are required.
type Parts struct {
	Provider provider.Provider
	Model    string          // provider/model, as recorded in Replied
	Price    *provider.Price // nil: unknown
	Window   int             // tokens; 0: unknown
	Tools    *tool.Registry
	Gate     Gate
	// Emit journals a durable event and then tells it. An error means that it was
	// not stored; the turn stops.
	Emit func(event.Payload) error
	// Writing is told of a call that may change something before it begins, and its
	// result when it is over; may be nil. It may wait. An error refuses the call.
	Writing func(ctx context.Context, req Request) (over func() error, err error)
	// Hooks is told of calls and compactions; nil: there are none.
	Hooks Hooks
	// Steer takes what the user said since the last step, already recorded.
	Steer func() ([]message.Message, error)
	// Save keeps bytes beside the journal; may be nil.
	Save SaveFunc
	// Sights returns what the model has seen of files since the last call; may be
	// nil.
	Sights func() []event.Sight
	Limits event.Limits
	Retry  provider.Retry
	// Redact takes secrets out of what tools return; nil leaves it as it is.
	Redact func(string) string
	// SecretLen is the length of the longest secret, in bytes.
	SecretLen int
	NewID     func() string
	Now       func() time.Time
	// Compactor makes a conversation fit again. It needs Settings and Archive; what
	// else is not set becomes the Agent's own. Nil: a conversation that does not fit
	// ends the turn.
	Compactor *Compactor
	// Compact returns what the user asked to be compacted since the last step; may
	// be nil.
	Compact func() (focus string, asked bool)
	// Parallel bounds the read-only calls that run at once; 0 is 8.
	Parallel int
}

// Agent is the Runner with one model. It is not safe for concurrent use.
type Agent struct {
	Parts
	wire      *provider.Wire
	msgs      []message.Message   // the conversation
	added     []message.Message   // its end, which wire does not hold yet: the next batch
	callIDs   map[string]struct{} // every call id of the session
	todos     todoList
	meter     provider.Meter     // of this model
	counter   compaction.Counter // of the next prompt
	turn      *turn              // the one that runs
	sent      int                // bytes of wire in the last request
	broken    []byte             // the last request's messages, when wire is no extension of them
	cannotSay bool               // the user was told that cost is estimated
}

// New makes an Agent with an empty conversation.
func New(p Parts) *Agent {
	if p.Parallel == 0 {
		p.Parallel = 8
	}
	a := &Agent{Parts: p, wire: provider.NewWire(p.Provider), callIDs: map[string]struct{}{}}
	a.lend(a.Compactor)
	return a
}

// turn is what one Run counts.
type turn struct {
	in     Input
	steps  int // replies with calls
	halved int // replies in a row whose call the output limit cut
	empty  int // replies in a row without text and calls
	cost   float64
	lease  lease
}

// Run takes the turn's conversation to a reply without calls.
func (a *Agent) Run(ctx context.Context, in Input) error {
	t, err := a.begin(in)
	if err != nil {
		return err
	}
	if a.Limits.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, a.Limits.Time-in.Used.Time, &Stop{
			Outcome: event.Limit, Reason: ReasonTime,
			Detail: fmt.Sprintf("the turn reached its time limit of %s", a.Limits.Time),
		})
		defer cancel()
	}
	for {
		if err := a.hear(); err != nil {
			return err
		}
		if err := a.compactAsked(ctx); err != nil {
			return err
		}
		if err := a.withinLimits(t); err != nil {
			return err
		}
		reply, err := a.ask(ctx, t)
		if err != nil {
			return err
		}
		done, err := a.follow(ctx, t, reply)
		if done || err != nil {
			return err
		}
	}
}

// begin takes over what a turn starts with.
func (a *Agent) begin(in Input) (*turn, error) {
	a.turn = &turn{in: in, steps: in.Used.Steps, cost: in.Used.Cost}
	a.todos.replace(in.Todos)
	return a.turn, a.sync(in.Messages)
}

// follow does what a complete reply asks for and reports whether the turn is
// over.
func (a *Agent) follow(ctx context.Context, t *turn, r reply) (bool, error) {
	switch {
	case r.finish == event.FinishRefusal:
		return true, &Stop{Outcome: event.Refused, Reason: "model", Detail: "the model or a content filter refused to answer"}
	case len(r.msg.ToolCalls) > 0:
		return false, a.act(ctx, t, r.msg.ToolCalls)
	case r.finish == event.FinishLength && r.halfCall && t.halved < maxHalved:
		t.halved++
		return false, a.note("output_limit", noteOutputLimit)
	case r.finish == event.FinishLength:
		return true, &Stop{Outcome: event.Cut, Reason: "output_limit", Detail: "the reply reached the endpoint's output limit and is incomplete"}
	}
	if r.msg.Content == "" {
		return a.nothing(t)
	}
	// Somebody may have steered while the last words were written.
	heard := len(a.msgs)
	if err := a.hear(); err != nil {
		return true, err
	}
	return len(a.msgs) == heard, nil
}

// nothing asks again after a reply of reasoning alone, and gives up at the third.
func (a *Agent) nothing(t *turn) (bool, error) {
	if t.empty++; t.empty < maxEmpty {
		return false, a.note("empty_reply", noteEmptyReply)
	}
	return true, &Stop{Outcome: event.Provider, Reason: provider.KindEmptyReply, Detail: "the model answered with reasoning alone, without text or a call"}
}

// hear adds what the user said since the last step.
func (a *Agent) hear() error {
	if a.Steer == nil {
		return nil
	}
	said, err := a.Steer()
	if err != nil {
		return fmt.Errorf("take steering: %w", err)
	}
	a.extend(said...)
	return nil
}

// note tells the model something in the host's name and records that.
func (a *Agent) note(code, text string) error {
	m := message.Message{ID: message.ID(a.NewID()), Role: message.User, Content: text}
	said := event.UserSaid{Message: m, Sources: []event.Source{{Kind: "host", Ref: code, Bytes: len(text)}}}
	if err := a.Emit(said); err != nil {
		return err
	}
	a.extend(m)
	return nil
}

func steps(n int) string {
	if n == 1 {
		return "1 step"
	}
	return fmt.Sprintf("%d steps", n)
}

// withinLimits refuses the next request when a limit is reached.
func (a *Agent) withinLimits(t *turn) error {
	if a.Limits.Steps > 0 && t.steps >= a.Limits.Steps {
		return &Stop{Outcome: event.Limit, Reason: ReasonSteps, Detail: fmt.Sprintf("the turn reached its limit of %s", steps(a.Limits.Steps))}
	}
	if max := a.Limits.Cost; max != nil && t.cost >= max.Amount {
		return &Stop{Outcome: event.Limit, Reason: ReasonCost, Detail: fmt.Sprintf("the turn cost %.4f %s and reached its limit of %.4f", t.cost, max.Currency, max.Amount)}
	}
	return nil
}

// sync brings the conversation up to ms. What was encoded stays as it is; only a
// conversation that is no continuation is encoded anew.
func (a *Agent) sync(ms []message.Message) error {
	if !continues(ms, a.msgs) {
		a.restart()
	}
	for _, m := range ms[len(a.msgs):] {
		// What the loop added between two requests begins with the reply.
		if m.Role == message.Assistant && len(a.added) > 0 {
			if err := a.encode(); err != nil {
				return err
			}
		}
		a.extend(m)
	}
	return nil
}

// extend adds messages to the conversation.
func (a *Agent) extend(ms ...message.Message) {
	a.msgs = append(a.msgs, ms...)
	a.added = append(a.added, ms...)
	for _, m := range ms {
		for _, c := range m.ToolCalls {
			a.callIDs[c.ID] = struct{}{}
		}
	}
}

// encode writes everything added since the last request as one batch.
func (a *Agent) encode() error {
	if err := a.wire.Append(a.added...); err != nil {
		return fmt.Errorf("encode conversation: %w", err)
	}
	a.added = nil
	in := &a.turn.in
	if in.Counted > 0 && len(a.msgs) == in.CountedAt {
		a.counted(in.Counted)
	}
	if a.sent == 0 && a.broken == nil && in.SentAt > 0 && len(a.msgs) == in.SentAt {
		a.sent = len(a.wire.Bytes()) // by an earlier process
	}
	return nil
}

// continues reports whether ms begins with the messages in old, by id.
func continues(ms, old []message.Message) bool {
	if len(ms) < len(old) {
		return false
	}
	for i := range old {
		if ms[i].ID != old[i].ID {
			return false
		}
	}
	return true
}
