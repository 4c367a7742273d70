// Package acpwire is the Agent Client Protocol, version 1, as Go types: only
// what is sent or read here, with the field names of the protocol's schema. It
// holds no behaviour. The ACP server uses it.
package acpwire

import "encoding/json"

// Version is the protocol version spoken.
const Version = 1

// InitializeResult answers initialize.
type InitializeResult struct {
	ProtocolVersion   int               `json:"protocolVersion"`
	AgentCapabilities AgentCapabilities `json:"agentCapabilities"`
	AgentInfo         Implementation    `json:"agentInfo"`
	AuthMethods       []AuthMethod      `json:"authMethods"`
}

// AgentCapabilities says what the agent can do.
type AgentCapabilities struct {
	LoadSession         bool                `json:"loadSession"`
	PromptCapabilities  PromptCapabilities  `json:"promptCapabilities"`
	SessionCapabilities SessionCapabilities `json:"sessionCapabilities"`
	MCPCapabilities     MCPCapabilities     `json:"mcpCapabilities"`
	Meta                map[string]any      `json:"_meta,omitzero"`
}

// MCPCapabilities says which servers a client may bring beside local programs.
type MCPCapabilities struct {
	HTTP bool `json:"http"`
	SSE  bool `json:"sse"`
}

// PromptCapabilities says which prompt blocks are understood beside text.
type PromptCapabilities struct {
	Image           bool `json:"image"`
	Audio           bool `json:"audio"`
	EmbeddedContext bool `json:"embeddedContext"`
}

// Implementation names a program.
type Implementation struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// AuthMethod is a way to get the agent credentials.
type AuthMethod struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description,omitzero"`
	Type        string   `json:"type,omitzero"` // terminal; empty: the agent does it
	Args        []string `json:"args,omitzero"` // of a terminal method
}

// Authenticate is the params of authenticate.
type Authenticate struct {
	MethodID string `json:"methodId"`
}

// Prompt is the params of session/prompt and of the steer extension.
type Prompt struct {
	SessionID string  `json:"sessionId"`
	Prompt    []Block `json:"prompt"`
}

// PromptResult answers session/prompt.
type PromptResult struct {
	StopReason string         `json:"stopReason"`
	Meta       map[string]any `json:"_meta,omitzero"`
}

// Cancel is the params of session/cancel.
type Cancel struct {
	SessionID string `json:"sessionId"`
}

// CancelRequest is the params of $/cancel_request, which either side may send.
type CancelRequest struct {
	RequestID json.RawMessage `json:"requestId"`
}

// TextBlock is text as a content block.
func TextBlock(text string) ContentBlock { return ContentBlock{Type: "text", Text: text} }

// ContentBlock is one block of an update, which is text.
type ContentBlock struct {
	Type string `json:"type"` // text
	Text string `json:"text"`
}

// Resource is embedded content.
type Resource struct {
	URI      string  `json:"uri"`
	MIMEType string  `json:"mimeType,omitzero"`
	Text     *string `json:"text,omitzero"`
	Blob     *string `json:"blob,omitzero"` // base64
}

// Update is the params of session/update.
type Update struct {
	SessionID string `json:"sessionId"`
	Update    any    `json:"update"`
}

// What an update is about.
const (
	AgentMessage   = "agent_message_chunk"
	AgentThought   = "agent_thought_chunk"
	ToolCallBegun  = "tool_call"
	ToolCallChange = "tool_call_update"
)

// Chunk is a piece of the agent's message or thought. Another message id begins
// another message.
type Chunk struct {
	SessionUpdate string       `json:"sessionUpdate"` // AgentMessage, AgentThought
	MessageID     string       `json:"messageId,omitzero"`
	Content       ContentBlock `json:"content"`
}

// ToolContent is text or a diff.
type ToolContent struct {
	Type    string        `json:"type"` // content, diff
	Content *ContentBlock `json:"content,omitzero"`
	Path    string        `json:"path,omitzero"`
	OldText *string       `json:"oldText,omitzero"`
	NewText *string       `json:"newText,omitzero"`
}

// Location is a file a call is about.
type Location struct {
	Path string `json:"path"` // absolute
}

// PermissionOption is one possible answer.
type PermissionOption struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"` // allow_once, allow_always, reject_once, reject_always
}
