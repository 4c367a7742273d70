package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"reasonix/core/internal/sse"
	"reasonix/core/provider"
)

// outbox is how many chunks may wait for the agent. Each stands for a network
// read, so this is some seconds of a fast model.
const outbox = 64

// Stream sends req and returns its reply. Its error is about req alone;
// everything the endpoint or the network does wrong comes as the last chunk.
func (p *Provider) Stream(ctx context.Context, req provider.Request) (<-chan provider.Chunk, error) {
	d, err := p.draw(req)
	if err != nil {
		return nil, fmt.Errorf("provider %s: %w", p.name, err)
	}
	s := &sender{ctx: ctx, out: make(chan provider.Chunk, outbox)}
	go func() {
		defer close(s.out)
		if f := p.converse(ctx, d, s); f != nil && ctx.Err() == nil {
			s.all(provider.Chunk{Type: provider.ChunkError, Err: f})
		}
		if ctx.Err() != nil && !s.done {
			s.force(provider.Chunk{Type: provider.ChunkError, Err: withCause(ctx)})
		}
	}()
	return s.out, nil
}

// sender hands chunks to whoever reads the stream.
type sender struct {
	ctx  context.Context
	out  chan provider.Chunk
	done bool // the last chunk is out
}

// all sends chunks, and false when the context ended instead.
func (s *sender) all(chunks ...provider.Chunk) bool {
	for _, c := range chunks {
		select {
		case s.out <- c:
			s.done = c.Type == provider.ChunkDone || c.Type == provider.ChunkError
		case <-s.ctx.Done():
			return false
		}
	}
	return true
}

// force sends the last chunk of a cancelled stream. When nobody reads it takes
// the place of one that nobody has read.
func (s *sender) force(c provider.Chunk) {
	for {
		select {
		case s.out <- c:
			return
		default:
		}
		select {
		case <-s.out:
		default:
		}
	}
}

// converse gets one reply and sends it. It returns nil when the reply is out, or
// when the context ended.
func (p *Provider) converse(ctx context.Context, d *draw, s *sender) error {
	x, notices, f := p.open(ctx, d)
	if x != nil {
		defer x.close()
	}
	if f != nil {
		return p.failure(f, provider.PhaseFirstByte)
	}
	for _, n := range notices {
		if !s.all(provider.Chunk{Type: provider.ChunkNotice, Notice: n}) {
			return nil
		}
	}
	last, f := p.read(x, newReply(d.salt), s)
	if f != nil {
		return p.failure(f, provider.PhaseStream)
	}
	x.close() // before the agent goes on: it may change the conversation
	s.all(last...)
	return nil
}

// open sends the request until the endpoint takes it: without a parameter it
// refused, or over a new connection when a kept one was dead.
func (p *Provider) open(ctx context.Context, d *draw) (*exchange, []*provider.Notice, *fault) {
	h := recall(p.key)
	var notices []*provider.Notice
	again := true
	for {
		params := p.params(d.maxTokens, h)
		wire, err := p.wireFor(d, h)
		if err != nil {
			return nil, nil, &fault{kind: provider.KindRequest, text: err.Error(), err: err}
		}
		x, f := p.send(ctx, d, params, wire)
		if f == nil {
			if len(notices) > 0 && !learn(p.key, h) {
				notices = nil
			}
			return x, notices, nil
		}
		next, notice, ok := p.adapt(f, params, hasReasoning(wire) && !h.noReplay, h)
		switch {
		case ok:
			h, notices = next, append(notices, notice)
		case f.stale && again:
			again = false
		default:
			return x, nil, f
		}
		x.close()
	}
}

// read reads the reply off x and sends what can be seen of it. It returns the
// chunks that end it.
func (p *Provider) read(x *exchange, r *reply, s *sender) ([]provider.Chunk, *fault) {
	scan := sse.NewScanner(x, 0)
	for known := false; ; {
		err := scan.Fill()
		if !known {
			switch shape := shapeOf(scan.Unread()); {
			case shape == shapeUnknown && err == nil:
				continue
			case shape == shapeJSON:
				return p.readWhole(x, scan.Unread(), r, s)
			case shape == shapeMarkup:
				return nil, p.notAStream(x, "")
			}
			known = true
		}
		marked := p.events(x.ctx, scan, r)
		if !s.all(r.flush()...) {
			return nil, nil
		}
		switch {
		case r.fault != nil:
			return nil, r.fault
		case marked:
			return p.marked(x, r)
		case err != nil:
			return p.ended(x, r, err)
		case r.finish != "":
			x.watch.enter(provider.PhaseStream, tail(x.limits.idle))
		}
	}
}

