package openai

import (
	"fmt"

	"reasonix/core/message"
	"reasonix/core/provider"
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

// protocolOf resolves a configured name; "" and auto go by the endpoint's profile.
func protocolOf(name string, profile provider.Profile) (protocol, error) {
	own := name == "" || name == "auto"
	if own {
		name = profile.Protocol
	}
	p := protocol{maxName: profile.LimitName}
	switch name {
	case "auto":
		p.effort, p.replay = true, replayCalls
	case "deepseek":
		p.effort, p.thinking, p.replay = true, true, replayCalls
		p.field, p.always = kindReasoningContent, true
	case "kimi":
		p.effort, p.replay = true, replayAll
		p.field, p.always = kindReasoningContent, true
		p.maxName = completionTokens
	case "glm":
		p.thinking = true
	case "openai":
		p.effort = true
	case "plain":
	default:
		return p, fmt.Errorf("unknown reasoning_protocol %q (known: auto, deepseek, openai, glm, kimi, plain)", name)
	}
	if own {
		p.replay = replayOf(profile.Replay)
	}
	return p, nil
}

func replayOf(r provider.Replay) replay {
	switch r {
	case provider.ReplayCalls:
		return replayCalls
	case provider.ReplayAll:
		return replayAll
	case provider.ReplayNever:
	}
	return replayNever
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
	if p.effort && (!off || !p.thinking) {
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
	case kept == nil && (!p.always || !calls):
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
