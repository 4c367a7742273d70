package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/permission"
	"reasonix/core/protocol"
	"reasonix/core/tool"
)

// Answers of a permission question.
const (
	optionOnce    = "allow_once"
	optionSession = "allow_session"
	optionReject  = "reject_once"
)

// gate decides every call: the policy first, then the posture, then a person
// when there is one. Safe for concurrent use.
type gate struct {
	s       *sess
	posture permission.Posture
	asking  sync.Mutex // held while a person is asked

	mu     sync.Mutex
	policy permission.Policy
}

// touchesNothing names the built-ins whose calls change nothing but the
// conversation: no approval is asked for them, and only a rule stops one.
func touchesNothing(name string) bool { return name == "ask" || name == "todo_write" }

// Check implements agent.Gate.
func (g *gate) Check(ctx context.Context, req agent.Request) (agent.Verdict, error) {
	why, decision := g.judge(req)
	if decision == permission.Ask && g.s.spec.Interactive {
		// One question at a time, judged again: the last answer may have been a
		// grant that covers this call too.
		g.asking.Lock()
		defer g.asking.Unlock()
		why, decision = g.judge(req)
	}
	switch decision {
	case permission.Allow:
		return agent.Verdict{Allow: true, Rule: why.String()}, nil
	case permission.Deny:
		return agent.Verdict{Rule: why.String(), Reason: "the rule " + why.String() + " forbids it"}, nil
	case permission.Ask:
		if g.s.spec.Interactive {
			return g.askUser(ctx, req, why)
		}
	}
	return g.headless(req, why), nil
}

func (g *gate) judge(req agent.Request) (permission.Reason, permission.Decision) {
	g.mu.Lock()
	defer g.mu.Unlock()
	why := g.policy.Explain(req.Call.Name, req.ReadOnly || touchesNothing(req.Call.Name), json.RawMessage(req.Call.Arguments))
	return why, g.posture.Apply(why)
}

// headless answers for a user who cannot be asked.
func (g *gate) headless(req agent.Request, why permission.Reason) agent.Verdict {
	if g.s.organs.Unasked == permission.Allow {
		return agent.Verdict{Allow: true, Rule: "headless"}
	}
	g.s.tally.refuse()
	rule := permission.Suggest(req.Call.Name, json.RawMessage(req.Call.Arguments))
	return agent.Verdict{Rule: why.String(), Reason: fmt.Sprintf("it needs an approval and nobody can be asked (a rule that allows it: %s)", rule)}
}

// askUser puts the call to the person behind the front end.
func (g *gate) askUser(ctx context.Context, req agent.Request, why permission.Reason) (agent.Verdict, error) {
	rule := permission.Suggest(req.Call.Name, json.RawMessage(req.Call.Arguments))
	q := event.Question{
		ID: event.RequestID(g.s.e.p.NewID()), Kind: event.AskPermission, Call: req.Call.ID,
		Tool: req.Call.Name, Title: req.Subject.Title, Reason: req.Subject.Reason, Body: wholeCall(req.Call.Arguments),
		Dir: g.s.spec.Workspace, Sandbox: g.s.organs.Sandbox, Rule: rule,
		Options: []event.Option{
			{ID: optionOnce, Label: "Allow once", Kind: event.AllowOnce},
			{ID: optionSession, Label: "Allow for this session", Kind: event.AllowAlways, Detail: rule},
			{ID: optionReject, Label: "Deny", Kind: event.RejectOnce},
		},
	}
	answer, err := g.s.askAs(ctx, event.PhasePermission, q)
	if err != nil {
		return agent.Verdict{}, err
	}
	switch {
	case slices.Contains(answer.Choice, optionOnce):
		return agent.Verdict{Allow: true, Rule: "allowed once"}, nil
	case slices.Contains(answer.Choice, optionSession):
		if err := g.grant(rule); err != nil {
			return agent.Verdict{}, err
		}
		return agent.Verdict{Allow: true, Rule: rule}, nil
	}
	reason := "the user denied it"
	if answer.Text != "" {
		reason += ": " + answer.Text
	}
	return agent.Verdict{Rule: why.String(), Reason: reason}, nil
}

