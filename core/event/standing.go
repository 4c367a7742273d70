package event

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"reasonix/core/message"
)

// Standing is where a session stands: what a status of it shows, for a reader that
// skipped the replay. It is what the durable events up to CaughtUp.Last come to.
type Standing struct {
	First   string         `json:"first,omitzero"` // what the first prompt said, on one line of 200 characters at most
	Turn    int            `json:"turn,omitzero"`
	Running PromptID       `json:"running,omitzero"` // prompt of the running turn; empty when none runs
	Ended   *TurnEnded     `json:"ended,omitzero"`   // the newest; its texts as in Words
	Queue   []PromptQueued `json:"queue,omitzero"`   // accepted and not read by the model yet
	Pending []Question     `json:"pending,omitzero"`
	Todos   []Todo         `json:"todos,omitzero"`
	Jobs    []JobStarted   `json:"jobs,omitzero"`  // in the background, still running
	Usage   message.Usage  `json:"usage,omitzero"` // of all replies, summaries and children
	Cost    []Money        `json:"cost,omitzero"`  // of the same, one per currency
	Words   Words          `json:"words,omitzero"` // of the newest reply with a text
	At      time.Time      `json:"at,omitzero"`    // of the newest durable event
	Closed  bool           `json:"closed,omitzero"`
	Context ContextUsed    `json:"context,omitzero"` // Window 0: no request was made since the session was opened
}

// Words are the text of a message, without its middle when it has more than 4000
// characters.
type Words struct {
	Message message.ID `json:"message,omitzero"`
	Text    string     `json:"text,omitzero"`
}

// How much a Standing holds of a text, in characters.
const (
	MaxWords = 4000
	maxLine  = 200
)

// between stands where Brief left the middle of a text out.
const between = "\n[...]\n"

// Brief is text, or its head and its tail when it has more than MaxWords characters. It
// is in proportion to MaxWords, and brief texts stay as they are.
func Brief(text string) string {
	const half = (MaxWords - len(between)) / 2
	if len(text) <= MaxWords || utf8.RuneCountInString(text) <= MaxWords {
		return text
	}
	return text[:head(text, half)] + between + text[tail(text, half):]
}

// head is how many bytes the first n characters have.
func head(text string, n int) (at int) {
	for range n {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// tail is where the last n characters begin.
func tail(text string, n int) (at int) {
	at = len(text)
	for range n {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return at
}

// OneLine is text without breaks, cut off behind 200 characters.
func OneLine(text string) string {
	const enough = 16 * maxLine // bytes, unless most of it is space
	cut := len(text) > enough
	if cut {
		text = strings.ToValidUTF8(text[:enough], "")
	}
	line := []rune(strings.Join(strings.Fields(text), " "))
	switch {
	case len(line) > maxLine:
		return string(line[:maxLine-1]) + "…"
	case cut:
		return string(line) + "…"
	}
	return string(line)
}

// Line is what stands for a prompt in one line: what was typed, or else what standard
// input brought.
func (p PromptQueued) Line() string { return OneLine(cmp.Or(p.Display, p.Data)) }

// Spend returns costs with m added to the amount in its currency. A sum with an estimate
// in it is one. costs stay as they are.
func Spend(costs []Money, m Money) []Money {
	i := slices.IndexFunc(costs, func(c Money) bool { return c.Currency == m.Currency })
	if i < 0 {
		return append(costs[:len(costs):len(costs)], m)
	}
	costs = slices.Clone(costs)
	costs[i].Amount += m.Amount
	costs[i].Estimated = costs[i].Estimated || m.Estimated
	return costs
}

// Briefly is p with its texts as Brief.
func (p TurnEnded) Briefly() TurnEnded {
	p.Detail = Brief(p.Detail)
	if p.Failure != nil {
		failure := *p.Failure
		failure.Text = Brief(failure.Text)
		p.Failure = &failure
	}
	return p
}
