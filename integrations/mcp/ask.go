package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"reasonix/core/event"
)

// Choices of a server's question.
const (
	Accept  = "accept"
	Decline = "decline"
)

// maxWaiting is how many questions of a server wait while another one is asked, and how
// many of its requests to the model are under way beside the first.
const maxWaiting = 3

// A host is what a server may ask of us over a link: the user, and the model. The link's
// mu guards its counts.
type host struct {
	link *link
	turn chan struct{} // held while a person is asked

	questions, samples wish
}

// A wish is what a server may ask us for: a few at once while calls are under way, which
// they may be about, and between calls a single one. The link's mu guards it.
type wish struct {
	open     int  // admitted and not over
	unbidden bool // there was one that no call was under way for, and no call since
}

func newHost(l *link) host { return host{link: l, turn: make(chan struct{}, 1)} }

// elicit puts a question of the server to the user: a form, or an address to open.
// Nobody there to ask is a cancelled question, and one too many is declined.
func (h *host) elicit(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	q, err := h.question(r.Params)
	if err != nil {
		return nil, err
	}
	if !h.admit(&h.questions) {
		h.link.server.log.note("a question was declined: it asks too much at once")
		return &sdk.ElicitResult{Action: Decline}, nil
	}
	defer h.over(&h.questions)
	ctx, done := h.aside(ctx, &q)
	defer done()
	answer, err := h.ask(ctx, q)
	switch {
	case err != nil || answer.Cancelled:
		return &sdk.ElicitResult{Action: "cancel"}, nil
	case slices.Contains(answer.Choice, Decline):
		return &sdk.ElicitResult{Action: Decline}, nil
	case r.Params.Mode == "url":
		return h.open(q.Body) // what was shown
	}
	content := map[string]any{}
	if len(answer.Data) > 0 {
		if err := json.Unmarshal(answer.Data, &content); err != nil {
			return nil, fmt.Errorf("the answer is no form: %w", err)
		}
	}
	return &sdk.ElicitResult{Action: Accept, Content: content}, nil
}

// admit reports whether there may be one more of w. Each that may is over once. It is a
// sign of life for all calls, whose limits begin anew.
func (h *host) admit(w *wish) bool {
	h.link.mu.Lock()
	defer h.link.mu.Unlock()
	switch {
	case len(h.link.calls) > 0 && w.open > maxWaiting, len(h.link.calls) == 0 && (w.unbidden || w.open > 0):
		return false
	case len(h.link.calls) == 0:
		w.unbidden = true
	}
	w.open++
	h.link.prolong()
	return true
}

// over is called when one of w was answered, or is given up. The limits of all calls
// begin anew: the server had to wait.
func (h *host) over(w *wish) {
	h.link.mu.Lock()
	defer h.link.mu.Unlock()
	w.open--
	h.link.prolong()
}

// ask puts a question to the user when it is the only one of its server.
func (h *host) ask(ctx context.Context, q event.Question) (event.Answer, error) {
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	case <-ctx.Done():
		return event.Answer{}, context.Cause(ctx)
	}
	if err := context.Cause(ctx); err != nil {
		return event.Answer{}, err
	}
	return h.link.server.world.Ask(ctx, q)
}

func (h *host) open(address string) (*sdk.ElicitResult, error) {
	if open := h.link.server.world.Open; open != nil {
		if err := open(address); err != nil {
			return nil, fmt.Errorf("open %s: %w", address, err)
		}
	}
	return &sdk.ElicitResult{Action: Accept}, nil
}

func (h *host) question(p *sdk.ElicitParams) (event.Question, error) {
	q := event.Question{
		Kind:  event.AskElicitation,
		Title: fmt.Sprintf("The MCP server %s asks", h.link.server.cfg.Name),
		Body:  printable(p.Message),
		Options: []event.Option{
			{ID: Accept, Label: "Answer", Kind: event.AllowOnce},
			{ID: Decline, Label: "Decline", Kind: event.RejectOnce},
		},
	}
	if p.Mode == "url" {
		address, err := url.Parse(p.URL)
		if err != nil || address.Host == "" || address.Scheme != "https" && address.Scheme != "http" {
			return q, fmt.Errorf("%q is no address that a browser should open", p.URL)
		}
		q.Body, q.Why = address.String(), printable(p.Message)
		q.Options[0].Label = "Open"
		return q, nil
	}
	schema, err := json.Marshal(p.RequestedSchema)
	if err != nil {
		return q, err
	}
	q.Schema = schema
	return q, nil
}

// aside is the context of something that the server wants while it is asked
// itself: it ends with the connection, and with the call that it belongs to where
// that is certain.
func (h *host) aside(ctx context.Context, q *event.Question) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stops := []func() bool{context.AfterFunc(h.link.talk, func() { cancel(errEnded) })}
	if c := h.link.only(); c != nil {
		q.Call = c.id
		stops = append(stops, context.AfterFunc(c.ctx, func() { cancel(context.Cause(c.ctx)) }))
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel(nil)
	}
}

// prolong begins the limits of all calls anew; the caller has the lock.
func (l *link) prolong() {
	for _, c := range l.calls {
		select {
		case c.news <- nil:
		default:
		}
	}
}

// A SampleRequest is what a server wants the model to answer. It has text only.
type SampleRequest struct {
	Server   string
	System   string
	Messages []SampleMessage
	// MaxTokens is the most the answer may have.
	MaxTokens int64
	Stop      []string
	// Hints are names of models the server would like, best first.
	Hints []string
}

// A SampleMessage is one message of it; Role is user or assistant.
type SampleMessage struct{ Role, Text string }

// SampleReply is the model's answer.
type SampleReply struct {
	Text, Model string
	Reason      string // endTurn, stopSequence, maxTokens; empty: endTurn
}

var (
	errNotText = errors.New("only text can be sampled")
	errFlood   = errors.New("too much is to be sampled at once, or without a call")
)

// sample lets the server ask the model, which its configuration allows.
func (h *host) sample(ctx context.Context, r *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) { //nolint:staticcheck // SA1019: servers of today sample
	p := r.Params
	req := SampleRequest{Server: h.link.server.cfg.Name, System: p.SystemPrompt, MaxTokens: p.MaxTokens, Stop: p.StopSequences}
	for _, m := range p.Messages {
		text, ok := m.Content.(*sdk.TextContent)
		if !ok {
			return nil, errNotText
		}
		req.Messages = append(req.Messages, SampleMessage{Role: string(m.Role), Text: text.Text})
	}
	if p.ModelPreferences != nil {
		for _, h := range p.ModelPreferences.Hints {
			req.Hints = append(req.Hints, h.Name)
		}
	}
	if !h.admit(&h.samples) {
		h.link.server.log.note("it may not ask the model: %v", errFlood)
		return nil, errFlood
	}
	defer h.over(&h.samples)
	var q event.Question
	ctx, done := h.aside(ctx, &q)
	defer done()
	reply, err := h.link.server.world.Sample(ctx, req)
	if err != nil {
		return nil, err
	}
	if reply.Reason == "" {
		reply.Reason = "endTurn"
	}
	return &sdk.CreateMessageResult{ //nolint:staticcheck // SA1019: servers of today sample
		Content: &sdk.TextContent{Text: reply.Text}, Model: reply.Model, Role: "assistant", StopReason: reply.Reason,
	}, nil
}

// waits reports whether the server waits for a person, who has all the time. A model does
// not: while it is asked, the limit of a call goes on.
func (h *host) waits() bool {
	h.link.mu.Lock()
	defer h.link.mu.Unlock()
	return h.questions.open > 0
}
