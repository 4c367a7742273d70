package hook

import (
	"encoding/json"
	"fmt"
)

// line is what a hook reads: one JSON object in one line, with the names of Claude
// Code's members.
type line struct {
	Session   string          `json:"session_id"`
	Dir       string          `json:"cwd"`
	Event     string          `json:"hook_event_name"`
	Tool      string          `json:"tool_name,omitempty"`
	Args      json.RawMessage `json:"tool_input,omitempty"`
	Response  *response       `json:"tool_response,omitempty"`
	Call      string          `json:"tool_use_id,omitempty"`
	Prompt    string          `json:"prompt,omitempty"`
	Source    string          `json:"source,omitempty"`
	Reason    string          `json:"reason,omitempty"`
	Trigger   string          `json:"trigger,omitempty"`
	Focus     *string         `json:"custom_instructions,omitempty"`
	Active    *bool           `json:"stop_hook_active,omitempty"`
	Words     string          `json:"last_assistant_message,omitempty"`
	Message   string          `json:"message,omitempty"`
	Title     string          `json:"title,omitempty"`
	Kind      string          `json:"notification_type,omitempty"`
	Outcome   string          `json:"outcome,omitempty"`
	*ownNames                 // what only our hooks are given
}

// ownNames are the members a hook of ours is given beside those of line.
type ownNames struct {
	Event     string          `json:"event"`
	SessionID string          `json:"sessionId"`
	Turn      int             `json:"turn,omitempty"`
	Tool      string          `json:"toolName,omitempty"`
	Args      json.RawMessage `json:"toolArgs,omitempty"`
	Result    string          `json:"toolResult,omitempty"`
	Words     string          `json:"lastAssistantText,omitempty"`
}

// response is the result of a call.
type response struct {
	Content string `json:"content"`
	Stdout  string `json:"stdout,omitempty"` // of a command: the same
	IsError bool   `json:"is_error"`
}

// stdin is what h reads at a point.
func (h Hook) stdin(p Point, in Input) ([]byte, error) {
	l := line{
		Session: in.Session, Dir: in.Dir, Event: string(p), Tool: in.Tool, Args: in.Args, Call: in.Call, Prompt: in.Prompt,
		Source: in.Source, Reason: in.Reason, Trigger: in.Trigger, Words: in.Words,
		Message: in.Message, Title: in.Title, Kind: in.Kind, Outcome: in.Outcome,
	}
	switch p {
	case PostToolUse:
		l.Response = &response{Content: in.Result, IsError: in.Failed}
		if in.Tool == "bash" {
			l.Response.Stdout = in.Result
		}
	case PreCompact:
		l.Focus = &in.Focus
	case TurnEnd, SubagentStop:
		l.Active = &in.Again
	case SessionStart, UserPromptSubmit, PreToolUse, PermissionRequest, SessionEnd, Notification:
	}
	if h.Claude {
		l.inClaude(p, in)
	} else {
		l.ownNames = &ownNames{
			Event: string(p), SessionID: in.Session, Turn: in.Turn, Tool: in.Tool, Args: in.Args, Result: in.Result, Words: in.Words,
		}
	}
	text, err := json.Marshal(l)
	if err != nil {
		return nil, fmt.Errorf("describe the point to it: %w", err)
	}
	return append(text, '\n'), nil
}

// inClaude puts the line in the words of Claude Code.
func (l *line) inClaude(p Point, in Input) {
	n := inClaude(in.Tool)
	l.Tool, l.Args = n.claude, n.toClaude(in.Args, in.Dir)
	if p == TurnEnd {
		l.Event = claudeTurnEnd
	}
	l.Outcome = ""
}
