package providertest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
)

// Received is one chat request as it came over the wire. It does not change once
// a test can see it.
type Received struct {
	Index    int // position among all chat requests, from 0
	Body     []byte
	Header   http.Header
	Path     string
	Model    string
	Stream   bool
	Messages []Message
	Tools    []string                   // names, in order
	Fields   map[string]json.RawMessage // top-level fields, byte for byte

	// Accepted is false for a request answered with a 400 or 401, and Rejection
	// says why when strictness was the reason.
	Accepted  bool
	Rejection string

	problem string // what is wrong with the body as JSON
	done    chan struct{}
}

// Message is one message of a request, loosely decoded: what cannot be read is
// left empty.
type Message struct {
	Role       string
	Content    string // the text; text parts are joined
	Images     []string
	ToolCalls  []Call
	ToolCallID string
	Reasoning  map[string]json.RawMessage // by wire field, byte for byte
	Raw        json.RawMessage

	problem string // what is wrong with the message by itself
}

// reasoningFields are the names under which vendors want reasoning back.
const reasoningFields = "reasoning_content reasoning reasoning_details"

// Done is closed when the server is through with the request: the reply was sent
// whole, or the client left.
func (r *Received) Done() <-chan struct{} { return r.done }

// Last is the last message, or the zero Message.
func (r *Received) Last() Message {
	if len(r.Messages) == 0 {
		return Message{}
	}
	return r.Messages[len(r.Messages)-1]
}

// Results returns the text of the tool messages behind the last assistant
// message, in order.
func (r *Received) Results() []string {
	var out []string
	for _, m := range r.Messages {
		switch m.Role {
		case "assistant":
			out = nil
		case "tool":
			out = append(out, m.Content)
		}
	}
	return out
}

// received decodes body as far as it can be.
func received(r *http.Request, body []byte, known *memory) *Received {
	rec := &Received{Body: body, Header: r.Header.Clone(), Path: r.URL.Path, done: make(chan struct{})}
	rec.Fields, rec.problem = fields(body)
	loosely(rec.Fields["model"], &rec.Model)
	loosely(rec.Fields["stream"], &rec.Stream)
	var raw []json.RawMessage
	loosely(rec.Fields["messages"], &raw)
	for _, m := range raw {
		rec.Messages = append(rec.Messages, known.message(m))
	}
	var tools []struct {
		Function struct{ Name string }
	}
	loosely(rec.Fields["tools"], &tools)
	for _, t := range tools {
		rec.Tools = append(rec.Tools, t.Function.Name)
	}
	return rec
}

// fields splits a JSON object into its values without touching their bytes, and
// says what is wrong with it.
func fields(object []byte) (map[string]json.RawMessage, string) {
	out := map[string]json.RawMessage{}
	dec := json.NewDecoder(bytes.NewReader(object))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return out, "not a JSON object"
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return out, "not valid JSON: " + err.Error()
		}
		name, _ := key.(string)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return out, "not valid JSON: " + err.Error()
		}
		if _, twice := out[name]; twice {
			return out, "the field '" + name + "' is there twice"
		}
		out[name] = value
	}
	if _, err := dec.Token(); err != nil {
		return out, "not valid JSON: " + err.Error()
	}
	if len(bytes.TrimSpace(object[dec.InputOffset():])) > 0 {
		return out, "something follows the JSON object"
	}
	return out, ""
}

// memory keeps every message ever decoded. A session sends each of its messages
// again with every request, and the server should not be what a benchmark
// measures.
type memory struct {
	mu       sync.Mutex
	messages map[string]Message // by their bytes
}

// message decodes raw, or remembers it.
func (k *memory) message(raw json.RawMessage) Message {
	k.mu.Lock()
	defer k.mu.Unlock()
	m, known := k.messages[string(raw)]
	if !known {
		m = decodeMessage(raw)
		if k.messages == nil {
			k.messages = map[string]Message{}
		}
		k.messages[string(raw)] = m
	}
	return m
}

func decodeMessage(raw json.RawMessage) Message {
	m := Message{Raw: raw, Reasoning: map[string]json.RawMessage{}}
	parts, problem := fields(raw)
	loosely(parts["role"], &m.Role)
	loosely(parts["tool_call_id"], &m.ToolCallID)
	m.Content, m.Images = decodeContent(parts["content"])
	var calls []struct {
		ID       string
		Function struct{ Name, Arguments string }
	}
	loosely(parts["tool_calls"], &calls)
	for _, c := range calls {
		m.ToolCalls = append(m.ToolCalls, Call{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
	}
	for _, name := range strings.Fields(reasoningFields) {
		if v, ok := parts[name]; ok {
			m.Reasoning[name] = v
		}
	}
	m.problem = problem
	if problem == "" {
		m.problem = checkMessage(m, parts)
	}
	return m
}

// decodeContent reads both shapes of content: a string, or a list of parts.
func decodeContent(raw json.RawMessage) (text string, images []string) {
	loosely(raw, &text)
	var parts []struct {
		Text     string
		ImageURL struct{ URL string } `json:"image_url"`
	}
	loosely(raw, &parts)
	for _, p := range parts {
		text += p.Text
		if p.ImageURL.URL != "" {
			images = append(images, p.ImageURL.URL)
		}
	}
	return text, images
}

// loosely decodes what can be decoded; strictness is judged elsewhere.
func loosely(raw json.RawMessage, v any) {
	if len(raw) > 0 {
		_ = json.Unmarshal(raw, v)
	}
}
