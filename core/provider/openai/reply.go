package openai

import (
	"bytes"
	"errors"
	"fmt"

	"reasonix/core/message"
	"reasonix/core/provider"
)

// reply is one answer while it comes in. Events go in with apply; what people
// should see now comes out with flush, once per network read; end says how it
// turned out and gives the calls. It does no I/O.
type reply struct {
	salt  int // what tells its made-up call ids from those of other replies
	delta delta

	answer  buffer
	muse    buffer
	ready   []provider.Chunk
	think   thinker
	musing  musing
	calls   assembly
	scratch []byte

	answered bool // some text was said
	refused  bool
	choices  bool // a chunk with a choice has come, so this is a completion
	finish   string
	usage    *message.Usage
	fault    *fault // what went wrong, in the stream's own words
}

// buffer is text that was said and not yet handed out.
type buffer struct {
	kind  provider.ChunkType
	bytes []byte
}

func newReply(salt int) *reply {
	return &reply{
		salt:   salt,
		answer: buffer{kind: provider.ChunkText},
		muse:   buffer{kind: provider.ChunkReasoning},
	}
}

// apply takes in one event and reports whether it said anything. What is no JSON
// object is a keep-alive in disguise and passed over; an object with a piece
// missing means that text is missing.
func (r *reply) apply(name, data []byte) bool {
	d := &r.delta
	if !d.parse(data) {
		switch {
		case string(name) == "error":
			r.setFault(data)
		case len(data) > 0 && data[0] == '{' && r.finish == "" && r.fault == nil:
			r.fault = &fault{kind: provider.KindCut, text: "the stream has a damaged event", retryable: true}
		default:
			return false
		}
		return true
	}
	r.take(d, name, data)
	return true
}

func (r *reply) take(d *delta, name, data []byte) {
	if string(name) == "error" && d.fault == nil && !d.hasChoice {
		d.fault = data
	}
	if d.hasUsage {
		r.usage = &message.Usage{}
		*r.usage = d.usage
	}
	r.choices = r.choices || d.hasChoice
	for i := range d.parts {
		r.say(&d.parts[i])
	}
	if d.details != nil {
		r.musing.addDetails(d.details)
	}
	if !d.refusal.empty() {
		r.refused = true
		r.say(&part{fromContent, d.refusal})
	}
	for i := range d.calls {
		r.calls.add(&d.calls[i])
	}
	if !d.finish.empty() {
		r.finish = d.finish.String()
	}
	if d.fault != nil {
		r.setFault(d.fault)
	}
	if r.calls.full && r.fault == nil {
		r.fault = &fault{kind: provider.KindRequest, text: "the reply's tool calls are larger than 16 MiB"}
	}
}

func (r *reply) setFault(object []byte) {
	if r.fault == nil {
		r.fault = readFault(object)
	}
}

// say takes in one piece of text.
func (r *reply) say(p *part) {
	if p.from == fromContent && r.think.state == plain {
		r.switchTo(&r.answer)
		r.answer.bytes = p.text.appendTo(r.answer.bytes)
		r.answered = true
		return
	}
	r.scratch = p.text.appendTo(r.scratch[:0])
	if p.from != fromContent {
		r.reason(p.from, r.scratch)
		return
	}
	reasoning, answer := r.think.take(r.scratch)
	r.reason(fromThinking, reasoning)
	r.tell(answer)
}

func (r *reply) reason(from origin, said []byte) {
	if news := r.musing.take(from, said); len(news) > 0 {
		r.switchTo(&r.muse)
		r.muse.bytes = append(r.muse.bytes, news...)
	}
}

func (r *reply) tell(answer []byte) {
	if len(answer) > 0 {
		r.switchTo(&r.answer)
		r.answer.bytes = append(r.answer.bytes, answer...)
		r.answered = true
	}
}

// switchTo hands out the other buffer, so that text and reasoning keep their
// order within one read.
func (r *reply) switchTo(to *buffer) {
	other := &r.answer
	if to == other {
		other = &r.muse
	}
	r.hand(other, false)
}

