package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"reasonix/core/provider"
)

// param is one optional top-level field of a request.
type param struct {
	name  string
	value []byte // JSON
	user  bool   // from extra_body
}

// core are the fields a configuration may not touch.
var core = []string{"model", "messages", "tools", "stream"}

// staticParams are those that are the same in every request, extra_body's last
// and in the order of their names. It replaces what the provider would send by
// itself; drop is what is not to be sent unless the user wants it.
func staticParams(o provider.Options, proto protocol, drop []string) ([]param, error) {
	out := []param{{name: "stream_options", value: []byte(`{"include_usage":true}`)}}
	if o.Temperature != nil {
		value, err := json.Marshal(*o.Temperature)
		if err != nil {
			return nil, fmt.Errorf("temperature: %w", err)
		}
		out = append(out, param{name: "temperature", value: value})
	}
	out = append(out, proto.params(o.Effort)...)
	out = slices.DeleteFunc(out, func(p param) bool { return slices.Contains(drop, p.name) })
	for _, name := range slices.Sorted(maps.Keys(o.ExtraBody)) {
		if slices.Contains(core, name) {
			return nil, fmt.Errorf("extra_body may not set %s", name)
		}
		value, err := encodeJSON(o.ExtraBody[name])
		if err != nil {
			return nil, fmt.Errorf("extra_body %s: %w", name, err)
		}
		out = slices.DeleteFunc(out, func(p param) bool { return p.name == name })
		out = append(out, param{name: name, value: value, user: true})
	}
	return out, nil
}

func encodeJSON(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// habit is what was learnt about an endpoint from its 400s. It is not changed
// once it is shared.
type habit struct {
	dropped    map[string]bool
	completion bool // it wants max_completion_tokens
	noReplay   bool // it refuses reasoning in messages
}

// habits remembers by instance, endpoint and model, for the life of the process:
// a second session with the same provider does not run into the same 400.
var habits = struct {
	sync.Mutex
	of map[string]habit
}{of: map[string]habit{}}

func recall(key string) habit {
	habits.Lock()
	defer habits.Unlock()
	return habits.of[key]
}

// learn reports whether h was news.
func learn(key string, h habit) bool {
	habits.Lock()
	defer habits.Unlock()
	old := habits.of[key]
	if maps.Equal(old.dropped, h.dropped) && old.completion == h.completion && old.noReplay == h.noReplay {
		return false
	}
	habits.of[key] = h
	return true
}

// params are the optional fields of one request, as far as the endpoint takes
// them.
func (p *Provider) params(maxTokens int, h habit) []param {
	out := slices.Clone(p.static)
	if maxTokens <= 0 {
		maxTokens = p.maxTokens
	}
	name := p.proto.maxName
	if h.completion {
		name = completionTokens
	}
	byUser := func(q param) bool { return q.user && (q.name == "max_tokens" || q.name == completionTokens) }
	if maxTokens > 0 && !slices.ContainsFunc(out, byUser) {
		out = append(out, param{name: name, value: fmt.Appendf(nil, "%d", maxTokens)})
	}
	return slices.DeleteFunc(out, func(q param) bool { return h.dropped[q.name] })
}

const completionTokens = "max_completion_tokens"

// adapt looks whether a 400 is about a field that was sent and can be left out.
// It returns what to do from now on and what to tell the user. It is only worth
// remembering when the next request is accepted.
func (p *Provider) adapt(f *fault, sent []param, replayed bool, h habit) (habit, *provider.Notice, bool) {
	if f.status != 400 && f.status != 422 {
		return h, nil, false
	}
	c := f.complaint
	if replayed && c.refusesReasoning() {
		h.noReplay = true
		return h, p.notice("reasoning_not_taken", "the model's reasoning in messages", c), true
	}
	for _, q := range sent {
		if !c.names(q) {
			continue
		}
		if q.name == "max_tokens" && !q.user && strings.Contains(c.message, completionTokens) {
			h.completion = true
			return h, p.renamed(q.name, completionTokens), true
		}
		h.dropped = maps.Clone(h.dropped)
		if h.dropped == nil {
			h.dropped = map[string]bool{}
		}
		h.dropped[q.name] = true
		return h, p.notice("param_dropped", q.name, c), true
	}
	return h, nil, false
}

func (p *Provider) notice(code, what string, c complaint) *provider.Notice {
	return &provider.Notice{
		Code: code,
		Args: []string{p.name, what},
		Text: oneLine(p.redact(fmt.Sprintf("%s does not take %s; it is left out from now on (%s)", p.name, what, c.message))),
	}
}

func (p *Provider) renamed(from, to string) *provider.Notice {
	return &provider.Notice{
		Code: "param_renamed",
		Args: []string{p.name, from, to},
		Text: fmt.Sprintf("%s wants %s instead of %s; it gets that from now on", p.name, to, from),
	}
}

// names reports whether the complaint is about q. What the user chose to send is
// often a common word, so it has to be quoted.
func (c complaint) names(q param) bool {
	if c.param == q.name || strings.HasPrefix(c.param, q.name+".") || c.endsIn(q.name) {
		return true
	}
	for rest, from := c.message, 0; ; {
		i := strings.Index(rest[from:], q.name)
		if i < 0 {
			return false
		}
		i += from
		before, after := around(rest, i, i+len(q.name))
		quoted := strings.ContainsRune("'\"`", rune(before)) && strings.ContainsRune("'\"`.", rune(after))
		if quoted || !q.user && !wordByte(before) && !wordByte(after) {
			return true
		}
		from = i + len(q.name)
	}
}

// endsIn reports whether the complaint ends in a colon and the name, perhaps in
// camel case: "Argument not supported on this model: reasoningEffort".
func (c complaint) endsIn(name string) bool {
	said := strings.TrimRight(c.message, ". ")
	return strings.HasSuffix(said, ": "+name) || strings.HasSuffix(said, ": "+camel(name))
}

// camel is name_like_this asNameLikeThis.
func camel(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words[1:] {
		if w != "" {
			words[i+1] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

// around is the bytes before and behind s[i:j]; a space stands for an end.
func around(s string, i, j int) (before, after byte) {
	before, after = ' ', ' '
	if i > 0 {
		before = s[i-1]
	}
	if j < len(s) {
		after = s[j]
	}
	return before, after
}

func wordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// refusesReasoning reports whether the complaint is that messages carry
// reasoning, as opposed to lacking it.
func (c complaint) refusesReasoning() bool {
	about := c.param == kindReasoning || strings.HasSuffix(c.param, "."+kindReasoning) ||
		strings.Contains(c.param+c.message, kindReasoningContent) || strings.Contains(c.param+c.message, kindDetails) ||
		strings.Contains(c.message, "'"+kindReasoning+"'") || strings.Contains(c.message, `"`+kindReasoning+`"`)
	return about && mentions(c.words(), "unsupported|not supported|not permitted|not allowed|unexpected|unknown|unrecognized|extra") &&
		!mentions(c.words(), "missing")
}

// containsMember looks for a member name in encoded JSON.
func containsMember(wire []byte, name string) bool {
	return bytes.Contains(wire, []byte(`"`+name+`":`))
}
