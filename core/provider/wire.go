package provider

import "reasonix/core/message"

// Wire is a conversation as one Encoder writes it: append-only, so that each
// request's bytes are a prefix of the next one's. It is owned by the agent,
// rebuilt from messages on resume and never stored. Not safe for concurrent use.
type Wire struct {
	enc   Encoder
	buf   []byte
	ends  []int // byte offset behind each batch
	msgs  []int // messages up to and including each batch
	worth []int // hundredths of a token up to and including each batch
}

// NewWire starts an empty conversation as enc writes it.
func NewWire(enc Encoder) *Wire { return &Wire{enc: enc} }

// Append encodes one batch behind what is there. On error nothing is added.
func (w *Wire) Append(batch ...message.Message) error {
	if len(batch) == 0 {
		return nil
	}
	buf, err := w.enc.Encode(w.buf, batch)
	if err != nil {
		return err
	}
	worth := last(w.worth) + worthOfWire(buf[len(w.buf):])
	w.buf = buf
	w.ends = append(w.ends, len(buf))
	w.msgs = append(w.msgs, w.Len()+len(batch))
	w.worth = append(w.worth, worth)
	return nil
}

// Len is the number of messages.
func (w *Wire) Len() int { return last(w.msgs) }

// Tokens is an estimate of what the messages are as a prompt, kept up with every
// Append. A Meter scales it.
func (w *Wire) Tokens() int { return tokens(last(w.worth)) }

// last is the sum behind the last batch.
func last(sums []int) int {
	if len(sums) == 0 {
		return 0
	}
	return sums[len(sums)-1]
}

// Truncate drops whole batches from the end until at most n messages are left.
func (w *Wire) Truncate(n int) {
	for len(w.msgs) > 0 && w.Len() > n {
		w.ends = w.ends[:len(w.ends)-1]
		w.msgs = w.msgs[:len(w.msgs)-1]
		w.worth = w.worth[:len(w.worth)-1]
	}
	w.buf = w.buf[:last(w.ends)]
}

// Bytes is the encoded conversation. It must not be changed, and is valid until
// the next Append or Truncate.
func (w *Wire) Bytes() []byte { return w.buf }
