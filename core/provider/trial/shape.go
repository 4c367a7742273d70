package trial

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"reasonix/core/internal/sse"
)

// Found is what the answers of a trial look like, in the words of a profile.
type Found struct {
	Models    int      // it lists; 0 when it lists none
	Window    int      // tokens, as the list says of the model; 0 when it does not
	Reasoning []string // the wire fields reasoning came in
	Replay    string   // accepted, refused, missed (it wanted it), not sent; empty: untried
	Usage     string   // where the counts were
	Cache     []string // which of them count hits of the cache
	Beside    bool     // completion tokens leave reasoning out
	Refused   []string // parameters it did not take
	Renamed   string   // what max_tokens had to be called
	KeepAlive bool     // comments between events
	Unmarked  bool     // a stream ended without [DONE]
	Parallel  bool     // several calls in one reply
}

// learn adds what one answer shows.
func (f *Found) learn(a answer) {
	s := a.wire.shape
	f.Reasoning = union(f.Reasoning, slices.Sorted(maps.Keys(s.reasoning)))
	f.Cache = union(f.Cache, slices.Sorted(maps.Keys(s.cache)))
	if s.usage != "" {
		f.Usage = s.usage
	}
	f.Beside = f.Beside || s.beside
	f.KeepAlive = f.KeepAlive || s.comments
	f.Unmarked = f.Unmarked || s.events > 0 && !s.marked && a.err == nil
	for _, n := range a.notices {
		switch {
		case n.Code == "param_dropped" && len(n.Args) > 1:
			f.Refused = union(f.Refused, []string{n.Args[1]})
		case n.Code == "param_renamed" && len(n.Args) > 2:
			f.Renamed = n.Args[2]
		}
	}
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// shape is how an answer was written.
type shape struct {
	events    int // 0: no stream
	comments  bool
	marked    bool // [DONE] came
	reasoning map[string]bool
	cache     map[string]bool
	usage     string
	counted   int // events with counts
	beside    bool
	pieces    []int // how many pieces each call came in
}

// calls says how calls were written, or nothing.
func (s shape) calls() string {
	switch {
	case len(s.pieces) == 0:
		return ""
	case slices.Max(s.pieces) == 1:
		return ", whole in one event"
	}
	return fmt.Sprintf(", in %d pieces", slices.Max(s.pieces))
}

func shapeOf(body []byte) shape {
	s := shape{reasoning: map[string]bool{}, cache: map[string]bool{}}
	if trimmed := bytes.TrimSpace(body); bytes.HasPrefix(trimmed, []byte("{")) {
		s.event(trimmed)
		return s
	}
	s.comments = bytes.HasPrefix(body, []byte(":")) || bytes.Contains(body, []byte("\n:"))
	scan := sse.NewScanner(bytes.NewReader(body), 0)
	for {
		err := scan.Fill()
		for e, ok := scan.Next(); ok; e, ok = scan.Next() {
			if string(bytes.TrimSpace(e.Data)) == "[DONE]" {
				s.marked = true
				continue
			}
			s.events++
			s.event(e.Data)
		}
		if err != nil {
			return s
		}
	}
}

// chunk is what a trial looks at in one event.
type chunk struct {
	Choices []struct {
		Delta, Message *said
		Usage          map[string]any
	}
	Usage map[string]any
	Groq  struct{ Usage map[string]any } `json:"x_groq"`
}

// said is a delta, or a whole message.
type said struct {
	Content          json.RawMessage
	ReasoningContent string `json:"reasoning_content"`
	Reasoning        string
	Details          []json.RawMessage `json:"reasoning_details"`
	Calls            []struct {
		ID       string
		Function struct{ Name string }
	} `json:"tool_calls"`
}

func (s *shape) event(data []byte) {
	var c chunk
	if json.Unmarshal(data, &c) != nil {
		return
	}
	switch {
	case c.Usage != nil && len(c.Choices) == 0:
		s.counts(c.Usage, "last chunk, without choices")
	case c.Usage != nil:
		s.counts(c.Usage, "last chunk, with the finish_reason")
	case c.Groq.Usage != nil:
		s.counts(c.Groq.Usage, "x_groq of the last chunk")
	}
	for _, choice := range c.Choices {
		if choice.Usage != nil {
			s.counts(choice.Usage, "last chunk, inside its choice")
		}
		for _, m := range []*said{choice.Delta, choice.Message} {
			if m != nil {
				s.said(m)
			}
		}
	}
}

func (s *shape) counts(usage map[string]any, where string) {
	s.counted++
	s.usage = where
	if s.counted > 2 {
		s.usage = "every chunk, growing"
	}
	flat := map[string]float64{}
	flatten(flat, "", usage)
	for name := range flat {
		if strings.Contains(name, "cache_hit") || strings.Contains(name, "cached_tokens") || strings.Contains(name, "cache_read") {
			s.cache[name] = true
		}
	}
	reasoning := flat["completion_tokens_details.reasoning_tokens"]
	s.beside = reasoning > 0 && flat["total_tokens"] == flat["prompt_tokens"]+flat["completion_tokens"]+reasoning
}

func flatten(into map[string]float64, prefix string, from map[string]any) {
	for name, v := range from {
		switch v := v.(type) {
		case float64:
			into[prefix+name] = v
		case map[string]any:
			flatten(into, prefix+name+".", v)
		}
	}
}

func (s *shape) said(m *said) {
	for field, there := range map[string]bool{
		"reasoning_content": m.ReasoningContent != "", "reasoning": m.Reasoning != "", "reasoning_details": len(m.Details) > 0,
		"content": bytes.Contains(m.Content, []byte(`"thinking"`)) && m.Content[0] == '[' || bytes.Contains(m.Content, []byte("<think>")),
	} {
		if there {
			s.reasoning[field] = true
		}
	}
	for _, c := range m.Calls {
		if c.Function.Name != "" || len(s.pieces) == 0 {
			s.pieces = append(s.pieces, 0)
		}
		s.pieces[len(s.pieces)-1]++
	}
}

// windowOf is how many tokens the list of models says that one takes. There is no
// common name for it.
func windowOf(list []byte, model string) int {
	var body struct{ Data []map[string]any }
	if json.Unmarshal(list, &body) != nil {
		return 0
	}
	for _, m := range body.Data {
		if m["id"] != model {
			continue
		}
		for _, name := range []string{"context_length", "context_window", "max_context_length", "max_model_len", "input_token_limit"} {
			if n, ok := m[name].(float64); ok && n >= 1 {
				return int(n)
			}
		}
	}
	return 0
}
