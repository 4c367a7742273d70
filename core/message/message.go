// Package message is a conversation as data: roles, messages, tool calls, tool
// schemas and token usage. It is a leaf: it knows no provider, no journal and no
// tool, and it refuses to encode itself for any vendor's wire. Everything that
// speaks about what was said imports it.
package message

import "encoding/json"

// ID names one message within a session.
type ID string

// Role says who speaks.
type Role string

// The four roles of a conversation.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// ToolCall is one call the model asked for. Arguments is the raw text of a JSON
// object exactly as the model wrote it; it may be invalid, and then the call is
// answered with an error and never run.
type ToolCall struct {
	ID        string `json:"id,omitzero"`
	Name      string `json:"name,omitzero"`
	Arguments string `json:"arguments,omitzero"`
}

// ToolSchema is what the model is told about one tool. Parameters is canonical
// JSON (sorted keys), so that equal schemas are equal bytes.
type ToolSchema struct {
	Name        string          `json:"name,omitzero"`
	Description string          `json:"description,omitzero"`
	Parameters  json.RawMessage `json:"parameters,omitzero"`
}

// Reasoning is kept as text for people and as Opaque for the endpoint that made
// it. Kind names the wire field it came from (reasoning_content, reasoning,
// reasoning_details, think), so that it can be replayed under the same name.
type Reasoning struct {
	Text   string          `json:"text,omitzero"`
	Kind   string          `json:"kind,omitzero"`
	Opaque json.RawMessage `json:"opaque,omitzero"`
}

// Attachment names bytes by content hash; the bytes live beside the journal.
type Attachment struct {
	MIME string `json:"mime,omitzero"`
	Name string `json:"name,omitzero"`
	Hash string `json:"hash,omitzero"`
	Path string `json:"path,omitzero"` // a file reference: the file is not copied
	Size int64  `json:"size,omitzero"` // bytes
}

// Message is one entry of a conversation. Parts beside text are Attachments
// (images by content hash, file references by path).
type Message struct {
	ID          ID           `json:"id,omitzero"`
	Role        Role         `json:"role"`
	Content     string       `json:"content,omitzero"`
	ToolCalls   []ToolCall   `json:"tool_calls,omitzero"`
	ToolCallID  string       `json:"tool_call_id,omitzero"`
	Name        string       `json:"name,omitzero"`
	Reasoning   []Reasoning  `json:"reasoning,omitzero"`
	Attachments []Attachment `json:"attachments,omitzero"`
}

// Usage counts tokens. Input excludes CacheRead and CacheWrite; Reasoning is a
// part of Output.
type Usage struct {
	Input      int `json:"input,omitzero"`
	Output     int `json:"output,omitzero"`
	CacheRead  int `json:"cache_read,omitzero"`
	CacheWrite int `json:"cache_write,omitzero"`
	Reasoning  int `json:"reasoning,omitzero"`
}

// Add returns the sum of u and v.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input:      u.Input + v.Input,
		Output:     u.Output + v.Output,
		CacheRead:  u.CacheRead + v.CacheRead,
		CacheWrite: u.CacheWrite + v.CacheWrite,
		Reasoning:  u.Reasoning + v.Reasoning,
	}
}

// Prompt is everything the endpoint read: new input and both cache counts.
func (u Usage) Prompt() int { return u.Input + u.CacheRead + u.CacheWrite }
