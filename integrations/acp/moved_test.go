package acp_test

import (
	"context"
	"testing"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
)

// moving is a session whose turn has a call denied and ends before it reads a steer.
type moving struct {
	*playing
	first event.PromptID
}

func (m *moving) Open(context.Context, protocol.Spec) (protocol.Session, error) { return m, nil }

func (m *moving) Submit(_ context.Context, op protocol.Op) error {
	var happens []event.Payload
	switch op := op.(type) {
	case protocol.Prompt:
		m.first = op.ID
		happens = []event.Payload{
			event.TurnStarted{Prompt: op.ID},
			event.ToolFinished{Call: "c", Title: "web", Status: event.StatusDenied, Reason: "the user denied it"},
		}
	case protocol.Steer:
		happens = []event.Payload{
			event.PromptQueued{ID: op.ID, Kind: event.KindSteer},
			event.TurnEnded{Prompt: m.first, Outcome: event.Completed},
			event.TurnStarted{Prompt: op.ID},
			event.TurnEnded{Prompt: op.ID, Outcome: event.Completed},
		}
	default:
		return protocol.ErrStale
	}
	for _, p := range happens {
		m.told <- p
	}
	return nil
}

// A request that has moved on to the turn of a late steer is told what was denied before.
func TestDenialsMoveWithTheirRequest(t *testing.T) {
	m := &moving{playing: &playing{told: make(chan event.Payload), closed: make(chan struct{})}}
	s := serveHost(t, nil, protocol.Host{Opener: m})
	s.open(t.TempDir())
	id := s.prompt("s", "x")
	if got := s.call("_reasonix.io/session/steer", said("s", "y")); got.Error != nil {
		t.Fatal(got.raw)
	}
	var got struct {
		Meta struct {
			Ours struct{ Denials []string } `json:"reasonix.io"`
		} `json:"_meta"`
	}
	decode(t, s.response(id).Result, &got)
	if all := got.Meta.Ours.Denials; len(all) != 1 || all[0] != "web: the user denied it" {
		t.Errorf("denials %q", all)
	}
}

// A client that leaves before it answers a permission ends its own turn, and no other of
// the process.
func TestAClientThatLeavesWhileItIsAskedHoldsUpNobody(t *testing.T) {
	fake := &protocoltest.Fake{Questions: func(text string) []event.Question {
		if text == "ask" {
			return asking(event.AllowOnce)("")
		}
		return nil
	}}
	leaves, stays := serve(t, fake), serve(t, fake)
	release := fake.Hold()
	other := stays.open(t.TempDir())
	goesOn := stays.prompt(other, "x")
	id := leaves.prompt(leaves.open(t.TempDir()), "ask")
	leaves.asked()
	leaves.in.Close()
	if err := leaves.ends(); err != nil {
		t.Errorf("serve: %v", err)
	}
	if got := leaves.stopped(id); got != "cancelled" {
		t.Errorf("the one that left stopped with %s", got)
	}
	release()
	if got := stays.stopped(goesOn); got != "end_turn" {
		t.Errorf("the other stopped with %s", got)
	}
}
