package acp

import (
	"strconv"
	"time"

	"reasonix/core/event"
	"reasonix/core/i18n"
	"reasonix/integrations/internal/acpwire"
)

// serverChanged tells of a server that is of no use, which is no failure of the session.
func (d *drawing) serverChanged(p event.ServerChanged) {
	switch p.State {
	case event.ServerFailed:
		d.notice(event.LevelWarning, i18n.T(d.lang, "acp.server_failed", p.Name), p.Detail)
	case event.ServerUntrusted:
		d.notice(event.LevelInfo, i18n.T(d.lang, "acp.server_untrusted", p.Name), p.Detail)
	default: // what works needs no words
	}
}

// noticed shows a notice. The answer to a command is part of the conversation.
func (d *drawing) noticed(n event.Notice) {
	if n.Code == event.NoticeReport {
		d.chunk(acpwire.AgentMessage, "", n.Text)
		return
	}
	d.notice(n.Level, i18n.Notice(d.lang, n.Code, n.Args, n.Text), "")
}

// phase tells what a person waits for, where no other update does.
func (d *drawing) phase(p event.Phase) {
	if p.Name == event.PhaseCompacting {
		d.folds.begun()
		return
	}
	d.folds.cancelled()
	if p.Name == event.PhaseWorkspace {
		title := i18n.T(d.lang, "acp.waiting")
		if p.Holder != "" {
			title = i18n.T(d.lang, "acp.waiting_for", p.Holder)
		}
		d.notice(event.LevelInfo, title, "")
	}
}

// retrying announces another attempt. What the client was shown of the failed one stays
// a message of its own.
func (d *drawing) retrying(p event.Retrying) {
	after, attempt := p.After.Round(100*time.Millisecond).String(), strconv.Itoa(p.Attempt)
	title := i18n.T(d.lang, "acp.retrying", after, attempt)
	if p.Of > 0 {
		title = i18n.T(d.lang, "acp.retrying_of", after, attempt, strconv.Itoa(p.Of))
	}
	d.notice(event.LevelWarning, title, p.Failure.Text)
}
