package shape

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
)

// Decodable makes the result of tools/call one that the SDK decodes. The SDK
// refuses a whole result for one block it does not know; here such a block becomes
// a line of text that says what it was, and a picture without its bytes one that
// says so. Content that is missing, or one block instead of a list, is a list
// afterwards. Structured content that comes without a text is repeated as one, so
// that its numbers are read as the server wrote them. What is no result of a tool,
// and what needs no change, is returned as it is.
func Decodable(result json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(result, &fields) != nil || fields == nil {
		return result
	}
	_, structured := fields["structuredContent"]
	if _, ok := fields["content"]; !ok && !structured {
		return result
	}
	blocks, changed := contentBlocks(fields["content"])
	for i, block := range blocks {
		if why := undecodable(block); why != "" {
			blocks[i] = textBlock("[" + oneLine(why) + "]")
			changed = true
		}
	}
	if s := fields["structuredContent"]; len(blocks) == 0 && len(s) > 0 && string(s) != "null" {
		blocks, changed = []json.RawMessage{textBlock(string(s))}, true
	}
	if !changed {
		return result
	}
	content, err := encode(blocks)
	if err != nil {
		return result
	}
	fields["content"] = content
	out, err := encode(fields)
	if err != nil {
		return result
	}
	return out
}

// contentBlocks are the blocks of content; changed when it was no list.
func contentBlocks(content json.RawMessage) (blocks []json.RawMessage, changed bool) {
	if json.Unmarshal(content, &blocks) == nil && blocks != nil {
		return slices.Clone(blocks), false
	}
	blocks = []json.RawMessage{}
	var text string
	switch {
	case len(content) == 0 || string(content) == "null":
	case json.Unmarshal(content, &text) == nil:
		blocks = append(blocks, textBlock(text))
	default:
		blocks = append(blocks, content)
	}
	return blocks, true
}

// undecodable says what a block is that the SDK would refuse.
func undecodable(block json.RawMessage) string {
	var b struct {
		Type     string          `json:"type"`
		Text     string          `json:"text"`
		MIMEType string          `json:"mimeType"`
		Data     string          `json:"data"`
		URI      string          `json:"uri"`
		Name     string          `json:"name"`
		Size     *int64          `json:"size"`
		Resource json.RawMessage `json:"resource"`
	}
	err := json.Unmarshal(block, &b)
	if err != nil || string(block) == "null" {
		return fmt.Sprintf("content that cannot be read: %.200s", block)
	}
	switch b.Type {
	case "text", "resource_link":
		return ""
	case "image", "audio":
		if _, err := base64.StdEncoding.DecodeString(b.Data); err != nil {
			return fmt.Sprintf("%s, %s, %d characters that are not base64", b.Type, b.MIMEType, len(b.Data))
		}
		return ""
	case "resource":
		var r struct{ URI, MIMEType, Text, Blob string }
		if len(b.Resource) > 0 && json.Unmarshal(b.Resource, &r) != nil {
			return "a resource that cannot be read"
		}
		if _, err := base64.StdEncoding.DecodeString(r.Blob); err != nil {
			return fmt.Sprintf("resource %s, %d characters that are not base64", r.URI, len(r.Blob))
		}
		return ""
	}
	return fmt.Sprintf("content of the unknown kind %q, %s", b.Type, bytesOf(len(block)))
}

func textBlock(text string) json.RawMessage {
	data, err := encode(map[string]string{"type": "text", "text": text})
	if err != nil {
		return json.RawMessage(`{"type":"text","text":""}`)
	}
	return data
}
