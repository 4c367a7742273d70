package compaction

import "reasonix/core/message"

// Replay is Apply for a conversation that was read back and may lack messages,
// e.g. because a record of the journal was damaged. Edits that find their place
// are made as Apply makes them. Of a range whose beginning is gone, the work that
// is left before its end goes; of one whose end is gone nothing does, because
// where it ended is not known. A digest is put in its place in any case, and a
// result that would answer nothing is left out. missed is how many edits did not
// find their place.
func Replay(history []message.Message, edits []Edit) (out []message.Message, missed int) {
	at := 0
	for _, e := range edits {
		first, last, err := find(history, at, e)
		with := e.With
		if err != nil {
			missed++
			first, last = remains(history, at, e)
			with = spoken(e.With)
		}
		out = append(out, history[at:first]...)
		out = append(out, with...)
		at = last + 1
	}
	return append(out, history[at:]...), missed
}

// remains is the range that is left of an edit; empty, with last before first,
// when nothing of it may go.
func remains(history []message.Message, at int, e Edit) (first, last int) {
	for last = at; last < len(history) && history[last].ID != e.Last; last++ {
	}
	if last == len(history) || e.First == e.Last {
		return whole(history, at), whole(history, at) - 1
	}
	for first = last; first > at && folds(&history[first-1]); first-- {
	}
	return first, last
}

// whole is the next place from at on that parts no result from its call.
func whole(history []message.Message, at int) int {
	for at < len(history) && history[at].Role == message.ToolRole {
		at++
	}
	return at
}

func folds(m *message.Message) bool {
	k := kindOf(m)
	return k == work || k == note
}

// spoken is ms without tool results.
func spoken(ms []message.Message) []message.Message {
	var said []message.Message
	for i := range ms {
		if ms[i].Role != message.ToolRole {
			said = append(said, ms[i])
		}
	}
	return said
}
