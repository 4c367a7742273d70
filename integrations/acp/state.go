package acp

import (
	"encoding/json"
	"strconv"
	"time"

	"reasonix/core/event"
	"reasonix/core/i18n"
	"reasonix/integrations/internal/acpwire"
)

// drawState draws what changes beside the conversation.
func (d *drawing) drawState(e event.Envelope) {
	switch p := e.Payload.(type) {
	case event.CaughtUp:
		d.caughtUp(p)
	case event.Configured:
		d.configured(p)
	case event.Offered:
		d.offered(p)
	case event.ServerChanged:
		d.serverChanged(p)
	case event.Notice:
		d.noticed(p)
	case event.Phase:
		d.phase(p)
	case event.Folded:
		d.folded(p)
	case event.ContextUsed:
		d.used = p
		d.usage()
	case event.ChildEnded:
		d.usage()
	case event.Planned:
		d.update(planOf(p.Todos))
	case event.TurnEnded:
		if !e.Time.IsZero() {
			d.entitle("", e.Time)
		}
	default: // the rest has no word in this protocol
	}
}

// caughtUp takes the present as the client learned it with the answer to its request,
// and tells it what this opening of the session had to say.
func (d *drawing) caughtUp(p event.CaughtUp) {
	v := d.status.now()
	d.mode, d.used = p.Configured.Mode, v.Context
	if p.Configured.Title != "" {
		d.entitle(p.Configured.Title, time.Time{})
	}
	d.named = d.named || v.Turn > 0
	d.options = fingerprint(configOptions(d.lang, d.status.now()))
	for _, n := range p.Notices {
		d.noticed(n)
	}
}

// stateAgain tells a client that has loaded the session what stands beside the
// conversation, as caughtUp and what comes with it did when the session was opened.
func (d *drawing) stateAgain() {
	if d.title != "" {
		d.entitle(d.title, time.Time{})
	}
	d.commands = ""
	d.offered(d.status.now().Offered)
	d.usage()
}

func (d *drawing) configured(c event.Configured) {
	if c.Title != "" && c.Title != d.title {
		d.entitle(c.Title, time.Time{})
	}
	if c.Mode != "" && c.Mode != d.mode {
		d.mode = c.Mode
		d.update(acpwire.Mode{SessionUpdate: acpwire.ModeChange, ID: c.Mode})
	}
	d.chosen()
}

// chosen tells the configuration options: the values that count, and under _meta those
// that wait for the next turn.
func (d *drawing) chosen() {
	options, queued := configOptions(d.lang, d.status.now())
	known := fingerprint(options, queued)
	if options == nil || known == d.options {
		return
	}
	d.options = known
	d.update(acpwire.Options{SessionUpdate: acpwire.OptionsChange, Options: options, Meta: queuedMeta(queued)})
}

// fingerprint tells values that are sent from others.
func fingerprint(values ...any) string {
	text, _ := json.Marshal(values) // what cannot be encoded cannot be sent either
	return string(text)
}

// entitle tells what a list of sessions shows of this one.
func (d *drawing) entitle(title string, updated time.Time) {
	u := acpwire.SessionInfo{SessionUpdate: acpwire.SessionInfoChange, Title: title}
	if title != "" {
		d.title, d.named = title, true
	}
	if !updated.IsZero() {
		u.UpdatedAt = updated.UTC().Format(time.RFC3339)
	}
	d.update(u)
}

// offered tells the commands when they are others than before.
func (d *drawing) offered(o event.Offered) {
	u := acpwire.Commands{SessionUpdate: acpwire.CommandsChange, Commands: []acpwire.Command{}}
	for _, c := range o.Commands {
		if c.Kind == event.CommandFront {
			continue // a client opens and leaves sessions by itself
		}
		one := acpwire.Command{Name: c.Name, Description: c.Help}
		if c.Hint != "" {
			one.Input = &acpwire.CommandInput{Hint: c.Hint}
		}
		u.Commands = append(u.Commands, one)
	}
	if known := fingerprint(u.Commands); known != d.commands {
		d.commands = known
		d.update(u)
	}
	d.chosen()
}

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

// notice tells people something that is no answer. A client without a place for it is
// sent a thought, which is shown and is part of no answer either.
func (d *drawing) notice(level, title, detail string) {
	switch level {
	case event.LevelInfo, event.LevelWarning, event.LevelError:
	default:
		level = event.LevelInfo
	}
	title, detail = withoutHome(d.home, title), withoutHome(d.home, detail)
	if d.can.Session.Notices != nil {
		d.update(acpwire.Notice{SessionUpdate: acpwire.NoticeRaised, Severity: level, Title: title, Description: detail})
		return
	}
	text := "[" + level + "] " + title
	if detail != "" {
		text += ": " + detail
	}
	d.chunk(acpwire.AgentThought, "", text+"\n")
}

// phase tells what a person waits for, where no other update does.
func (d *drawing) phase(p event.Phase) {
	if p.Name == event.PhaseCompacting {
		d.compacting()
		return
	}
	d.compacted()
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

// usage tells how full the context is and what the session cost so far.
func (d *drawing) usage() {
	if d.used.Window == 0 {
		return // nobody knows the size, which the protocol wants
	}
	u := acpwire.Usage{SessionUpdate: acpwire.UsageChange, Used: d.used.Tokens, Size: d.used.Window, Cost: costOf(d.status.now().Cost)}
	d.update(u)
}

// costOf is the cost in the protocol's words, which have room for one currency.
func costOf(all []event.Money) *acpwire.Cost {
	if len(all) != 1 || all[0].Currency == "" {
		return nil
	}
	return &acpwire.Cost{Amount: all[0].Amount, Currency: all[0].Currency}
}

// planOf is the whole todo list. The protocol knows no sub-steps: their level is under _meta.
func planOf(todos []event.Todo) acpwire.Plan {
	p := acpwire.Plan{SessionUpdate: acpwire.PlanChange, Entries: []acpwire.PlanEntry{}}
	for _, t := range todos {
		e := acpwire.PlanEntry{Content: t.Text, Priority: "medium", Status: t.Status}
		switch t.Status {
		case "pending", "in_progress", "completed":
		default:
			e.Status = "pending"
		}
		if t.Level > 0 {
			e.Meta = ours(map[string]any{"level": t.Level})
		}
		p.Entries = append(p.Entries, e)
	}
	return p
}
