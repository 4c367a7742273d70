package wire

import (
	"path/filepath"

	"reasonix/core/event"
	"reasonix/core/session/jsonl"
)

// home is <home>: where what lasts is kept (docs/architecture.md section 5).
type home string

// in is a path below home.
func (h home) in(parts ...string) string {
	return filepath.Join(append([]string{string(h)}, parts...)...)
}

// sessions is the directory of the sessions of a workspace.
func (h home) sessions(workspace string) string { return jsonl.Dir(string(h), workspace) }

// project is the directory of what is kept for a workspace.
func (h home) project(workspace string) string { return filepath.Dir(h.sessions(workspace)) }

// checkpoints is where those of the sessions of a workspace are.
func (h home) checkpoints(workspace string) string {
	return filepath.Join(h.project(workspace), "checkpoints")
}

// temp is a session's temporary directory.
func (h home) temp(session event.SessionID) string { return h.in("tmp", string(session)) }

// archive is where what compactions take out goes.
func (h home) archive() string { return h.in("archive") }
