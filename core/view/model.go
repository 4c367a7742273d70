package view

import (
	"slices"

	"reasonix/core/event"
	"reasonix/core/message"
)

// Live is the reply in flight, as far as it is known. It is empty when none is.
type Live struct {
	Message   message.ID
	Text      Stream
	Reasoning Stream
	Calls     []event.CallDelta // being written, by index
}

// Stream is text that arrives in pieces. Offset is the byte offset of Text in the
// whole: above 0 when the beginning was missed.
type Stream struct {
	Offset int
	Text   string
}

// add joins a piece at its offset. A piece that is known already changes nothing, one
// that overlaps adds what is new, and one behind a gap starts afresh.
func (s Stream) add(offset int, text string) Stream {
	end := s.Offset + len(s.Text)
	switch {
	case s.Text == "" || offset > end:
		return Stream{offset, text}
	case offset < s.Offset && offset+len(text) >= s.Offset:
		known := min(offset+len(text)-s.Offset, len(s.Text))
		return Stream{offset, text + s.Text[known:]}
	case offset < s.Offset || offset+len(text) <= end:
		return s
	default:
		return Stream{s.Offset, s.Text + text[end-offset:]}
	}
}

// last keeps at most n bytes from the end, on a character's boundary.
func (s Stream) last(n int) Stream {
	cut := len(s.Text) - n
	if cut <= 0 {
		return s
	}
	for cut < len(s.Text) && s.Text[cut]&0xC0 == 0x80 {
		cut++
	}
	return Stream{s.Offset + cut, s.Text[cut:]}
}

// begin makes id the reply in flight; false when that reply is whole already.
func (s State) begin(id message.ID) (State, bool) {
	if s.Live.Message == id && id != "" {
		return s, true
	}
	whole := slices.ContainsFunc(s.Messages, func(m *Message) bool { return m.ID == id && id != "" })
	if whole {
		return s, false
	}
	s.Live, s.Retry = Live{Message: id}, nil
	return s, true
}

func (s State) textDelta(p event.TextDelta) State {
	s, ok := s.begin(p.Message)
	if ok {
		s.Live.Text = s.Live.Text.add(p.Offset, p.Text)
	}
	return s
}

func (s State) reasoningDelta(p event.ReasoningDelta) State {
	s, ok := s.begin(p.Message)
	if ok {
		s.Live.Reasoning = s.Live.Reasoning.add(p.Offset, p.Text)
	}
	return s
}

func (s State) callDelta(p event.CallDelta) State {
	s, ok := s.begin(p.Message)
	if !ok {
		return s
	}
	calls := slices.Clone(s.Live.Calls)
	i, known := slices.BinarySearchFunc(calls, p.Index, func(c event.CallDelta, index int) int { return c.Index - index })
	if known {
		calls[i] = p
	} else {
		calls = slices.Insert(calls, i, p)
	}
	s.Live.Calls = calls
	return s
}
