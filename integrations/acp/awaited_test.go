package acp_test

import (
	"context"
	"strings"
	"testing"

	"reasonix/core/event"
	"reasonix/core/protocol"
)

// deciding is a session in which something happens while a change is submitted, before
// it is accepted or refused.
type deciding struct {
	*playing
	happens []event.Payload
	refused error
}

func (d *deciding) Open(context.Context, protocol.Spec) (protocol.Session, error) { return d, nil }

func (d *deciding) Submit(_ context.Context, op protocol.Op) error {
	if _, ok := op.(protocol.Configure); !ok {
		return protocol.ErrStale
	}
	for _, p := range d.happens {
		d.told <- p
	}
	for range 2 { // the second is taken when what is before the first has been told
		d.told <- event.ToolProgress{}
	}
	return d.refused
}

// What the events say while a change is submitted answers it only once it is accepted.
func TestAChangeIsNotAnsweredBeforeItIsAccepted(t *testing.T) {
	said := event.Configured{Model: "a/two", Approval: "ask"}
	for name, c := range map[string]struct {
		happens []event.Payload
		refused error
	}{
		"refused, though another made the same": {[]event.Payload{said}, &protocol.BadOp{Op: "Configure", Field: "Model", Reason: "no"}},
		"accepted, told before":                 {[]event.Payload{said}, nil},
		"accepted, told and changed before":     {[]event.Payload{said, event.Configured{Model: "a/one", Approval: "ask"}}, nil},
	} {
		d := &deciding{&playing{told: make(chan event.Payload), closed: make(chan struct{})}, c.happens, c.refused}
		s := serveHost(t, nil, protocol.Host{Opener: d})
		s.open(t.TempDir())
		d.told <- event.Offered{Models: []string{"a/one", "a/two"}, Approvals: []string{"ask", "auto"}}
		s.next("the options are told", func(m rpc) bool {
			return m.Method == "session/update" && m.update(t).Update.SessionUpdate == "config_option_update"
		})
		m := s.call("session/set_config_option", object{"sessionId": "s", "configId": "model", "value": "a/two"})
		if (m.Error != nil) != (c.refused != nil) {
			t.Errorf("%s: %s", name, m.raw)
		}
	}
}

// Other words for a value are taken, and come back as they were sent when it is refused.
func TestOtherWordsForAValue(t *testing.T) {
	d := &deciding{playing: &playing{told: make(chan event.Payload), closed: make(chan struct{})}}
	s := serveHost(t, nil, protocol.Host{Opener: d})
	s.open(t.TempDir())
	d.told <- event.Offered{Efforts: []string{"low", "high"}, Approvals: []string{"ask", "auto"}}
	s.next("the options are told", func(m rpc) bool {
		return m.Method == "session/update" && m.update(t).Update.SessionUpdate == "config_option_update"
	})
	m := s.call("session/set_config_option", object{"sessionId": "s", "configId": "tool_approval", "value": "danger-full-access"})
	if m.Error == nil || m.Error.Data["value"] != "danger-full-access" {
		t.Errorf("refused: %s", m.raw)
	}
	m = s.call("session/set_config_option", object{"sessionId": "s", "configId": "effort", "value": "default"})
	if m.Error != nil || !strings.Contains(m.raw, `"currentValue":"auto"`) {
		t.Errorf("the default effort: %s", m.raw)
	}
}

// accepting is a session that accepts every change and tells of the last alone, before
// its submission returns.
type accepting struct {
	*playing
	accepted chan struct{}
}

func (a *accepting) Open(context.Context, protocol.Spec) (protocol.Session, error) { return a, nil }

func (a *accepting) Submit(_ context.Context, op protocol.Op) error {
	if c, ok := op.(protocol.Configure); ok && c.Model != nil && *c.Model == "a/three" {
		for _, p := range []event.Payload{event.Configured{Model: "a/three", Approval: "ask"}, event.ToolProgress{}, event.ToolProgress{}} {
			a.told <- p
		}
	}
	a.accepted <- struct{}{}
	return nil
}

// When only the newest of several changes is told, those before it are answered too.
func TestAChangeAnswersThoseBeforeIt(t *testing.T) {
	a := &accepting{&playing{told: make(chan event.Payload), closed: make(chan struct{})}, make(chan struct{})}
	s := serveHost(t, nil, protocol.Host{Opener: a})
	s.open(t.TempDir())
	a.told <- event.Offered{Models: []string{"a/one", "a/two", "a/three"}, Approvals: []string{"ask"}}
	s.next("the options are told", func(m rpc) bool {
		return m.Method == "session/update" && m.update(t).Update.SessionUpdate == "config_option_update"
	})
	var ids []string
	for _, model := range []string{"a/two", "a/three"} {
		ids = append(ids, s.send("session/set_config_option", object{"sessionId": "s", "configId": "model", "value": model}))
		<-a.accepted
	}
	for _, id := range ids {
		if m := s.response(id); m.Error != nil || !strings.Contains(m.raw, `"currentValue":"a/three"`) {
			t.Error(m.raw)
		}
	}
}
