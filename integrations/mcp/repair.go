package mcp

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"reasonix/integrations/mcp/shape"
)

// decode returns the messages of a line, several for a batch; nil when it is
// none.
func decode(line []byte) []jsonrpc.Message {
	raws := []json.RawMessage{line}
	if line[0] == '[' && json.Unmarshal(line, &raws) != nil {
		return nil
	}
	var messages []jsonrpc.Message
	for _, raw := range raws {
		m, err := jsonrpc.DecodeMessage(raw)
		if err != nil {
			return nil
		}
		if r, ok := m.(*jsonrpc.Response); ok {
			r.Result = repairResult(r.Result)
		}
		messages = append(messages, m)
	}
	return messages
}

// repair returns message with its result repaired.
func repair(message []byte) []byte {
	var whole map[string]json.RawMessage
	if !bytes.Contains(message, []byte(`"result"`)) || json.Unmarshal(message, &whole) != nil {
		return message
	}
	result := repairResult(whole["result"])
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

// repairResult returns a result without what would make the SDK refuse the whole
// of it for one part: see shape.Decodable; and a tool that cannot be read becomes
// one that names its fault, and is dropped later.
func repairResult(result json.RawMessage) json.RawMessage {
	if bytes.Contains(result, []byte(`"content"`)) || bytes.Contains(result, []byte(`"structuredContent"`)) {
		result = shape.Decodable(result)
	}
	if bytes.Contains(result, []byte(`"tools"`)) {
		result = readableTools(result)
	}
	return result
}

// readableTools marks the tools of a list that cannot be read or called.
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

// faultKey marks a tool of the list that could not be read or called.
const faultKey = "reasonix/fault"

var errTask = errors.New("it can only be called as a task, which this client does not do")

func readableTool(raw json.RawMessage) (any, bool) {
	var named struct {
		Name string `json:"name"`
	}
	var more struct {
		Execution struct {
			Task string `json:"taskSupport"`
		} `json:"execution"`
	}
	_, _ = json.Unmarshal(raw, &named), json.Unmarshal(raw, &more) // what can be read of it
	err := json.Unmarshal(raw, &sdk.Tool{})
	if err == nil && more.Execution.Task == "required" {
		err = errTask
	}
	if err == nil {
		return nil, true
	}
	if named.Name == "" {
		named.Name = "(without a name)"
	}
	return map[string]any{
		"name": named.Name, "inputSchema": map[string]any{}, "_meta": map[string]any{faultKey: err.Error()},
	}, false
}
