package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"runtime/debug"

	"reasonix/core/event"
	"reasonix/core/tool"
)

// subjectOf asks the tool, or the generic keys of its arguments.
func subjectOf(t tool.Tool, args json.RawMessage) (s tool.Subject) {
	defer func() {
		if bug := recover(); bug != nil {
			slog.Debug("panic in a tool's subject", "tool", t.Name(), "value", bug, "stack", string(debug.Stack()))
			s = tool.Subject{Title: t.Name(), Kind: "other"}
		}
	}()
	if sub, ok := t.(tool.Subjecter); ok {
		s = sub.Subject(args)
	} else {
		var keys struct {
			Command  string `json:"command"`
			Path     string `json:"path"`
			FilePath string `json:"file_path"`
			Pattern  string `json:"pattern"`
		}
		if json.Unmarshal(args, &keys) == nil {
			s.Title = cmp.Or(keys.Command, keys.Path, keys.FilePath, keys.Pattern)
		}
	}
	if s.Kind == "" {
		s.Kind = "other"
	}
	if s.Title == "" {
		s.Title = t.Name()
	}
	return s
}

// shownSubject is the subject as a person may see it: its preview without keys.
func (a *Agent) shownSubject(j *job) tool.Subject {
	subject := j.subject
	if subject.Preview == nil {
		return subject
	}
	subject.Preview = func(ctx context.Context) (diffs []event.Diff) {
		defer func() {
			if bug := recover(); bug != nil {
				slog.Debug("panic in a preview", "tool", j.call.Name, "value", bug, "stack", string(debug.Stack()))
				diffs = nil
			}
		}()
		for _, d := range j.subject.Preview(ctx) {
			diffs = append(diffs, a.redactDiff(d))
		}
		return diffs
	}
	return subject
}
