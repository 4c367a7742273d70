package acp

import (
	"strconv"

	"reasonix/core/event"
	"reasonix/core/i18n"
	"reasonix/integrations/internal/acpwire"
)

// compacting says that a compaction has begun, to a client that shows them.
func (d *drawing) compacting() {
	if d.folding != "" {
		return
	}
	d.folds++
	d.folding = "compaction-" + strconv.Itoa(d.folds)
	if d.can.Session.Compaction != nil {
		d.update(acpwire.Compaction{SessionUpdate: acpwire.CompactionChange, ID: d.folding, Status: "in_progress"})
	}
}

// compacted ends a compaction that changed nothing.
func (d *drawing) compacted() {
	if d.folding != "" && d.can.Session.Compaction != nil {
		d.update(acpwire.Compaction{SessionUpdate: acpwire.CompactionChange, ID: d.folding, Status: "cancelled"})
	}
	d.folding = ""
}

// folded says that the conversation was made smaller. To a client without a place for
// that it is a thought, which is shown and is part of no answer.
func (d *drawing) folded(f event.Folded) {
	if d.can.Session.Compaction == nil {
		d.folding = ""
		d.chunk(acpwire.AgentThought, "", foldedText(d.lang, f)+"\n")
		return
	}
	d.compacting()
	u := acpwire.Compaction{SessionUpdate: acpwire.CompactionChange, ID: d.folding, Status: "completed"}
	u.Meta = ours(map[string]any{"stage": f.Stage, "trigger": f.Trigger, "before": f.Before, "after": f.After})
	if f.Failure != nil {
		u.Status, u.Error = "failed", f.Failure.Text
	} else {
		u.Summary = []acpwire.ContentBlock{acpwire.TextBlock(foldedText(d.lang, f))}
	}
	d.update(u)
	d.folding = ""
}

func foldedText(lang string, f event.Folded) string {
	if f.Failure != nil {
		return i18n.T(lang, "acp.fold_failed", f.Failure.Text)
	}
	return i18n.T(lang, "acp.folded", f.Stage, strconv.Itoa(f.Before), strconv.Itoa(f.After))
}
