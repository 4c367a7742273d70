package openai

import (
	"bytes"
	"encoding/json"
	"maps"

	"reasonix/core/message"
)

// The wire fields of reasoning, which are also the kinds under which it is kept.
const (
	kindReasoningContent = "reasoning_content"
	kindReasoning        = "reasoning"
	kindDetails          = "reasoning_details"
	kindThink            = "think" // taken out of the content; never sent back
)

// musing collects the reasoning of one reply. Some vendors send the same text
// under two names, in one delta or in two: what one name already said is not
// shown again when another repeats it.
type musing struct {
	shown   []byte
	sources [origins]source
	details []byte // the items of every reasoning_details list, comma-separated
}

// source is one field's part in it.
type source struct {
	text  []byte
	in    int  // bytes of shown that this field has said as well
	apart bool // it has said something else
}

// take adds what a field says and returns the part that is news. The result is
// valid until the next call.
func (m *musing) take(from origin, said []byte) []byte {
	s := &m.sources[from]
	s.text = append(s.text, said...)
	if !s.apart {
		known := min(len(said), len(m.shown)-s.in)
		if bytes.Equal(m.shown[s.in:s.in+known], said[:known]) {
			s.in += len(said)
			said = said[known:]
		} else {
			s.apart = true
		}
	}
	start := len(m.shown)
	m.shown = append(m.shown, said...)
	return m.shown[start:]
}

// addDetails keeps a reasoning_details list.
func (m *musing) addDetails(list []byte) {
	items := bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimPrefix(list, []byte("[")), []byte("]")))
	if len(items) == 0 {
		return
	}
	if len(m.details) > 0 {
		m.details = append(m.details, ',')
	}
	m.details = append(m.details, items...)
}

func (m *musing) empty() bool { return len(m.shown) == 0 && len(m.details) == 0 }

// kept is the reasoning for the replay, or nil. When a vendor sent it under
// several names the richest is kept: details carry signatures, and
// reasoning_content is the name more endpoints take back.
func (m *musing) kept() *message.Reasoning {
	if list := mergeDetails(m.details); list != nil {
		return &message.Reasoning{Text: valid(string(m.shown)), Kind: kindDetails, Opaque: list}
	}
	for _, c := range []struct {
		from origin
		kind string
	}{
		{fromReasoningContent, kindReasoningContent},
		{fromReasoning, kindReasoning},
		{fromThinking, kindThink},
	} {
		if text := m.sources[c.from].text; len(text) > 0 {
			return &message.Reasoning{Text: valid(string(text)), Kind: c.kind}
		}
	}
	return nil
}

// mergeDetails makes one item of the pieces of each: items of one type and index
// that follow each other have their texts joined and their other fields from
// whoever has one. The result has sorted keys.
func mergeDetails(items []byte) json.RawMessage {
	var list []map[string]any
	if len(items) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(append(append([]byte("["), items...), ']')))
	dec.UseNumber()
	if dec.Decode(&list) != nil {
		return nil
	}
	var out []map[string]any
	for _, item := range list {
		if last := len(out) - 1; last >= 0 && sameDetail(out[last], item) {
			join(out[last], item)
			continue
		}
		out = append(out, maps.Clone(item))
	}
	var merged bytes.Buffer
	enc := json.NewEncoder(&merged)
	enc.SetEscapeHTML(false)
	if enc.Encode(out) != nil {
		return nil
	}
	return bytes.TrimSpace(merged.Bytes())
}

// sameDetail reports whether b goes on where a stopped. Without an index nothing
// says so.
func sameDetail(a, b map[string]any) bool {
	at, numbered := a["index"].(json.Number)
	next, alsoNumbered := b["index"].(json.Number)
	kind, _ := a["type"].(string)
	other, _ := b["type"].(string)
	return numbered && alsoNumbered && at == next && kind == other
}

func join(into, item map[string]any) {
	for key, value := range item {
		old, isText := into[key].(string)
		more, alsoText := value.(string)
		switch {
		case value == nil:
		case isText && alsoText && (key == "text" || key == "summary"):
			into[key] = old + more
		default:
			into[key] = value
		}
	}
}
