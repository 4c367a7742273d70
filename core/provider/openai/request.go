package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"reasonix/core/message"
	"reasonix/core/provider"
)

// draw is one request to send, as far as it does not depend on what the endpoint
// turns out not to take.
type draw struct {
	messages  []message.Message
	wire      []byte
	tools     []byte // `"tools":[...],`, or nothing
	maxTokens int
	salt      int // how many messages there are
}

// draw encodes what the agent has not.
func (p *Provider) draw(req provider.Request) (*draw, error) {
	d := &draw{
		messages:  req.Messages,
		tools:     appendTools(nil, req.Tools),
		maxTokens: req.MaxTokens,
		salt:      len(req.Messages),
	}
	if req.Wire != nil {
		d.wire, d.salt = req.Wire.Bytes(), req.Wire.Len()
		return d, nil
	}
	wire, err := p.Encode(nil, req.Messages)
	d.wire = wire
	return d, err
}

// wireFor is the conversation for an endpoint with these habits. One that
// refuses reasoning gets the messages encoded anew; that is rare enough to pay
// for.
func (p *Provider) wireFor(d *draw, h habit) ([]byte, error) {
	if !h.noReplay || !hasReasoning(d.wire) || len(d.messages) == 0 {
		return d.wire, nil
	}
	return p.encode(nil, d.messages, true)
}

// head is everything before the first message: the fields that never change,
// then parameters, then tools.
func (p *Provider) head(d *draw, params []param) []byte {
	dst := make([]byte, 0, 512+len(d.tools))
	dst = append(dst, `{"model":`...)
	dst = appendString(dst, p.model)
	dst = append(dst, `,"stream":true,`...)
	for _, q := range params {
		dst = appendString(dst, q.name)
		dst = append(dst, ':')
		dst = append(dst, q.value...)
		dst = append(dst, ',')
	}
	dst = append(dst, d.tools...)
	return append(dst, `"messages":[`...)
}

func appendTools(dst []byte, tools []message.ToolSchema) []byte {
	for i, t := range tools {
		if i == 0 {
			dst = append(dst, `"tools":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"type":"function","function":{"name":`...)
		dst = appendString(dst, t.Name)
		if t.Description != "" {
			dst = append(dst, `,"description":`...)
			dst = appendString(dst, t.Description)
		}
		dst = append(dst, `,"parameters":`...)
		if len(t.Parameters) == 0 {
			dst = append(dst, `{"properties":{},"type":"object"}`...)
		} else {
			dst = append(dst, t.Parameters...)
		}
		dst = append(dst, "}}"...)
	}
	if len(tools) > 0 {
		dst = append(dst, "],"...)
	}
	return dst
}

// exchange is one HTTP request and its response.
type exchange struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	watch  *watch
	limits limits
	parts  *parts
	resp   *http.Response
	got    int64 // bytes of the body so far
}

// send posts one request and waits for the header of its answer. The caller
// closes the exchange, also after a fault.
func (p *Provider) send(ctx context.Context, d *draw, params []param, wire []byte) (*exchange, *fault) {
	x := &exchange{limits: p.limits, parts: &parts{pieces: [3][]byte{p.head(d, params), wire, []byte("]}")}}}
	x.ctx, x.cancel = context.WithCancelCause(ctx)
	x.watch = newWatch(x.cancel)
	req, err := http.NewRequestWithContext(x.watch.trace(x.ctx, p.limits), http.MethodPost, p.chatURL.String(), nil)
	if err != nil {
		return x, &fault{kind: provider.KindRequest, text: "the request cannot be built", err: err}
	}
	req.Header = p.header.Clone()
	req.ContentLength = x.parts.size()
	req.Body = x.parts.reader(x.watch.touch)
	req.GetBody = func() (io.ReadCloser, error) { return x.parts.reader(x.watch.touch), nil }
	return x, p.do(x, req)
}

// do sends req under the watch. A status other than 2xx is a fault.
func (p *Provider) do(x *exchange, req *http.Request) *fault {
	x.watch.enter(provider.PhaseConnect, p.limits.connect)
	resp, err := p.client.Do(req) //nolint:bodyclose // the exchange closes it when the reply is read
	if err != nil {
		return p.sendFault(x, req.URL, err)
	}
	x.resp = resp
	x.watch.enter(provider.PhaseFirstByte, p.limits.firstByte)
	if resp.StatusCode/100 == 2 {
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(x, maxErrorBody)) // as much as there is will do
	return p.statusFault(resp, body)
}

const maxErrorBody = 64 << 10

// sendFault is why no answer came.
func (p *Provider) sendFault(x *exchange, u *url.URL, err error) *fault {
	phase := x.watch.current()
	if s := x.stalled(); s != nil {
		return &fault{
			kind:      provider.KindStalled,
			phase:     s.phase,
			text:      fmt.Sprintf("%s (%s)", s.Error(), u.Host),
			retryable: s.phase == provider.PhaseConnect,
			err:       s,
		}
	}
	f := p.networkFault(err, u, phase)
	f.stale = f.retryable && x.watch.reused.Load() && !x.watch.answered.Load()
	return f
}

// stalled is the limit that ended the exchange, if one did.
func (x *exchange) stalled() *stall {
	var s *stall
	if errors.As(context.Cause(x.ctx), &s) {
		return s
	}
	return nil
}

// Read reads the body. Every byte is a sign of life, whatever it says.
func (x *exchange) Read(b []byte) (int, error) {
	n, err := x.resp.Body.Read(b)
	if n > 0 {
		if x.got == 0 {
			x.watch.enter(provider.PhaseStream, x.limits.idle)
		} else {
			x.watch.touch()
		}
		x.got += int64(n)
	}
	return n, err
}

// drain reads what follows [DONE], which should be the end and lets the
// connection be used again. An endpoint that keeps its socket open is not waited
// for. The error is nil unless the body was found to be broken.
func (x *exchange) drain() error {
	limit := graceLimit
	if x.verified() {
		limit = checksumLimit
	}
	x.watch.enter(provider.PhaseStream, limit)
	var rest [512]byte
	for range 128 {
		_, err := x.resp.Body.Read(rest[:])
		switch {
		case errors.Is(err, io.EOF) || err != nil && x.ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

// verified reports whether the body has a checksum, so that its end says
// something about the rest.
func (x *exchange) verified() bool { return x.resp.Uncompressed }

// close gives everything back. The agent may change its buffer afterwards.
func (x *exchange) close() {
	x.watch.stop()
	x.parts.release()
	if x.resp != nil {
		_ = x.resp.Body.Close()
	}
	x.cancel(nil)
}
