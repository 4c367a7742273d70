package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/session/sealed"
)

// piece is one thing that was said.
type piece struct {
	seq  event.Seq
	turn int
	time time.Time
	role message.Role
	tool string
	text string
}

// errOther is a line that says nothing a search looks for.
var errOther = errors.New("not a part of the conversation")

// The kinds of records that matter: three hold text, two say what a session is
// called.
const (
	kindUser       = "user.said"
	kindReply      = "model.replied"
	kindResult     = "tool.finished"
	kindConfigured = "session.configured"
)

// decode reads a journal's record. errOther means that it holds no text.
func decode(line []byte) (event.Envelope, error) {
	object, ok := sealed.Open(line)
	if !ok {
		return event.Envelope{}, errors.New("damaged")
	}
	return event.Decode(object)
}

// pieceOf takes the text out of a journal's record.
func pieceOf(e event.Envelope) (piece, error) {
	p := piece{seq: e.Seq, turn: e.Turn, time: e.Time}
	switch d := e.Payload.(type) {
	case event.UserSaid:
		p.role, p.text = message.User, d.Display
		if p.text == "" {
			p.text = d.Message.Content
		}
	case event.Replied:
		p.fill(d.Message)
		p.role = message.Assistant
	case event.ToolFinished:
		p.fill(d.Message)
		p.role = message.ToolRole
		if d.Title != "" {
			p.text = d.Title + "\n" + p.text
		}
	default:
		return p, errOther
	}
	return p, nil
}

// fill takes the text out of a message.
func (p *piece) fill(m message.Message) {
	p.role, p.tool, p.text = m.Role, m.Name, m.Content
	var calls strings.Builder
	for _, c := range m.ToolCalls {
		if !repeats(c.Name) {
			calls.WriteString("\n" + c.Name + " " + values(c.Arguments))
		}
	}
	p.text += calls.String()
}

// repeats reports whether a tool only tells what is written elsewhere.
func repeats(name string) bool { return name == "history" || name == "memory" }

// searchable reports whether the piece is one to find.
func (p piece) searchable() bool {
	return !(p.role == message.ToolRole && repeats(p.tool)) && p.role != message.System && p.text != ""
}

// values are a call's arguments without JSON around them.
func values(arguments string) string {
	var v any
	if err := json.Unmarshal([]byte(arguments), &v); err != nil {
		return arguments
	}
	var b strings.Builder
	writeValues(&b, v)
	return strings.TrimSpace(b.String())
}

func writeValues(b *strings.Builder, v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			writeValues(b, v[key])
		}
	case []any:
		for _, item := range v {
			writeValues(b, item)
		}
	case string:
		b.WriteString(v + " ")
	case float64:
		fmt.Fprintf(b, "%v ", v)
	}
}

// How much of a text is taken in.
const (
	headText = 48 << 10
	tailText = 16 << 10
)

// ends shortens a text to its beginning and end.
func ends(text string) string {
	if len(text) <= headText+tailText {
		return text
	}
	return upTo(text, headText) + "\n" + lastOf(text, tailText)
}

// upTo is at most the first n bytes of whole characters.
func upTo(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// lastOf is at most the last n bytes of whole characters.
func lastOf(text string, n int) string {
	at := max(0, len(text)-n)
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return text[at:]
}

// archived reads a line of an archive, which is a message. Its number stands for the
// sequence number.
func archived(line []byte, number int) (piece, error) {
	var m struct {
		message.Message
		Time time.Time `json:"time"`
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return piece{}, fmt.Errorf("damaged: %w", err)
	}
	if m.Role == "" {
		return piece{}, errOther
	}
	p := piece{seq: event.Seq(number), time: m.Time}
	p.fill(m.Message)
	return p, nil
}
