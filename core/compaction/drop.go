package compaction

import (
	"fmt"
	"strings"

	"reasonix/core/message"
)

// Drop plans the last resort: the work before the recent tail goes without a
// summary, after it the oldest digests, and at the very last the oldest words of the
// user, as many as it takes to reach Input.Goal: a conversation that is full of what
// the user said alone could not go on otherwise. A note says what is gone and where it
// is. It is not held to MinGain.
func Drop(in Input, s Settings) Plan {
	s = s.withDefaults()
	in.Force = true
	if s.Window <= 0 {
		return Plan{Stage: StageSummary}
	}
	if in.Goal == 0 {
		in.Goal = s.share(s.Prune)
	}
	start, end := in.body(s)
	d := dropping{in: in, s: s, renew: true}
	d.run(start, end)
	d = dropping{in: in, s: s, digests: in.excess(digest, in.Tokens-d.frees-in.Goal, start, end), renew: d.messages > 0}
	d.renew = d.renew || d.digests > 0
	d.run(start, end)
	if left := in.Tokens - d.frees; left > s.share(s.Force) { // it does not fit without
		words := in.excess(turn, left-in.Goal, start, end)
		d = dropping{in: in, s: s, digests: d.digests, words: words, renew: d.renew || words > 0}
		d.run(start, end)
	}
	d.leaveNote()
	return Plan{Stage: StageSummary, Edits: d.edits, Frees: d.frees}.worthwhile(in, s)
}

// excess is how many of the oldest messages of a kind make up so many tokens.
func (in *Input) excess(of kind, tokens, start, end int) int {
	n := 0
	for i := start; i < end && tokens > 0; i++ {
		if m := &in.History[i]; kindOf(m) == of && !is(m, dropped) {
			tokens -= in.Estimate(m)
			n++
		}
	}
	return n
}

// dropping is a plan in the making.
type dropping struct {
	in      Input
	s       Settings
	digests int  // how many of the oldest go
	words   int  // how many of the user's oldest messages go
	renew   bool // earlier notes of dropping go as well: there will be a new one

	edits    []Edit
	frees    int
	messages int  // dropped, without the notes
	tokens   int  // of them
	folded   int  // digests among them
	said     int  // messages of the user among them
	before   bool // and some went before
	last     int  // index of the message that went last
}

func (d *dropping) run(start, end int) {
	for i := start; i < end; i++ {
		d.take(&d.in.History[i], i)
	}
}

func (d *dropping) take(m *message.Message, i int) {
	tokens := d.in.Estimate(m)
	switch k := kindOf(m); {
	case is(m, dropped):
		if d.renew {
			d.before = d.before || strings.Contains(m.Content, oldestWords)
			d.remove(m, i, tokens)
		}
	case k == digest && d.folded < d.digests:
		d.folded++
		d.count(m, i, tokens)
	case k == turn && d.said < d.words:
		d.said++
		d.count(m, i, tokens)
	case k == system, k == digest, is(m, stubbed), k == turn && tokens <= d.s.PinTokens:
	case k == turn:
		stub := stubOf(m, tokens, "archived")
		d.edits = append(d.edits, Edit{First: m.ID, Last: m.ID, With: []message.Message{stub}})
		d.frees += tokens - d.in.Estimate(&stub)
	default:
		d.count(m, i, tokens)
	}
}

func (d *dropping) count(m *message.Message, i, tokens int) {
	d.messages++
	d.tokens += tokens
	d.remove(m, i, tokens)
}

func (d *dropping) remove(m *message.Message, i, tokens int) {
	d.frees += tokens
	if n := len(d.edits); n > 0 && d.last == i-1 && d.edits[n-1].With == nil {
		d.edits[n-1].Last = m.ID
	} else {
		d.edits = append(d.edits, Edit{First: m.ID, Last: m.ID})
	}
	d.last = i
}

// leaveNote says what is gone where the last of it was.
func (d *dropping) leaveNote() {
	for i := len(d.edits) - 1; i >= 0 && d.messages > 0; i-- {
		if e := &d.edits[i]; e.With == nil {
			note := d.note(e.Last)
			e.With = []message.Message{note}
			d.frees -= d.in.Estimate(&note)
			return
		}
	}
}

// oldestWords is how a note names what the user said and is gone.
const oldestWords = "the user's oldest messages"

func (d *dropping) note(last message.ID) message.Message {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d messages of earlier work (about %d tokens", HostMark, d.messages, d.tokens)
	if d.folded > 0 {
		fmt.Fprintf(&b, ", %d digests among them", d.folded)
	}
	b.WriteString(") were removed because the conversation did not fit the model's window. No summary could be made.")
	if d.in.Archive != "" {
		fmt.Fprintf(&b, " The originals are in the archive %s.", d.in.Archive)
	}
	if d.said > 0 || d.before {
		fmt.Fprintf(&b, " With them went %s; what the user said since is complete.", oldestWords)
	} else {
		b.WriteString(" What the user said is complete.")
	}
	b.WriteString(" Read files again before you rely on what was in them.")
	return message.Message{ID: last + dropped, Role: message.User, Content: b.String()}
}
