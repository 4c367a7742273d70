package acp

import (
	"strconv"

	"reasonix/core/event"
	"reasonix/core/i18n"
	"reasonix/integrations/internal/acpwire"
)

// folding draws compactions.
type folding struct {
	*updates
	now   string // id of the one under way
	count int
}

// begun says that a compaction has begun, to a client that shows them.
func (f *folding) begun() {
	if f.now != "" {
		return
	}
	f.count++
	f.now = "compaction-" + strconv.Itoa(f.count)
	if f.can.Session.Compaction != nil {
		f.update(acpwire.Compaction{SessionUpdate: acpwire.CompactionChange, ID: f.now, Status: "in_progress"})
	}
}

// cancelled ends a compaction that changed nothing.
func (f *folding) cancelled() {
	if f.now != "" && f.can.Session.Compaction != nil {
		f.update(acpwire.Compaction{SessionUpdate: acpwire.CompactionChange, ID: f.now, Status: "cancelled"})
	}
	f.now = ""
}

// folded says that the conversation was made smaller. To a client without a place for
// that it is a thought, which is shown and is part of no answer.
func (f *folding) folded(p event.Folded) {
	if f.can.Session.Compaction == nil {
		f.now = ""
		f.chunk(acpwire.AgentThought, "", foldedText(f.lang, p)+"\n")
		return
	}
	f.begun()
	u := acpwire.Compaction{SessionUpdate: acpwire.CompactionChange, ID: f.now, Status: "completed"}
	u.Meta = ours(map[string]any{"stage": p.Stage, "trigger": p.Trigger, "before": p.Before, "after": p.After})
	if p.Failure != nil {
		u.Status, u.Error = "failed", p.Failure.Text
	} else {
		u.Summary = []acpwire.ContentBlock{acpwire.TextBlock(foldedText(f.lang, p))}
	}
	f.update(u)
	f.now = ""
}

func foldedText(lang string, f event.Folded) string {
	if f.Failure != nil {
		return i18n.T(lang, "acp.fold_failed", f.Failure.Text)
	}
	return i18n.T(lang, "acp.folded", f.Stage, strconv.Itoa(f.Before), strconv.Itoa(f.After))
}
