package providertest

import (
	"encoding/json"
	"fmt"
)

// ledger remembers which reasoning went out with which call, to see that it
// comes back. With no field nothing is asked back.
type ledger struct {
	field string
	sent  map[string][]string // reasoning sent with each call id; "" for none
}

// note enters a reply that is about to be sent.
func (l *ledger) note(r Reply) {
	if r.said == nil {
		return
	}
	if l.sent == nil {
		l.sent = map[string][]string{}
	}
	for _, c := range r.said.calls {
		l.sent[c.ID] = append(l.sent[c.ID], r.said.reasoning)
	}
}

// check says which assistant message lacks the reasoning it was sent with.
func (l *ledger) check(r *Received) string {
	if l.field == "" {
		return ""
	}
	for i, m := range r.Messages {
		if len(m.ToolCalls) == 0 {
			continue
		}
		if problem := l.checkMessage(m); problem != "" {
			return fmt.Sprintf("messages[%d]: %s", i, problem)
		}
	}
	return ""
}

func (l *ledger) checkMessage(m Message) string {
	sent, known := l.sent[m.ToolCalls[0].ID]
	got := reasoningText(m.Reasoning[l.field])
	if !known {
		if got == "" {
			return fmt.Sprintf("missing field '%s' in an assistant message with tool calls", l.field)
		}
		return ""
	}
	for _, text := range sent {
		if text == got {
			return ""
		}
	}
	return fmt.Sprintf("field '%s' is not what was sent with call '%s': got %q", l.field, m.ToolCalls[0].ID, got)
}

// reasoningText reads a string, or the texts of reasoning_details.
func reasoningText(raw json.RawMessage) string {
	var text string
	loosely(raw, &text)
	var details []struct{ Text string }
	loosely(raw, &details)
	for _, d := range details {
		text += d.Text
	}
	return text
}
