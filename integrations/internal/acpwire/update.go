package acpwire

import "encoding/json"

// Further things an update is about.
const (
	UserMessage       = "user_message_chunk"
	PlanChange        = "plan"
	UsageChange       = "usage_update"
	SessionInfoChange = "session_info_update"
	CommandsChange    = "available_commands_update"
	ModeChange        = "current_mode_update"
	OptionsChange     = "config_option_update"
	NoticeRaised      = "notice"
	CompactionChange  = "compaction_update"
)

// Block is a content block as it arrives: what a prompt may consist of.
type Block struct {
	Type     string    `json:"type"` // text, image, audio, resource, resource_link
	Text     string    `json:"text"`
	Data     string    `json:"data"` // base64, of an image or a sound
	MIMEType string    `json:"mimeType"`
	URI      string    `json:"uri"`
	Name     string    `json:"name"`
	Resource *Resource `json:"resource"`
}

// Link is a resource_link block that is sent.
type Link struct {
	Type     string `json:"type"` // resource_link
	URI      string `json:"uri"`
	Name     string `json:"name"`
	MIMEType string `json:"mimeType,omitzero"`
	Size     int64  `json:"size,omitzero"` // bytes
}

// Image is an image block that is sent.
type Image struct {
	Type     string `json:"type"` // image
	Data     []byte `json:"data"` // base64
	MIMEType string `json:"mimeType"`
}

// Picture is the content of a call that shows an image.
type Picture struct {
	Type    string `json:"type"` // content
	Content Image  `json:"content"`
}

// Speech is a piece of a message of either side with any block as its content.
type Speech struct {
	SessionUpdate string         `json:"sessionUpdate"` // UserMessage, AgentMessage, AgentThought
	MessageID     string         `json:"messageId,omitzero"`
	Content       any            `json:"content"` // a ContentBlock, an Image or a Link
	Meta          map[string]any `json:"_meta,omitzero"`
}

// Pane is the content of a call that shows a client's terminal.
type Pane struct {
	Type       string `json:"type"` // terminal
	TerminalID string `json:"terminalId"`
}

// Call announces or changes a tool call, with any content. A change names only
// what changed.
type Call struct {
	SessionUpdate string          `json:"sessionUpdate,omitzero"` // ToolCallBegun, ToolCallChange; empty in a permission request
	ID            string          `json:"toolCallId"`
	Title         string          `json:"title,omitzero"`
	Name          string          `json:"name,omitzero"`    // of the tool
	Kind          string          `json:"kind,omitzero"`    // read, edit, search, execute, think, fetch, other
	Status        string          `json:"status,omitzero"`  // pending, in_progress, completed, failed
	Content       []any           `json:"content,omitzero"` // ToolContent, Picture or Pane
	Locations     []Location      `json:"locations,omitzero"`
	RawInput      json.RawMessage `json:"rawInput,omitzero"`
	RawOutput     any             `json:"rawOutput,omitzero"`
	Meta          map[string]any  `json:"_meta,omitzero"`
}

// Plan is the whole todo list.
type Plan struct {
	SessionUpdate string      `json:"sessionUpdate"` // PlanChange
	Entries       []PlanEntry `json:"entries"`
}

// PlanEntry is one step.
type PlanEntry struct {
	Content  string         `json:"content"`
	Priority string         `json:"priority"` // high, medium, low
	Status   string         `json:"status"`   // pending, in_progress, completed
	Meta     map[string]any `json:"_meta,omitzero"`
}

// Usage is how full the context is and what the session cost so far.
type Usage struct {
	SessionUpdate string         `json:"sessionUpdate"` // UsageChange
	Used          int            `json:"used"`          // tokens
	Size          int            `json:"size"`          // tokens
	Cost          *Cost          `json:"cost,omitzero"`
	Meta          map[string]any `json:"_meta,omitzero"`
}

// Cost is an amount in one currency (ISO 4217).
type Cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// SessionInfo changes what a list of sessions shows of one.
type SessionInfo struct {
	SessionUpdate string         `json:"sessionUpdate"` // SessionInfoChange
	Title         string         `json:"title,omitzero"`
	UpdatedAt     string         `json:"updatedAt,omitzero"` // ISO 8601
	Meta          map[string]any `json:"_meta,omitzero"`
}

// Commands are what a prompt may begin with.
type Commands struct {
	SessionUpdate string    `json:"sessionUpdate"` // CommandsChange
	Commands      []Command `json:"availableCommands"`
}

// Command is one of them.
type Command struct {
	Name        string         `json:"name"` // without the slash
	Description string         `json:"description"`
	Input       *CommandInput  `json:"input,omitzero"`
	Meta        map[string]any `json:"_meta,omitzero"`
}

// CommandInput says what to type behind a command's name.
type CommandInput struct {
	Hint string `json:"hint"`
}

// Mode is the mode a session is in now.
type Mode struct {
	SessionUpdate string `json:"sessionUpdate"` // ModeChange
	ID            string `json:"currentModeId"`
}

// Options are all configuration options of a session with their values.
type Options struct {
	SessionUpdate string         `json:"sessionUpdate"` // OptionsChange
	Options       any            `json:"configOptions"`
	Meta          map[string]any `json:"_meta,omitzero"`
}

// Notice is information for the user that is no part of the conversation. It may
// be sent only to a client that said it shows them.
type Notice struct {
	SessionUpdate string         `json:"sessionUpdate"` // NoticeRaised
	Severity      string         `json:"severity"`      // info, warning, error
	Title         string         `json:"title"`
	Description   string         `json:"description,omitzero"`
	Meta          map[string]any `json:"_meta,omitzero"`
}

// Compaction is one compaction of the conversation. It may be sent only to a client
// that said it knows them.
type Compaction struct {
	SessionUpdate string         `json:"sessionUpdate"` // CompactionChange
	ID            string         `json:"compactionId"`
	Status        string         `json:"status"` // in_progress, completed, failed, cancelled
	Summary       []ContentBlock `json:"summary,omitzero"`
	Error         string         `json:"error,omitzero"`
	Meta          map[string]any `json:"_meta,omitzero"`
}