// hand moves a buffer to ready. Unless this is the last, the beginning of a
// character stays behind for its rest.
func (r *reply) hand(b *buffer, last bool) {
	n := len(b.bytes)
	if n == 0 {
		return
	}
	if !last {
		n -= unfinished(b.bytes)
	}
	if n > 0 {
		r.ready = append(r.ready, provider.Chunk{Type: b.kind, Text: valid(string(b.bytes[:n]))})
	}
	b.bytes = append(b.bytes[:0], b.bytes[n:]...)
}

// flush returns what there is to show: text and reasoning in order, and how far
// calls have come. The slice is valid until the next apply.
func (r *reply) flush() []provider.Chunk {
	r.hand(&r.muse, false)
	r.hand(&r.answer, false)
	for i, c := range r.calls.calls {
		if c.dirty && (c.name != "" || len(c.args) > 0) {
			c.dirty = false
			r.ready = append(r.ready, provider.Chunk{
				Type:     provider.ChunkProgress,
				Progress: &provider.CallProgress{Index: i, Name: c.name, Bytes: len(c.args)},
			})
		}
	}
	out := r.ready
	r.ready = r.ready[:0]
	return out
}

// errCut says that the stream ended before its end.
var errCut = errors.New("the stream ended before its end")

// end returns the last chunks of a reply that came to an end: text held back,
// reasoning for the replay, calls, Done. marked says that the endpoint wrote
// [DONE]. A reply that is not whole gives a *fault instead, and no calls.
func (r *reply) end(marked bool) ([]provider.Chunk, *fault) {
	if r.fault != nil {
		return nil, r.fault
	}
	finish, f := r.outcome(marked)
	if f != nil {
		return nil, f
	}
	r.close(finish)
	calls := r.calls.finished(r.salt)
	if finish != provider.FinishStop {
		calls = nil // some of it is missing, and nobody knows what
	}
	if finish == provider.FinishStop && !r.answered && len(calls) == 0 && r.musing.empty() {
		return nil, &fault{kind: provider.KindEmptyReply, text: "the reply is empty: no text and no calls", retryable: true}
	}
	out := r.ready
	if kept := r.musing.kept(); kept != nil {
		out = append(out, provider.Chunk{Type: provider.ChunkReasoning, Reasoning: kept})
	}
	for i := range calls {
		out = append(out, provider.Chunk{Type: provider.ChunkCall, Call: &calls[i]})
	}
	return append(out, provider.Chunk{Type: provider.ChunkDone, Finish: finish, Usage: r.usage}), nil
}

// close hands out everything that was held back. An answer that went missing
// inside a tag that was never closed is given as the answer it is.
func (r *reply) close(finish provider.Finish) {
	held, open := r.think.rest()
	if open {
		r.reason(fromThinking, held)
	} else {
		r.tell(bytes.TrimRight(held, " \t\r\n"))
	}
	r.hand(&r.muse, true)
	if open && finish == provider.FinishStop && len(r.calls.calls) == 0 && !r.answered {
		r.tell(bytes.TrimLeft(r.musing.sources[fromThinking].text, "\r\n"))
		r.musing.sources[fromThinking].text = nil
	}
	r.hand(&r.answer, true)
}

// outcome reads the finish_reason. Without one, [DONE] counts as stop when what
// came is whole.
func (r *reply) outcome(marked bool) (provider.Finish, *fault) {
	switch r.finish {
	case "":
		if !marked || !r.calls.whole() || !r.answered && len(r.calls.calls) == 0 && !r.musing.empty() {
			return "", &fault{kind: provider.KindCut, text: errCut.Error(), retryable: true, err: errCut}
		}
	case "length", "max_tokens", "max_output_tokens", "model_length", "MAX_TOKENS":
		return provider.FinishLength, nil
	case "content_filter", "refusal", "safety", "sensitive", "SAFETY", "PROHIBITED_CONTENT", "RECITATION", "BLOCKLIST":
		return provider.FinishRefusal, nil
	case "error", "network_error", "insufficient_system_resource", "abort":
		return "", &fault{
			kind:      provider.KindServerError,
			text:      fmt.Sprintf("the endpoint gave up: finish_reason %q", r.finish),
			retryable: true,
		}
	}
	if r.refused {
		return provider.FinishRefusal, nil
	}
	return provider.FinishStop, nil
}