func tail(idle time.Duration) time.Duration {
	if idle > 0 && idle < tailLimit {
		return idle
	}
	return tailLimit
}

// events takes in what has been read and reports whether [DONE] was in it.
func (p *Provider) events(ctx context.Context, scan *sse.Scanner, r *reply) (marked bool) {
	for {
		e, ok := scan.Next()
		if !ok || r.fault != nil {
			return false
		}
		if string(bytes.TrimSpace(e.Data)) == "[DONE]" {
			return true
		}
		if !r.apply(e.Name, e.Data) {
			slog.DebugContext(ctx, "stream event that is no JSON object passed over", "provider", p.name, "bytes", len(e.Data))
		}
	}
}

// marked ends a reply at its [DONE].
func (p *Provider) marked(x *exchange, r *reply) ([]provider.Chunk, *fault) {
	if err := x.drain(); err != nil && x.verified() {
		return nil, cutBy(err)
	}
	return r.end(true)
}

// ended ends a reply whose stream ended, by itself or not, without [DONE].
func (p *Provider) ended(x *exchange, r *reply, err error) ([]provider.Chunk, *fault) {
	s := x.stalled()
	switch {
	case errors.Is(err, sse.ErrTooLong):
		return nil, &fault{kind: provider.KindServerError, text: err.Error(), err: err}
	case errors.Is(err, io.EOF) && !r.choices && (x.got == 0 || mediaType(x.resp) != "text/event-stream"):
		return nil, p.notAStream(x, "")
	case errors.Is(err, io.EOF):
		return r.end(false)
	case r.finish != "" && !x.verified():
		return r.end(false) // everything was said; what broke is the goodbye
	case s != nil:
		return nil, &fault{kind: provider.KindStalled, phase: s.phase, text: s.Error(), err: s}
	}
	return nil, cutBy(err)
}

func cutBy(err error) *fault {
	return &fault{kind: provider.KindCut, text: fmt.Sprintf("%v: %v", errCut, err), retryable: true, err: errors.Join(errCut, err)}
}

// readWhole reads a completion that is not a stream though one was asked for.
func (p *Provider) readWhole(x *exchange, begun []byte, r *reply, s *sender) ([]provider.Chunk, *fault) {
	body := bytes.NewBuffer(bytes.Clone(begun))
	n, err := body.ReadFrom(io.LimitReader(x, sse.MaxEvent))
	switch {
	case err != nil && x.stalled() == nil:
		return nil, cutBy(err)
	case err != nil:
		return p.ended(x, r, err)
	case n == sse.MaxEvent:
		return nil, &fault{kind: provider.KindServerError, text: "the completion is larger than 16 MiB"}
	}
	whole := bytes.TrimSpace(bytes.TrimPrefix(body.Bytes(), []byte(bom)))
	r.apply(nil, whole)
	switch {
	case r.fault != nil:
		return nil, r.fault
	case !r.choices:
		return nil, p.notAStream(x, readComplaint(whole).message)
	}
	if !s.all(r.flush()...) {
		return nil, nil
	}
	return r.end(true)
}

// notAStream says what came instead of one, in one line and without its body.
func (p *Provider) notAStream(x *exchange, said string) *fault {
	what := "the answer is no event stream"
	switch {
	case x.got == 0:
		what = "the answer is empty"
	case said != "":
		what += fmt.Sprintf(" (%s)", said)
	}
	kind := mediaType(x.resp)
	return &fault{
		kind:      provider.KindNotAStream,
		status:    x.resp.StatusCode,
		text:      fmt.Sprintf("%s: %s from %s; check base_url", what, orNone(kind), safeURL(x.resp.Request.URL)),
		retryable: x.got == 0 && kind == "text/event-stream",
	}
}

const bom = "\xef\xbb\xbf"

// shape is what a body looks like from its first byte on.
type shape int

const (
	shapeUnknown shape = iota
	shapeEvents
	shapeJSON
	shapeMarkup
)

func shapeOf(body []byte) shape {
	body = bytes.TrimLeft(bytes.TrimPrefix(body, []byte(bom)), " \t\r\n")
	switch {
	case len(body) == 0, bytes.HasPrefix([]byte(bom), body):
		return shapeUnknown
	case body[0] == '{', body[0] == '[':
		return shapeJSON
	case body[0] == '<':
		return shapeMarkup
	}
	return shapeEvents
}
