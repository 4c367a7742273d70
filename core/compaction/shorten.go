package compaction

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"reasonix/core/message"
)

// How many bytes of a result are left. A result that is hardly longer is left as
// it is.
const (
	snipHead = 1000
	snipTail = 500
	errHead  = 400
	errTail  = 200
	slack    = 200 // what must be left out, at least, to be worth a marker
)

// Snip plans to shorten stale tool results: those before the recent tail, errors
// excepted, that were not shortened before.
func Snip(in Input, s Settings) Plan {
	s = s.withDefaults()
	p := Plan{Stage: StageSnip}
	if s.Window <= 0 {
		return p
	}
	start, end := in.body(s)
	for i := start; i < end; i++ {
		m := &in.History[i]
		if m.Role != message.ToolRole || is(m, snipped) || is(m, pruned) || is(m, squeezed) || !long(m, snipHead+snipTail) || in.failed(m) {
			continue
		}
		p.replace(in, m, shortened(m, snipped, snipHead, snipTail))
	}
	return p.worthwhile(in, s)
}

// Prune plans to replace stale tool results, also snipped ones, by placeholders.
// Errors stay.
func Prune(in Input, s Settings) Plan {
	s = s.withDefaults()
	p := Plan{Stage: StagePrune}
	if s.Window <= 0 {
		return p
	}
	start, end := in.body(s)
	for i := start; i < end; i++ {
		if m := &in.History[i]; prunable(m) && !in.failed(m) {
			p.replace(in, m, placeholder(m))
		}
	}
	return p.worthwhile(in, s)
}

// Squeeze plans what is left when pruning was not enough: stale errors keep their
// beginning and end, and the results of the recent tail share what the tail may
// hold. It is not held to MinGain.
func Squeeze(in Input, s Settings) Plan {
	s = s.withDefaults()
	in.Force = true
	p := Plan{Stage: StagePrune}
	if s.Window <= 0 {
		return p
	}
	start, end := in.body(s)
	room := in.roomInTail(s, end)
	for i := start; i < len(in.History); i++ {
		m := &in.History[i]
		switch {
		case m.Role != message.ToolRole || is(m, pruned):
		case i < end && prunable(m) && !in.failed(m):
			p.replace(in, m, placeholder(m))
		case is(m, squeezed):
		case i < end && long(m, errHead+errTail):
			p.replace(in, m, shortened(m, squeezed, errHead, errTail))
		case i >= end && long(m, room):
			p.replace(in, m, shortened(m, squeezed, room*2/3, room/3))
		}
	}
	return p.worthwhile(in, s)
}

// roomInTail is the bytes each result of the tail may keep: four bytes are taken
// for a token.
func (in *Input) roomInTail(s Settings, end int) int {
	results := 0
	for i := end; i < len(in.History); i++ {
		if in.History[i].Role == message.ToolRole {
			results++
		}
	}
	return max(errHead+errTail, 4*s.share(s.TailShare)/max(1, results)/2)
}

// replace adds one message for another, unless nothing is gained.
func (p *Plan) replace(in Input, m *message.Message, by message.Message) {
	gain := in.Estimate(m) - in.Estimate(&by)
	if gain <= 0 {
		return
	}
	p.Frees += gain
	p.Edits = append(p.Edits, Edit{First: m.ID, Last: m.ID, With: []message.Message{by}})
}

func long(m *message.Message, kept int) bool { return len(m.Content) > kept+slack }

func prunable(m *message.Message) bool {
	return m.Role == message.ToolRole && !is(m, pruned) && (long(m, 0) || len(m.Attachments) > 0)
}

// shortened is m with its middle left out.
func shortened(m *message.Message, state string, head, tail int) message.Message {
	short := *m
	short.ID = becomes(m, state)
	short.Content = clip(m.Content, head, tail)
	return short
}

// placeholder stands for a result that is gone.
func placeholder(m *message.Message) message.Message {
	short := *m
	short.ID = becomes(m, pruned)
	short.Attachments = nil
	short.Content = fmt.Sprintf("[result removed to save context: %d bytes, archived. Call %s again if you need it.]", len(m.Content), m.Name)
	if m.Name == "" {
		short.Content = fmt.Sprintf("[result removed to save context: %d bytes, archived]", len(m.Content))
	}
	return short
}

// clip is the beginning and the end of text, at line ends where there are any
// near, with a mark that says how much is left out. Text that is no longer is
// returned as it is.
func clip(text string, head, tail int) string {
	if len(text) <= head+tail+slack {
		return text
	}
	head, tail = lineEnd(text, head), len(text)-lineStart(text, len(text)-tail)
	return fmt.Sprintf("%s\n[... %d bytes left out, archived ...]\n%s", strings.TrimRight(text[:head], "\n"), len(text)-head-tail, text[len(text)-tail:])
}

// lineEnd is the end of the last whole line in the first n bytes, or of the last
// whole character when that line is long.
func lineEnd(text string, n int) int {
	if at := strings.LastIndexByte(text[:n], '\n'); at >= n/2 {
		return at
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

// lineStart is the same for what begins at n.
func lineStart(text string, n int) int {
	rest := len(text) - n
	if at := strings.IndexByte(text[n:], '\n'); at >= 0 && at < rest/2 {
		return n + at + 1
	}
	for n < len(text) && !utf8.RuneStart(text[n]) {
		n++
	}
	return n
}
