package providertest

import (
	"net/http"
	"slices"
	"strings"

	"reasonix/core/message"
)

// Call is one tool call of a scripted reply. An empty ID is filled in with one
// that no other reply of the server has. Arguments are sent as they are.
type Call struct{ ID, Name, Arguments string }

// Reply is one scripted answer: a status, headers, a body in chunks, and how the
// connection ends. It is a value; its methods return a changed copy. The zero
// Reply is an empty 200 event stream.
type Reply struct {
	status int
	header [][2]string
	raw    []string // the body, when it is not made from said
	said   *said

	gates      []gate
	headerGate <-chan struct{}
	end        ending
	gzip       bool
	noTrailer  bool
}

// said is what a well-formed reply says, before it is written as events.
type said struct {
	text      string
	calls     []Call
	reasoning string
	field     string // wire field of reasoning
	finish    string
	usage     message.Usage
	as        *vendor // whose shape; nil: OpenAI's
	asked     bool    // a vendor was asked for usage
}

// gate holds the body before chunk i.
type gate struct {
	before int
	open   <-chan struct{}
}

// ending says what happens behind the last chunk.
type ending int

const (
	endsCleanly ending = iota
	endsHeld           // the socket stays open until the client leaves
	endsAborted        // the connection is closed in the middle of the body
	endsReset          // the same with a TCP reset
)

// Text is a reply of prose: a few deltas, finish_reason stop, usage, [DONE].
func Text(s string) Reply { return TextCalls(s) }

// Calls is a reply of tool calls, each written over three deltas.
func Calls(calls ...Call) Reply { return TextCalls("", calls...) }

// TextCalls is prose, then tool calls.
func TextCalls(text string, calls ...Call) Reply {
	finish := "stop"
	if len(calls) > 0 {
		finish = "tool_calls"
	}
	return Reply{said: &said{
		text:   text,
		calls:  slices.Clone(calls),
		finish: finish,
		usage:  message.Usage{Input: 100, Output: 10},
	}}
}

// Raw is a 200 event stream with exactly these body bytes, one flush a chunk.
func Raw(chunks ...string) Reply { return Reply{raw: slices.Clone(chunks)} }

// Status is an answer that is no stream. header is names and values in turn; the
// content type is guessed from body unless given.
func Status(code int, body string, header ...string) Reply {
	r := Reply{status: code, raw: []string{body}}.Header("Content-Type", guessType(body))
	for i := 0; i+1 < len(header); i += 2 {
		r = r.Header(header[i], header[i+1])
	}
	return r
}

func guessType(body string) string {
	switch {
	case strings.HasPrefix(body, "{"), strings.HasPrefix(body, "["):
		return "application/json"
	case strings.HasPrefix(body, "<"):
		return "text/html; charset=utf-8"
	}
	return "text/plain; charset=utf-8"
}

// Usage sets the token counts as message.Usage has them: input was not in the
// cache, cached was. On the wire prompt_tokens is their sum.
func (r Reply) Usage(input, cached, output int) Reply {
	return r.saying(func(s *said) {
		s.usage = message.Usage{Input: input, CacheRead: cached, Output: output}
	})
}

// Reasoning puts reasoning before the text under the given wire field:
// reasoning_content, reasoning or reasoning_details.
func (r Reply) Reasoning(field, text string) Reply {
	return r.saying(func(s *said) { s.field, s.reasoning = field, text })
}

// Finish sets the finish_reason.
func (r Reply) Finish(reason string) Reply {
	return r.saying(func(s *said) { s.finish = reason })
}

// saying changes what a well-formed reply says. A raw body says only its bytes.
func (r Reply) saying(change func(*said)) Reply {
	if r.said == nil {
		panic("providertest: a raw reply's bytes already say everything")
	}
	s := *r.said
	change(&s)
	r.said = &s
	return r
}

// Header sets a response header.
func (r Reply) Header(key, value string) Reply {
	r.header = append(slices.Clip(r.header), [2]string{http.CanonicalHeaderKey(key), value})
	return r
}

// Gate sends the headers and holds the body until g is closed or sent to. A nil
// gate, here and below, opens for nobody.
func (r Reply) Gate(g <-chan struct{}) Reply { return r.GateAt(0, g) }

// GateAt holds the body before chunk i, counted from 0 over what Chunks returns;
// i equal to their number holds the end.
func (r Reply) GateAt(i int, g <-chan struct{}) Reply {
	r.gates = append(slices.Clip(r.gates), gate{before: i, open: g})
	return r
}

// GateHeaders holds everything: the client sees a connection and no answer.
func (r Reply) GateHeaders(g <-chan struct{}) Reply {
	if g == nil {
		g = make(chan struct{})
	}
	r.headerGate = g
	return r
}

// Hold keeps the socket open behind the last chunk until the client leaves.
func (r Reply) Hold() Reply {
	r.end = endsHeld
	return r
}

// Abort closes the connection behind the last chunk without ending the body.
// Without any chunk the client gets no answer at all.
func (r Reply) Abort() Reply {
	r.end = endsAborted
	return r
}

// Reset is Abort with a TCP reset. What the client had not read may be lost.
func (r Reply) Reset() Reply {
	r.end = endsReset
	return r
}

// Gzip compresses the body, flushed after every chunk.
func (r Reply) Gzip() Reply {
	r.gzip = true
	return r
}

// GzipCut is Gzip without the trailer, though the HTTP body ends well.
func (r Reply) GzipCut() Reply {
	r.gzip, r.noTrailer = true, true
	return r
}

// Chunks are the pieces of the body as a streaming client gets them.
func (r Reply) Chunks() []string {
	if r.said == nil {
		return r.raw
	}
	return r.said.events()
}

// named fills in missing call ids from the request's number, as v names calls.
func (r Reply) named(request int, v *vendor) Reply {
	if r.said == nil {
		return r
	}
	s := *r.said
	s.calls = slices.Clone(s.calls)
	for i, c := range s.calls {
		if c.ID == "" {
			s.calls[i].ID = v.identify(request, i, c)
		}
	}
	r.said = &s
	return r
}
