package acp

import (
	"encoding/json"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/integrations/internal/acpwire"
)

// kindOf is what a call of a built-in tool is announced as; ToolStarted has the
// tool's own word for it once the call begins.
func kindOf(tool string) string {
	switch tool {
	case "read_file", "ls", "glob":
		return "read"
	case "grep":
		return "search"
	case "write_file", "edit_file", "multi_edit", "move_file", "notebook_edit", "delete_range", "delete_symbol":
		return "edit"
	case "bash":
		return "execute"
	}
	return "other"
}

// rawInput is a call's arguments, nil when they are not JSON.
func rawInput(c message.ToolCall) json.RawMessage {
	if !json.Valid([]byte(c.Arguments)) {
		return nil
	}
	return json.RawMessage(c.Arguments)
}

func (s *session) started(p event.ToolStarted) {
	u := acpwire.ToolCall{SessionUpdate: acpwire.ToolCallChange, ID: p.Call, Title: p.Title, Kind: p.Kind, Status: "in_progress"}
	u.Meta = meta("rule", p.Rule, "held", p.Held)
	for _, path := range p.Paths {
		u.Locations = append(u.Locations, acpwire.Location{Path: path})
	}
	s.update(u)
}

// meta is what this protocol has no word for, as names and values; an empty value
// is left out.
func meta(pairs ...string) map[string]any {
	ours := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			ours[pairs[i]] = pairs[i+1]
		}
	}
	if len(ours) == 0 {
		return nil
	}
	return map[string]any{"reasonix.io": ours}
}

func (s *session) finished(p event.ToolFinished) {
	delete(s.calls, p.Call)
	if p.Status == event.StatusDenied {
		s.denials = append(s.denials, p.Title+": "+p.Reason)
	}
	u := acpwire.ToolCall{
		SessionUpdate: acpwire.ToolCallChange, ID: p.Call, Title: p.Title, Status: "failed",
		Content: diffs(p.Diffs), RawOutput: rawOutput(p),
	}
	if p.Status == event.StatusOK {
		u.Status = "completed"
	}
	if len(u.Content) == 0 {
		u.Content = []acpwire.ToolContent{textContent(p.Message.Content)}
	}
	s.update(u)
}

func rawOutput(p event.ToolFinished) map[string]any {
	out := map[string]any{"output": p.Message.Content, "status": p.Status}
	if p.Exit != nil {
		out["exitCode"] = *p.Exit
	}
	return out
}

// diffs shows the changes whose texts were kept.
func diffs(all []event.Diff) []acpwire.ToolContent {
	var shown []acpwire.ToolContent
	for _, d := range all {
		if d.New != nil {
			shown = append(shown, acpwire.ToolContent{Type: "diff", Path: d.Path, OldText: d.Old, NewText: d.New})
		}
	}
	return shown
}

// textContent is a paragraph of a call's content.
func textContent(text string) acpwire.ToolContent {
	block := acpwire.TextBlock(text)
	return acpwire.ToolContent{Type: "content", Content: &block}
}
