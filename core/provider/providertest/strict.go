package providertest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

var toolName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
})

// check says in one sentence why a vendor would answer 400, or nothing.
func check(r *Received) string {
	if r.problem != "" {
		return "the body: " + r.problem
	}
	for _, rule := range []func(*Received) string{checkTop, checkMessages, checkTools} {
		if problem := rule(r); problem != "" {
			return problem
		}
	}
	return ""
}

func checkTop(r *Received) string {
	_, options := r.Fields["stream_options"]
	switch {
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return "the content type must be application/json"
	case !utf8.Valid(r.Body):
		return "the body is not valid UTF-8"
	case r.Model == "":
		return "you must provide a model parameter"
	case options && !r.Stream:
		return "the 'stream_options' parameter is only allowed when 'stream' is enabled"
	}
	return ""
}

func checkMessages(r *Received) string {
	if len(r.Messages) == 0 {
		return "'messages' must be a non-empty array"
	}
	var open pairing
	for i, m := range r.Messages {
		at := fmt.Sprintf("messages[%d]", i)
		if i == 0 && m.Role != "system" && m.Role != "developer" && m.Role != "user" {
			return fmt.Sprintf("%s: the first message must be of role system or user, not '%s'", at, m.Role)
		}
		problem := open.step(m)
		if problem == "" {
			problem = m.problem
		}
		if problem != "" {
			return at + ": " + problem
		}
	}
	return open.end()
}

// checkMessage judges a message by itself.
func checkMessage(m Message, fields map[string]json.RawMessage) string {
	switch m.Role {
	case "system", "developer", "user", "tool":
		if _, calls := fields["tool_calls"]; calls {
			return fmt.Sprintf("'tool_calls' is not allowed in a message of role '%s'", m.Role)
		}
		return checkContent(m.Role, fields["content"])
	case "assistant":
		calls, has := fields["tool_calls"]
		if !has {
			return checkContent(m.Role, fields["content"])
		}
		if content := fields["content"]; present(content) {
			if problem := checkContent("tool", content); problem != "" {
				return problem
			}
		}
		return checkCalls(calls)
	}
	return fmt.Sprintf("'%s' is not one of system, developer, user, assistant, tool", m.Role)
}

// checkContent wants a string or a list of typed parts. Only a tool may have
// nothing to say.
func checkContent(role string, raw json.RawMessage) string {
	var text string
	if !present(raw) {
		return fmt.Sprintf("'content' is missing in a message of role '%s'", role)
	}
	if json.Unmarshal(raw, &text) == nil {
		if text == "" && role != "tool" {
			return fmt.Sprintf("the message with role '%s' must not be empty", role)
		}
		return ""
	}
	var parts []struct{ Type string }
	if json.Unmarshal(raw, &parts) != nil || len(parts) == 0 {
		return "'content' must be a string or a non-empty array of parts"
	}
	for i, p := range parts {
		if p.Type == "" {
			return fmt.Sprintf("'content[%d].type' is missing", i)
		}
	}
	return ""
}

// checkCalls judges the calls of one assistant message.
func checkCalls(raw json.RawMessage) string {
	var calls []struct {
		ID       string
		Type     string
		Function struct {
			Name      string
			Arguments json.RawMessage
		}
	}
	if err := json.Unmarshal(raw, &calls); err != nil {
		return "'tool_calls' is not an array of calls: " + err.Error()
	}
	if len(calls) == 0 {
		return "[] is too short - 'tool_calls'"
	}
	seen := map[string]bool{}
	for i, c := range calls {
		at := fmt.Sprintf("tool_calls[%d]", i)
		switch {
		case c.ID == "":
			return at + ": 'id' is missing"
		case seen[c.ID]:
			return fmt.Sprintf("%s: duplicate value for 'tool_call_id': %s", at, c.ID)
		case c.Type != "function":
			return at + ": 'type' must be 'function'"
		case !toolName().MatchString(c.Function.Name):
			return fmt.Sprintf("%s: function name '%s' does not match ^[a-zA-Z0-9_-]{1,64}$", at, c.Function.Name)
		}
		seen[c.ID] = true
		if !objectText(c.Function.Arguments) {
			return at + ": 'function.arguments' must be the text of a JSON object"
		}
	}
	return ""
}

// objectText reports whether raw is a JSON string that holds a JSON object.
func objectText(raw json.RawMessage) bool {
	var text string
	var object map[string]json.RawMessage
	return json.Unmarshal(raw, &text) == nil && json.Unmarshal([]byte(text), &object) == nil && object != nil
}

func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// pairing follows calls and results: every call of an assistant message is
// answered once, directly behind it, and nothing else is.
type pairing struct {
	asked map[string]bool // calls of the last assistant message; true once answered
	order []string
}

// step takes one message and says how it breaks the pairing.
func (p *pairing) step(m Message) string {
	if m.Role != "tool" {
		if problem := p.end(); problem != "" {
			return problem
		}
		p.asked, p.order = map[string]bool{}, nil
		for _, c := range m.ToolCalls {
			p.asked[c.ID] = false
			p.order = append(p.order, c.ID)
		}
		return ""
	}
	answered, known := p.asked[m.ToolCallID]
	switch {
	case !known:
		return fmt.Sprintf("messages with role 'tool' must be a response to a preceding message with 'tool_calls'; no call '%s'", m.ToolCallID)
	case answered:
		return fmt.Sprintf("tool_call_id '%s' is answered twice", m.ToolCallID)
	}
	p.asked[m.ToolCallID] = true
	return ""
}

// end says which calls are still unanswered where no more answers may come.
func (p *pairing) end() string {
	var missing []string
	for _, id := range p.order {
		if !p.asked[id] {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return "an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'; " +
		"these have none: " + strings.Join(missing, ", ")
}
