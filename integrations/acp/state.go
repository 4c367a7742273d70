package acp

import (
	"encoding/json"
	"time"

	"reasonix/core/event"
	"reasonix/integrations/internal/acpwire"
)

// surroundings draw what stands beside the conversation, as the client knows it.
type surroundings struct {
	*updates
	status *status // as of the event that is drawn

	named             bool // it has a title, its first prompt at least
	used              event.ContextUsed
	title, mode       string
	commands, options string // encoded
}

// caughtUp takes the present as the client learned it with the answer to its request.
func (s *surroundings) caughtUp(p event.CaughtUp) {
	v := s.status.now()
	s.mode, s.used = p.Configured.Mode, v.Context
	if p.Configured.Title != "" {
		s.entitle(p.Configured.Title, time.Time{})
	}
	s.named = s.named || v.Turn > 0
	s.options = fingerprint(configOptions(s.lang, s.status.now()))
}

// again tells a client that has loaded the session what stands beside the
// conversation, as caughtUp and what comes with it did when the session was opened.
func (s *surroundings) again() {
	if s.title != "" {
		s.entitle(s.title, time.Time{})
	}
	s.commands = ""
	s.offered(s.status.now().Offered)
	s.usage()
}

func (s *surroundings) configured(c event.Configured) {
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
func (s *surroundings) chosen() {
	options, queued := configOptions(s.lang, s.status.now())
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
func (s *surroundings) entitle(title string, updated time.Time) {
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
func (s *surroundings) offered(o event.Offered) {
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

func (s *surroundings) contextUsed(p event.ContextUsed) {
	s.used = p
	s.usage()
}

// usage tells how full the context is and what the session cost so far.
func (s *surroundings) usage() {
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
