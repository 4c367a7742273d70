package acp

import (
	"strconv"

	"reasonix/core/event"
	"reasonix/core/i18n"
	"reasonix/integrations/internal/acpwire"
)

// compacting says that a compaction has begun, to a client that shows them.
func (s *session) compacting() {
	if s.folding != "" {
		return
	}
	s.folds++
	s.folding = "compaction-" + strconv.Itoa(s.folds)
	if s.can.Session.Compaction != nil {
		s.update(acpwire.Compaction{SessionUpdate: acpwire.CompactionChange, ID: s.folding, Status: "in_progress"})
	}
}

// compacted ends a compaction that changed nothing.
func (s *session) compacted() {
	if s.folding != "" && s.can.Session.Compaction != nil {
		s.update(acpwire.Compaction{SessionUpdate: acpwire.CompactionChange, ID: s.folding, Status: "cancelled"})
	}
	s.folding = ""
}

// folded says that the conversation was made smaller. To a client without a place for
// that it is a thought, which is shown and is part of no answer.
func (s *session) folded(f event.Folded) {
	if s.can.Session.Compaction == nil {
		s.folding = ""
		s.chunk(acpwire.AgentThought, "", foldedText(s.lang, f)+"\n")
		return
	}
	s.compacting()
	u := acpwire.Compaction{SessionUpdate: acpwire.CompactionChange, ID: s.folding, Status: "completed"}
	u.Meta = ours(map[string]any{"stage": f.Stage, "trigger": f.Trigger, "before": f.Before, "after": f.After})
	if f.Failure != nil {
		u.Status, u.Error = "failed", f.Failure.Text
	} else {
		u.Summary = []acpwire.ContentBlock{acpwire.TextBlock(foldedText(s.lang, f))}
	}
	s.update(u)
	s.folding = ""
}

func foldedText(lang string, f event.Folded) string {
	if f.Failure != nil {
		return i18n.T(lang, "acp.fold_failed", f.Failure.Text)
	}
	return i18n.T(lang, "acp.folded", f.Stage, strconv.Itoa(f.Before), strconv.Itoa(f.After))
}
