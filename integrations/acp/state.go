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
func (s *session) drawState(e event.Envelope) {
	switch p := e.Payload.(type) {
	case event.CaughtUp:
		s.caughtUp(p)
	case event.Configured:
		s.configured(p)
	case event.Offered:
		s.offered(p)
	case event.ServerChanged:
		s.serverChanged(p)
	case event.Notice:
		s.noticed(p)
	case event.Phase:
		s.phase(p)
	case event.Folded:
		s.folded(p)
	case event.ContextUsed:
		s.used = p
		s.usage()
	case event.ChildEnded:
		s.usage()
	case event.Planned:
		s.update(planOf(p.Todos))
	case event.TurnEnded:
		if !e.Time.IsZero() {
			s.entitle("", e.Time)
		}
	default: // the rest has no word in this protocol
	}
}

// caughtUp takes the present as the client learned it with the answer to its request,
// and tells it what this opening of the session had to say.
func (s *session) caughtUp(p event.CaughtUp) {
	v := s.status.now()
	s.mode, s.used = p.Configured.Mode, v.Context
	if p.Configured.Title != "" {
		s.entitle(p.Configured.Title, time.Time{})
	}
	s.named = s.named || v.Turn > 0
	s.options = fingerprint(s.configOptions())
	for _, n := range p.Notices {
		s.noticed(n)
	}
}

// stateAgain tells a client that has loaded the session what stands beside the
// conversation, as caughtUp and what comes with it did when the session was opened.
func (s *session) stateAgain() {
	if s.title != "" {
		s.entitle(s.title, time.Time{})
	}
	s.commands = ""
	s.offered(s.status.now().Offered)
	s.usage()
}

func (s *session) configured(c event.Configured) {
	if c.Title != "" && c.Title != s.title {
		s.entitle(c.Title, time.Time{})
	}
	if c.Mode != "" && c.Mode != s.mode {
		s.mode = c.Mode
		s.update(acpwire.Mode{SessionUpdate: acpwire.ModeChange, ID: c.Mode})
	}
	s.chosen()
}

// chosen tells the configuration options: the values that count, and under _meta those
// that wait for the next turn.
func (s *session) chosen() {
	options, queued := s.configOptions()
	known := fingerprint(options, queued)
	if options == nil || known == s.options {
		return
	}
	s.options = known
	s.update(acpwire.Options{SessionUpdate: acpwire.OptionsChange, Options: options, Meta: queuedMeta(queued)})
}

// fingerprint tells values that are sent from others.
func fingerprint(values ...any) string {
	text, _ := json.Marshal(values) // what cannot be encoded cannot be sent either
	return string(text)
}

// entitle tells what a list of sessions shows of this one.
func (s *session) entitle(title string, updated time.Time) {
	u := acpwire.SessionInfo{SessionUpdate: acpwire.SessionInfoChange, Title: title}
	if title != "" {
		s.title, s.named = title, true
	}
	if !updated.IsZero() {
		u.UpdatedAt = updated.UTC().Format(time.RFC3339)
	}
	s.update(u)
}

// offered tells the commands when they are others than before.
func (s *session) offered(o event.Offered) {
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
	if known := fingerprint(u.Commands); known != s.commands {
		s.commands = known
		s.update(u)
	}
	s.chosen()
}

// serverChanged tells of a server that is of no use, which is no failure of the session.
func (s *session) serverChanged(p event.ServerChanged) {
	switch p.State {
	case event.ServerFailed:
		s.notice(event.LevelWarning, i18n.T(s.lang, "acp.server_failed", p.Name), p.Detail)
	case event.ServerUntrusted:
		s.notice(event.LevelInfo, i18n.T(s.lang, "acp.server_untrusted", p.Name), p.Detail)
	default: // what works needs no words
	}
}

// noticed shows a notice. The answer to a command is part of the conversation.
func (s *session) noticed(n event.Notice) {
	if n.Code == event.NoticeReport {
		s.chunk(acpwire.AgentMessage, "", n.Text)
		return
	}
	s.notice(n.Level, i18n.Notice(s.lang, n.Code, n.Args, n.Text), "")
}

// notice tells people something that is no answer. A client without a place for it is
// sent a thought, which is shown and is part of no answer either.
func (s *session) notice(level, title, detail string) {
	switch level {
	case event.LevelInfo, event.LevelWarning, event.LevelError:
	default:
		level = event.LevelInfo
	}
	title, detail = withoutHome(s.home, title), withoutHome(s.home, detail)
	if s.can.Session.Notices != nil {
		s.update(acpwire.Notice{SessionUpdate: acpwire.NoticeRaised, Severity: level, Title: title, Description: detail})
		return
	}
	text := "[" + level + "] " + title
	if detail != "" {
		text += ": " + detail
	}
	s.chunk(acpwire.AgentThought, "", text+"\n")
}

// phase tells what a person waits for, where no other update does.
func (s *session) phase(p event.Phase) {
	if p.Name == event.PhaseCompacting {
		s.compacting()
		return
	}
	s.compacted()
	if p.Name == event.PhaseWorkspace {
		title := i18n.T(s.lang, "acp.waiting")
		if p.Holder != "" {
			title = i18n.T(s.lang, "acp.waiting_for", p.Holder)
		}
		s.notice(event.LevelInfo, title, "")
	}
}

// retrying announces another attempt. What the client was shown of the failed one stays
// a message of its own.
func (s *session) retrying(p event.Retrying) {
	after, attempt := p.After.Round(100*time.Millisecond).String(), strconv.Itoa(p.Attempt)
	title := i18n.T(s.lang, "acp.retrying", after, attempt)
	if p.Of > 0 {
		title = i18n.T(s.lang, "acp.retrying_of", after, attempt, strconv.Itoa(p.Of))
	}
	s.notice(event.LevelWarning, title, p.Failure.Text)
}

// usage tells how full the context is and what the session cost so far.
func (s *session) usage() {
	if s.used.Window == 0 {
		return // nobody knows the size, which the protocol wants
	}
	u := acpwire.Usage{SessionUpdate: acpwire.UsageChange, Used: s.used.Tokens, Size: s.used.Window, Cost: costOf(s.status.now().Cost)}
	s.update(u)
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
