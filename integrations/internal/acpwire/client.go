package acpwire

import "encoding/json"

// ClientCapabilities says what the client offers to the agent.
type ClientCapabilities struct {
	FS struct {
		ReadTextFile  bool `json:"readTextFile"`
		WriteTextFile bool `json:"writeTextFile"`
	} `json:"fs"`
	Terminal bool `json:"terminal"`
	Session  struct {
		Notices    *struct{} `json:"notices"`
		Compaction *struct{} `json:"compaction"`
	} `json:"session"`
	Elicitation struct {
		Form *struct{} `json:"form"`
		URL  *struct{} `json:"url"`
	} `json:"elicitation"`
	Meta map[string]any `json:"_meta"`
}

// ReadTextFile is the params of fs/read_text_file.
type ReadTextFile struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"` // absolute
}

// ReadTextFileResult answers fs/read_text_file.
type ReadTextFileResult struct {
	Content *string `json:"content"`
}

// WriteTextFile is the params of fs/write_text_file.
type WriteTextFile struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"` // absolute
	Content   string `json:"content"`
}

// CreateTerminal is the params of terminal/create.
type CreateTerminal struct {
	SessionID       string   `json:"sessionId"`
	Command         string   `json:"command"`
	Args            []string `json:"args,omitzero"`
	Env             []Pair   `json:"env,omitzero"`
	Cwd             string   `json:"cwd,omitzero"` // absolute
	OutputByteLimit int      `json:"outputByteLimit,omitzero"`
}

// Pair is one environment variable or header.
type Pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Terminal is the params of every other terminal method, and the answer to
// terminal/create but for the session.
type Terminal struct {
	SessionID  string `json:"sessionId"`
	TerminalID string `json:"terminalId"`
}

// TerminalOutput answers terminal/output.
type TerminalOutput struct {
	Output    string `json:"output"`
	Truncated bool   `json:"truncated"`
}

// TerminalExit answers terminal/wait_for_exit.
type TerminalExit struct {
	ExitCode *int   `json:"exitCode"`
	Signal   string `json:"signal"`
}

// Elicitation is the params of elicitation/create.
type Elicitation struct {
	SessionID       string          `json:"sessionId"`
	ToolCallID      string          `json:"toolCallId,omitzero"`
	Mode            string          `json:"mode"` // form, url
	Message         string          `json:"message"`
	RequestedSchema json.RawMessage `json:"requestedSchema,omitzero"`
	ElicitationID   string          `json:"elicitationId,omitzero"`
	URL             string          `json:"url,omitzero"`
}

// ElicitationResult answers elicitation/create.
type ElicitationResult struct {
	Action  string          `json:"action"` // accept, decline, cancel
	Content json.RawMessage `json:"content"`
}

// AskPermission is the params of session/request_permission.
type AskPermission struct {
	SessionID string             `json:"sessionId"`
	ToolCall  Call               `json:"toolCall"`
	Options   []PermissionOption `json:"options"`
}

// Permission is the client's answer to session/request_permission.
type Permission struct {
	Outcome struct {
		Outcome  string `json:"outcome"` // selected, cancelled
		OptionID string `json:"optionId"`
	} `json:"outcome"`
	Meta struct {
		Reasonix struct {
			OptionIDs []string `json:"optionIds"` // of a question that takes several
		} `json:"reasonix.io"`
	} `json:"_meta"`
}
