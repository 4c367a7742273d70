package openai

import (
	"fmt"
	"strings"

	"reasonix/core/message"
)

// protocol is how an endpoint wants reasoning asked for and given back.
type protocol struct {
	effort   bool   // takes reasoning_effort
	thinking bool   // takes thinking:{type}
	replay   replay // which assistant messages carry their reasoning
	field    string // under which name; empty: the one it came under
	always   bool   // a message with calls has the field even when there is nothing
	maxName  string // the name of the output limit
}

type replay int

const (
	replayNever replay = iota
	replayCalls        // messages with calls
	replayAll
)

// protocolOf resolves a configured name; "" and auto look at the host.
func protocolOf(name, host string) (protocol, error) {
	if name == "" || name == "auto" {
		name = protocolOfHost(host)
	}
	p := protocol{maxName: "max_tokens"}
	switch name {
	case "auto":
		p.effort, p.replay = true, replayCalls
	case "deepseek":
		p.effort, p.thinking, p.replay = true, true, replayCalls
		p.field, p.always = kindReasoningContent, true
	case "kimi":
		p.effort, p.replay, p.field = true, replayAll, kindReasoningContent
		p.maxName = "max_completion_tokens"
	case "glm":
		p.thinking = true
	case "openai":
		p.effort = true
	case "plain":
	default:
		return p, fmt.Errorf("unknown reasoning_protocol %q (known: auto, deepseek, openai, glm, kimi, plain)", name)
	}
	return p, nil
}

func protocolOfHost(host string) string {
	for _, c := range []struct{ domain, protocol string }{
		{"deepseek.com", "deepseek"},
		{"moonshot.cn", "kimi"},
		{"moonshot.ai", "kimi"},
		{"bigmodel.cn", "glm"},
		{"z.ai", "glm"},
	} {
		if host == c.domain || strings.HasSuffix(host, "."+c.domain) {
			return c.protocol
		}
	}
	return "auto"
}

// params are the request parameters for an effort. Without one the endpoint's
// own default holds and nothing is sent.
func (p protocol) params(effort string) []param {
	if effort == "" {
		return nil
	}
	var out []param
	off := effort == "none" || effort == "off" || effort == "disabled"
	if p.thinking {
		kind := "enabled"
		if off {
			kind = "disabled"
		}
		out = append(out, param{name: "thinking", value: []byte(`{"type":"` + kind + `"}`)})
	}
	if p.effort && !(off && p.thinking) {
		out = append(out, param{name: "reasoning_effort", value: appendString(nil, effort)})
	}
	return out
}

// appendReasoning appends the member that gives m's reasoning back, if the
// endpoint wants it.
func (p protocol) appendReasoning(dst []byte, m *message.Message) []byte {
	calls := len(m.ToolCalls) > 0
	if p.replay == replayNever || p.replay == replayCalls && !calls {
		return dst
	}
	kept := replayable(m.Reasoning)
	field := p.field
	switch {
	case kept == nil && !(p.always && calls):
		return dst
	case kept == nil:
		kept = &message.Reasoning{}
	case field == "":
		field = kept.Kind
	}
	dst = append(dst, `,"`...)
	dst = append(dst, field...)
	dst = append(dst, `":`...)
	if field == kindDetails {
		return append(dst, kept.Opaque...)
	}
	return appendString(dst, kept.Text)
}

// replayable is the reasoning that came over this kind of wire. Tags in the
// content are not given back, and neither is another kind of endpoint's.
func replayable(all []message.Reasoning) *message.Reasoning {
	for i := range all {
		switch r := &all[i]; r.Kind {
		case kindReasoningContent, kindReasoning:
			if r.Text != "" {
				return r
			}
		case kindDetails:
			if len(r.Opaque) > 0 {
				return r
			}
		}
	}
	return nil
}

// hasReasoning reports whether encoded messages carry reasoning. Inside a text
// the quotes would be escaped.
func hasReasoning(wire []byte) bool {
	for _, field := range []string{kindReasoningContent, kindReasoning, kindDetails} {
		if containsMember(wire, field) {
			return true
		}
	}
	return false
}
