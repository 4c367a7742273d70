package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/session"
)

// rewinding is what a history knows of the ways it did not go on, and of files.
type rewinding struct {
	at    event.Seq                // of the record that is applied
	left  map[message.ID]event.Seq // when a message ceased to be the last one
	turns map[message.ID]place     // what came before a message of the user
	was   message.ID               // the last message before the newest Rewound
	// ways are the conversations that were left, the newest last.
	ways    [][]message.Message
	changes []change // of files, in order
	gaps    []gap    // in changes
	parents []change // those from before a fork
	// intent is a rewind of files that has no Rewound yet and behind which nothing was
	// said.
	intent *event.Rewinding
	// givenUp is the Rewound of one that was given up; 0 once something was said.
	givenUp event.Seq
	// writes are the calls that run and may change files, by the record they began with.
	writes map[string]event.Seq
	// past reads the conversation as it was when head was its end.
	past func(head message.ID, until event.Seq) ([]message.Message, bool)
}

// place is an end of the conversation and the record that came behind it.
type place struct {
	head  message.ID
	since event.Seq
}

type change struct {
	seq event.Seq
	event.File
	more int // further ones of the call that are not recorded
}

// gap is a call that changed more than is recorded.
type gap struct {
	seq  event.Seq // of its last record
	call string
	more int  // 0: the process ended before the call did, and nobody knows
	late bool // another call began since, whose log took the place of this one's
}

// head is the last message, empty when there is none.
func (h *history) head() message.ID {
	if len(h.messages) == 0 {
		return ""
	}
	return h.messages[len(h.messages)-1].ID
}

// leave notes that the message id comes behind what is the end of the conversation.
func (h *history) leave(id message.ID) {
	if h.left == nil {
		h.left, h.turns = map[message.ID]event.Seq{}, map[message.ID]place{}
	}
	h.givenUp = 0
	h.left[h.head()] = h.at
	h.turns[id] = place{h.head(), h.at}
}

func (h *history) changed(files []event.File, more int) {
	for _, f := range files {
		h.changes = append(h.changes, change{h.at, f, more})
	}
}

func (h *history) mayWrite(p event.ToolStarted) {
	if p.Kind == "read" || p.Kind == "search" {
		return
	}
	if h.writes == nil {
		h.writes = map[string]event.Seq{}
	}
	h.writes[p.Call] = h.at
	for i := range h.gaps {
		h.gaps[i].late = true
	}
}

// recoverable are the calls that were cut off together of which a log may tell.
func (h *history) recoverable() (cut []gap) {
	for _, g := range h.gaps {
		if g.more == 0 && !g.late {
			cut = append(cut, g)
		}
	}
	return cut
}

// cutOff notes the calls that the writer before did not live to record.
func (h *history) cutOff() {
	for _, c := range h.unanswered() {
		if at, ok := h.writes[c.ID]; ok {
			h.gaps = append(h.gaps, gap{seq: at, call: c.ID})
		}
	}
	h.writes = nil
}

func (h *history) filesChanged(p event.FilesChanged) {
	h.changed(p.Files, p.More)
	if p.More == 0 && len(p.Files) < maxFiles { // the last of its records
		delete(h.writes, p.Call)
		h.gaps = slices.DeleteFunc(h.gaps, func(g gap) bool { return g.call == p.Call && g.more == 0 })
	}
	switch n := len(h.gaps); {
	case p.More == 0:
	case n > 0 && h.gaps[n-1].call == p.Call:
		h.gaps[n-1].seq = h.at
	default:
		h.gaps = append(h.gaps, gap{seq: h.at, call: p.Call, more: p.More})
	}
}

// target finds the place that To of a Rewind means.
func (h *history) target(to message.ID) (place, bool) {
	if p, ok := h.turns[to]; ok && to != h.was {
		return p, true
	}
	since, ok := h.left[to]
	if !ok {
		since = h.at + 1
	}
	return place{to, since}, ok || to == h.head()
}

// undo is what has to be put back for the files to be as they were at since, and what
// cannot be. Of a call that is not recorded as a whole nothing is removed: what was made
// may be all that is left of what is not recorded.
func (h *history) undo(since event.Seq) (files []event.File, kept []event.Kept) {
	files, kept = net(h.changes, since)
	partial := map[string]int{}
	for _, c := range h.changes {
		if c.seq >= since && c.more > 0 {
			partial[c.Path] = c.more
		}
	}
	files = slices.DeleteFunc(files, func(f event.File) bool {
		more, ok := partial[f.Path]
		if !ok || f.ModeWas != "" || f.Mode == "" {
			return false
		}
		kept = append(kept, event.Kept{Path: f.Path, Reason: fmt.Sprintf(incomplete, more)})
		return true
	})
	for _, g := range h.gaps {
		switch {
		case g.seq < since:
		case g.more == 0:
			kept = append(kept, event.Kept{Reason: cutShort})
		default:
			kept = append(kept, event.Kept{Reason: fmt.Sprintf(missing, g.more)})
		}
	}
	before, _ := net(h.parents, since)
	for _, f := range before {
		if f.Before != f.After || f.ModeWas != f.Mode {
			kept = append(kept, event.Kept{Path: f.Path, Reason: forked})
		}
	}
	return files, kept
}

