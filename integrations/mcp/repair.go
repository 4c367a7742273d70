package mcp

import (
	"bytes"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"reasonix/integrations/mcp/shape"
)

// decode returns the messages of a line, several for a batch; nil when it is
// none.
func decode(line []byte) []jsonrpc.Message {
	switch line[0] {
	case '{':
		if m, err := jsonrpc.DecodeMessage(repair(line)); err == nil {
			return []jsonrpc.Message{m}
		}
	case '[':
		var batch []json.RawMessage
		if json.Unmarshal(line, &batch) != nil {
			return nil
		}
		var messages []jsonrpc.Message
		for _, raw := range batch {
			m, err := jsonrpc.DecodeMessage(repair(raw))
			if err != nil {
				return nil
			}
			messages = append(messages, m)
		}
		return messages
	}
	return nil
}

// repair returns message without what would make the SDK refuse a whole result
// for one part of it: see shape.Decodable; and a tool that cannot be read becomes
// one that names its fault, and is dropped later.
func repair(message []byte) []byte {
	content := bytes.Contains(message, []byte(`"content"`)) || bytes.Contains(message, []byte(`"structuredContent"`))
	tools := bytes.Contains(message, []byte(`"tools"`))
	if !content && !tools || !bytes.Contains(message, []byte(`"result"`)) {
		return message
	}
	var whole map[string]json.RawMessage
	if json.Unmarshal(message, &whole) != nil || len(whole["result"]) == 0 {
		return message
	}
	result := whole["result"]
	if content {
		result = shape.Decodable(result)
	}
	if tools {
		result = readableTools(result)
	}
	if bytes.Equal(result, whole["result"]) {
		return message
	}
	whole["result"] = result
	fixed, err := json.Marshal(whole)
	if err != nil {
		return message
	}
	return fixed
}

// readableTools marks the tools of a list that cannot be read.
func readableTools(result json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	var list []json.RawMessage
	if json.Unmarshal(result, &fields) != nil || json.Unmarshal(fields["tools"], &list) != nil {
		return result
	}
	changed := false
	for i, raw := range list {
		if other, ok := readableTool(raw); !ok {
			list[i], _ = json.Marshal(other)
			changed = true
		}
	}
	if !changed {
		return result
	}
	fields["tools"], _ = json.Marshal(list)
	fixed, err := json.Marshal(fields)
	if err != nil {
		return result
	}
	return fixed
}

// faultKey marks a tool of the list that could not be read.
const faultKey = "reasonix/fault"

func readableTool(raw json.RawMessage) (any, bool) {
	var t struct {
		Name, Title, Description string
		Annotations              *struct {
			ReadOnlyHint, IdempotentHint   bool
			DestructiveHint, OpenWorldHint *bool
			Title                          string
		}
	}
	err := json.Unmarshal(raw, &t)
	if err == nil {
		return nil, true
	}
	name := t.Name
	if name == "" {
		name = "(without a name)"
	}
	return map[string]any{
		"name": name, "inputSchema": map[string]any{}, "_meta": map[string]any{faultKey: err.Error()},
	}, false
}
