package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

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
			failed, ok := unreadable(raw, err)
			if !ok {
				return nil
			}
			m = failed
		}
		if r, ok := m.(*jsonrpc.Response); ok {
			r.Result = repairResult(r.Result)
		}
		messages = append(messages, m)
	}
	return messages
}

// repair returns message with its result repaired, or what says that it cannot be read.
func repair(message []byte) []byte {
	var whole map[string]json.RawMessage
	if !bytes.Contains(message, []byte(`"result"`)) && !bytes.Contains(message, []byte(`"error"`)) {
		return message
	}
	if _, err := jsonrpc.DecodeMessage(message); err != nil {
		if failed, ok := unreadable(message, err); ok {
			if text, err := jsonrpc.EncodeMessage(failed); err == nil {
				return text
			}
		}
		return message
	}
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

// unreadable is what stands for an answer that cannot be read, so that nobody waits for
// it any longer; false where raw is none, as far as it can be told.
func unreadable(raw []byte, why error) (*jsonrpc.Response, bool) {
	id, ok := answerTo(raw)
	if !ok {
		return nil, false
	}
	return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: fmt.Sprintf("its answer cannot be read: %v", why)}}, true
}

// answerTo is the id of the request that raw answers. It looks at no more than the names
// in raw's own object, however deep and broken the rest is.
func answerTo(raw []byte) (id jsonrpc.ID, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	name, depth, answers := "", 0, false
	for {
		token, err := dec.Token()
		if err != nil {
			return id, answers && id.IsValid()
		}
		switch d, _ := token.(json.Delim); {
		case d == '{' || d == '[':
			depth++
			name = ""
		case d != 0:
			depth--
		case depth != 1:
		case name == "":
			name, _ = token.(string)
			if name == "method" {
				return id, false
			}
			answers = answers || name == "result" || name == "error"
		default:
			if name == "id" {
				id, _ = jsonrpc.MakeID(token)
			}
			name = ""
		}
	}
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
