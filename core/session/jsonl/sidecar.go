package jsonl

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path/filepath"
	"time"

	"reasonix/core/durable"
	"reasonix/core/event"
	"reasonix/core/session"
)

// sidecarVersion is the version of what <id>.acp.json holds; members are only added.
const sidecarVersion = 1

// maxSidecar is how many bytes of one are read.
const maxSidecar = 1 << 20

// Sidecar is what <id>.acp.json says of a session, for programs that look at many of
// them and open none: what it works with, where and since when. It is derived from the
// journal and rewritten with it; without one, or with an old one, nothing is lost but
// Queued.
type Sidecar struct {
	Version      int             `json:"version"`
	ID           event.SessionID `json:"id"`
	Model        string          `json:"model"` // provider/model
	Effort       string          `json:"effort"`
	WorkMode     string          `json:"work_mode"`
	ToolApproval string          `json:"tool_approval"`
	Mode         string          `json:"mode"`
	Cwd          string          `json:"cwd"`
	Title        string          `json:"title"`
	Created      time.Time       `json:"created"`
	Updated      time.Time       `json:"updated"`
	Outcome      event.Outcome   `json:"outcome,omitzero"` // of the last turn
	// Queued is what counts from the next turn on, whole; nil when it is the same.
	Queued *SidecarQueued `json:"queued"`
}

// SidecarQueued is a configuration that waits for the next turn.
type SidecarQueued struct {
	Model        string `json:"model"`
	Effort       string `json:"effort"`
	WorkMode     string `json:"work_mode"`
	ToolApproval string `json:"tool_approval"`
	Mode         string `json:"mode"`
}

// Deferred notes in the sidecar what counts from the next turn on; nil: nothing waits.
// No record of it is in the journal before that turn.
func (l *log) Deferred(c *event.Configured) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || c == nil && l.deferred == nil {
		return
	}
	l.deferred = c
	l.describe()
}

// described reports whether a record changes what the sidecar says.
func described(batch []event.Envelope) bool {
	for _, e := range batch {
		switch e.Payload.(type) {
		case event.Configured, event.PromptQueued, event.TurnEnded:
			return true
		default: // it says nothing of this
		}
	}
	return false
}

// describe writes the sidecar. It is best effort, as everything that is derived.
func (l *log) describe() {
	m := l.index.meta(l.id)
	c := event.Configured{}
	if known := l.index.Configured; known != nil {
		c = *known
	}
	side := Sidecar{
		Version: sidecarVersion, ID: l.id, Model: c.Model, Effort: c.Effort, WorkMode: c.WorkMode, ToolApproval: c.Approval, Mode: c.Mode,
		Cwd: filepath.ToSlash(cmp.Or(l.store.options.Workspace, m.Workspace)), Title: m.Title, Created: m.Created.UTC(), Updated: m.Updated.UTC(), Outcome: m.Outcome,
	}
	if q := l.deferred; q != nil {
		side.Queued = &SidecarQueued{Model: q.Model, Effort: q.Effort, WorkMode: q.WorkMode, ToolApproval: c.Approval, Mode: c.Mode} // these count at once
	}
	_ = l.store.writeSidecar(side)
}

func (s *Store) sidecar(id event.SessionID) string { return s.path(id, ".acp.json") }

func (s *Store) writeSidecar(side Sidecar) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(side); err != nil {
		return err
	}
	return durable.WriteCache(s.sidecar(side.ID), text.Bytes())
}

// Sidecar reads what <id>.acp.json says; fs.ErrNotExist when there is none.
func (s *Store) Sidecar(id event.SessionID) (Sidecar, error) {
	if !session.ValidID(id) {
		return Sidecar{}, named("describe", id, session.ErrUnknown)
	}
	data, err := durable.ReadFile(s.sidecar(id), maxSidecar)
	var side Sidecar
	if err == nil {
		err = json.Unmarshal(data, &side)
	}
	if err != nil {
		return Sidecar{}, named("describe", id, err)
	}
	return side, nil
}