// net is for every path what it was at since, as Before. Where somebody else changed a
// path between two changes of ours, it goes back to what they made of it, and they are
// told.
func net(changes []change, since event.Seq) (files []event.File, kept []event.Kept) {
	last := map[string]int{} // index in files
	for _, c := range slices.Backward(changes) {
		if c.seq < since {
			break
		}
		i, ok := last[c.Path]
		if !ok {
			last[c.Path] = len(files)
			files = append(files, c.File)
			continue
		}
		f := &files[i]
		switch {
		case f.Lost == outside:
		case c.After != f.Before || c.Mode != f.ModeWas:
			kept = append(kept, event.Kept{Path: c.Path, Reason: outside})
			f.Lost = outside
		default:
			f.Before, f.ModeWas, f.Lost = c.Before, c.ModeWas, c.Lost
			f.Seen = f.Seen || c.Seen
		}
	}
	for i := range files {
		if files[i].Lost == outside {
			files[i].Lost = ""
		}
	}
	return files, kept
}

// outside is why a path does not go back all the way.
const outside = "somebody else changed it between two calls; it goes back to what they made of it"

// Why paths do not go back at all; the first two are of no path.
const (
	cutShort   = "the program ended while a call ran; what the call changed is not recorded and not put back"
	missing    = "%d more that a call changed are not recorded and not put back"
	incomplete = "it was made by a call of whose changes %d are not recorded and not put back"
	forked     = "it was changed before this session was forked; only the parent can put that back"
)

func (h *history) rewound(p event.Rewound) {
	h.closeReply()
	if h.left == nil {
		h.left, h.turns = map[message.ID]event.Seq{}, map[message.ID]place{}
	}
	until, known := h.left[p.Head]
	h.leftBy(p)
	h.was, h.intent = p.Was, nil
	for _, f := range p.Files {
		f.Seen = false // the rewind did it
		h.changed([]event.File{f}, 0)
	}
	if p.Head == h.head() {
		return
	}
	h.depart()
	ms, ok := upTo(h.messages, p.Head)
	for i := len(h.ways) - 1; i >= 0 && !ok; i-- {
		ms, ok = upTo(h.ways[i], p.Head)
	}
	if !ok && known && h.past != nil {
		ms, ok = h.past(p.Head, until)
	}
	if !ok {
		return // the journal lost it
	}
	h.ways = append(h.ways, h.messages)
	h.messages = ms
	h.read, h.usage = min(h.read, len(ms)), message.Usage{}
	h.broken = &event.Break{Part: "messages", Cause: "the conversation was rewound"}
}

// upTo is the beginning of a conversation with head as its end.
func upTo(ms []message.Message, head message.ID) ([]message.Message, bool) {
	if head == "" {
		return nil, true
	}
	for i := range ms {
		if ms[i].ID == head {
			return ms[: i+1 : i+1], true
		}
	}
	return nil, false
}

// past folds the journal as far as head was the end of the conversation: what a
// compaction replaced since is not in memory.
func (j *journal) past(head message.ID, until event.Seq) ([]message.Message, bool) {
	h := history{rewinding: rewinding{past: j.past}}
	for env, err := range j.store.Read(context.Background(), j.id, 0) {
		if _, damaged := errors.AsType[*session.DamageError](err); damaged {
			continue
		}
		if err != nil {
			return nil, false
		}
		if env.Seq >= until {
			break
		}
		h.apply(env)
	}
	h.closeReply()
	return upTo(h.messages, head)
}

// endsIntent reports whether a session that goes on with p goes on without the rewind
// that is unfinished: the conversation stays where it is. A fork leaves it to its parent.
func endsIntent(p event.Payload) bool {
	switch p := p.(type) {
	case event.PromptQueued, event.TurnStarted, event.UserSaid, event.Folded:
		return true
	case event.Opened:
		return p.Reason == event.OpenedForked
	default:
		return false
	}
}

// leftBy notes that p left a conversation. One rewind after another that was given up is
// the second try: who undoes it undoes both.
func (h *history) leftBy(p event.Rewound) {
	since, gaveUp := h.at, h.intent != nil && h.intent.Head != p.Head && p.Head == p.Was
	if h.givenUp != 0 {
		since = h.givenUp
	}
	if h.givenUp = 0; gaveUp {
		h.givenUp = since
	}
	h.left[p.Was] = since
}
