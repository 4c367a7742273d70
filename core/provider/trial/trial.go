// Package trial asks one real endpoint, in a few small requests, what it can do
// and how it writes: the list of models, a short text, a tool call and its result,
// calls side by side, reasoning and its replay, token counts. It reads the answers
// twice, as the provider under trial makes sense of them and as bytes, so that it
// can say what the provider had to put up with.
//
// It decides nothing and writes nothing down; it refuses to send more than
// MaxRequests requests, whatever happens. `reasonix models check --online` calls
// it.
package trial

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"reasonix/core/message"
	"reasonix/core/provider"
)

// The bounds of a trial. Six requests are the usual number; what an endpoint
// refuses may cost one more each time.
const (
	MaxRequests = 12
	MaxOutput   = 1024 // tokens one request may be answered with
	MaxInput    = 400  // tokens one request asks with, about
)

// Subject is what is tried.
type Subject struct {
	Profile provider.Profile
	Model   string
	// Open makes the provider with a client that the trial listens at.
	Open func(*http.Client) (provider.Provider, error)
	// Transport reaches the endpoint; nil is a new one like http.DefaultTransport.
	Transport http.RoundTripper
	// Progress is told about each check when it is over; may be nil.
	Progress func(Check)
}

// Status says how a check ended.
type Status string

// The ends of a check.
const (
	OK      Status = "ok"
	Noted   Status = "note"    // it works, and something is worth knowing
	Failed  Status = "failed"  // an agent cannot work with this
	Skipped Status = "skipped" // there was nothing to check, or it could not be
)

// Check is one line of the result.
type Check struct {
	Name   string
	Status Status
	Detail string
	Err    error // why it failed; a *provider.Failure when the endpoint is to blame
}

// Result is everything a trial found out.
type Result struct {
	Checks   []Check
	Found    Found
	Requests int           // that were sent
	Usage    message.Usage // what the endpoint counted, all requests together
}

// Failed returns the error of the first check that failed, or nil.
func (r Result) Failed() error {
	for _, c := range r.Checks {
		if c.Status == Failed {
			return cause(c)
		}
	}
	return nil
}

func cause(c Check) error {
	if c.Err != nil {
		return c.Err
	}
	return errors.New(c.Name + ": " + c.Detail)
}

// Run tries the subject. Its error is about the subject's configuration, or ctx's;
// what the endpoint does wrong is in the result.
func Run(ctx context.Context, s Subject) (Result, error) {
	base := s.Transport
	if base == nil {
		t, ok := http.DefaultTransport.(*http.Transport)
		if !ok {
			return Result{}, errors.New("the default transport was replaced")
		}
		own := t.Clone()
		defer own.CloseIdleConnections()
		base = own
	}
	r := &run{Subject: s, ctx: ctx, tap: &tap{next: base}}
	var err error
	if r.provider, err = s.Open(&http.Client{Transport: r.tap}); err != nil {
		return Result{}, err
	}
	r.all()
	r.result.Requests = r.tap.sent()
	if ctx.Err() != nil {
		return r.result, context.Cause(ctx)
	}
	return r.result, nil
}

// run is a trial under way.
type run struct {
	Subject
	ctx      context.Context
	tap      *tap
	provider provider.Provider
	result   Result
}

// all makes the checks in their order. An endpoint that does not answer is asked
// no more.
func (r *run) all() {
	r.models()
	if !r.text() {
		return
	}
	r.counts()
	r.options()
	r.call()
	r.parallel()
}

func (r *run) add(name string, status Status, format string, args ...any) {
	r.note(Check{Name: name, Status: status, Detail: fmt.Sprintf(format, args...)})
}

func (r *run) fail(name string, err error) {
	r.note(Check{Name: name, Status: Failed, Detail: err.Error(), Err: err})
}

func (r *run) note(c Check) {
	r.result.Checks = append(r.result.Checks, c)
	if r.Progress != nil {
		r.Progress(c)
	}
}

// answer is one reply, put together.
type answer struct {
	message.Message
	finish  provider.Finish
	usage   *message.Usage
	notices []*provider.Notice
	err     error
	wire    exchange // as bytes
}

// ask sends ms with or without the tool.
func (r *run) ask(ms []message.Message, tools ...message.ToolSchema) answer {
	a := answer{Message: message.Message{Role: message.Assistant}}
	chunks, err := r.provider.Stream(r.ctx, provider.Request{Messages: ms, Tools: tools, MaxTokens: MaxOutput})
	if err != nil {
		a.err = err
		return a
	}
	for c := range chunks {
		a.take(c)
	}
	if a.usage != nil {
		r.result.Usage = r.result.Usage.Add(*a.usage)
	}
	a.wire = r.tap.last()
	r.result.Found.learn(a)
	return a
}

func (a *answer) take(c provider.Chunk) {
	switch c.Type {
	case provider.ChunkText:
		a.Content += c.Text
	case provider.ChunkReasoning:
		if c.Reasoning != nil {
			a.Reasoning = append(a.Reasoning, *c.Reasoning)
		}
	case provider.ChunkCall:
		a.ToolCalls = append(a.ToolCalls, *c.Call)
	case provider.ChunkNotice:
		a.notices = append(a.notices, c.Notice)
	case provider.ChunkDone:
		a.finish, a.usage = c.Finish, c.Usage
	case provider.ChunkError:
		a.err = c.Err
	case provider.ChunkProgress:
	}
}