// wholeCall is everything a call would do, as a person reads it: the command, or
// all arguments.
func wholeCall(args string) string {
	var command struct {
		Command string `json:"command"`
	}
	if json.Unmarshal([]byte(args), &command) == nil && command.Command != "" {
		return command.Command
	}
	var pretty bytes.Buffer
	if json.Indent(&pretty, []byte(args), "", "  ") != nil {
		return args
	}
	return pretty.String()
}

// grant records a rule for the rest of the session and obeys it from now on. A
// rule that cannot be read is allowed this once and told.
func (g *gate) grant(rule string) error {
	parsed, err := permission.ParseRule(rule)
	if err != nil {
		return g.s.emit(event.Notice{
			Level: event.LevelWarning, Code: "grant_unreadable", Args: []string{rule},
			Text: "allowed once: no rule can be made of " + rule,
		})
	}
	if err := g.s.emit(event.Granted{Rule: rule, Scope: "session"}); err != nil {
		return err
	}
	g.allow(parsed)
	return nil
}

// restore obeys the grants of an earlier process again.
func (g *gate) restore(grants []string) {
	for _, rule := range grants {
		if parsed, err := permission.ParseRule(rule); err == nil {
			g.allow(parsed)
		}
	}
}

func (g *gate) allow(rule permission.Rule) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.policy.Allow = append(slices.Clone(g.policy.Allow), rule)
}

// questions are those a person has not answered. Safe for concurrent use.
type questions struct {
	mu   sync.Mutex
	open map[event.RequestID]chan event.Answered
}

func (q *questions) add(id event.RequestID) <-chan event.Answered {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open == nil {
		q.open = map[event.RequestID]chan event.Answered{}
	}
	answered := make(chan event.Answered, 1)
	q.open[id] = answered
	return answered
}

// claim takes a question away: whoever gets it answers it. It is nil for one
// that is not open.
func (q *questions) claim(id event.RequestID) chan<- event.Answered {
	q.mu.Lock()
	defer q.mu.Unlock()
	answered := q.open[id]
	delete(q.open, id)
	return answered
}

// ask puts a question of a tool to the user, when there is one.
func (s *sess) ask(ctx context.Context, q event.Question) (event.Answer, error) {
	if !s.spec.Interactive {
		return event.Answer{}, tool.ErrNobody
	}
	if q.ID == "" {
		q.ID = event.RequestID(s.e.p.NewID())
	}
	return s.askAs(ctx, event.PhaseInput, q)
}

// askAs records the question and waits for its answer, which the turn's end
// gives too.
func (s *sess) askAs(ctx context.Context, phase string, q event.Question) (event.Answer, error) {
	answered := s.questions.add(q.ID)
	if err := s.emit(event.Asked{Question: q}); err != nil {
		s.questions.claim(q.ID)
		return event.Answer{}, err
	}
	if err := s.emit(event.Phase{Name: phase, Detail: q.Title}); err != nil {
		return event.Answer{}, err
	}
	select {
	case a := <-answered:
		return a.Answer, s.emit(event.Phase{Name: event.PhaseTool, Detail: q.Title})
	case <-ctx.Done():
	}
	if s.questions.claim(q.ID) == nil {
		return (<-answered).Answer, nil // the answer won the race
	}
	cancelled := event.Answered{ID: q.ID, Answer: event.Answer{Cancelled: true}, By: event.ByCancel}
	if err := s.emit(cancelled); err != nil {
		return event.Answer{}, err
	}
	return cancelled.Answer, ctx.Err()
}

func (l *looper) answer(op protocol.Answer) error {
	c := l.questions.claim(op.ID)
	if c == nil {
		return protocol.ErrStale
	}
	a := event.Answered{ID: op.ID, Answer: op.Answer, By: event.ByUser}
	if err := l.j.emit(a); err != nil {
		c <- event.Answered{ID: op.ID, Answer: event.Answer{Cancelled: true}, By: event.ByCancel}
		return err
	}
	c <- a
	return nil
}
