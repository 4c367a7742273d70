package protocoltest

import (
	"errors"
	"reflect"
	"slices"

	"reasonix/core/event"
	"reasonix/core/protocol"
)

// named is the rig's spec for the session of the bench.
func (b *bench) named() protocol.Spec {
	spec := b.rig.Spec
	spec.Session = b.ID()
	return spec
}

// written makes the session one that has a turn.
func (b *bench) written() []event.Envelope {
	b.Helper()
	c := b.watch()
	b.turn(c, "p1")
	return c.Durable()
}

func openOnce(b *bench) {
	b.written()
	s, err := b.rig.Open.Open(b.Context(), b.named())
	if err == nil {
		b.must(s.Close())
		b.Fatal("a session was opened for writing twice")
	}
	if err := b.rig.Library.Delete(b.Context(), b.rig.Spec.Workspace, b.ID()); err == nil {
		b.Error("an open session was deleted")
	}
}

func viewFollows(b *bench) {
	b.written()
	spec := b.named()
	spec.ReadOnly = true
	view := b.open(spec)
	for _, op := range []protocol.Op{protocol.Prompt{ID: "v1", Text: "x"}, protocol.Cancel{}} {
		if err := view.Submit(b.Context(), op); !errors.Is(err, protocol.ErrReadOnly) {
			b.Errorf("%T: %v, want ErrReadOnly", op, err)
		}
	}
	seen := Collect(b.Context(), view, 0)
	Wait[event.CaughtUp](b, seen, nil)
	own := b.watch()
	b.turn(own, "p2")
	want := own.Durable()
	ended(b, seen, "p2")
	if got := seen.Durable(); !reflect.DeepEqual(got, want[:min(len(got), len(want))]) {
		b.Errorf("the view has %+v, want %+v", got, want)
	}
	b.must(view.Close())
	b.turn(own, "p3") // the session does not mind
}

func forkGoesItsOwnWay(b *bench) {
	before := b.written()
	spec := b.rig.Spec
	spec.Fork = protocol.Fork{Session: b.ID()}
	fork := b.open(spec)
	if fork.ID() == b.ID() {
		b.Fatal("the fork has its parent's id")
	}
	c := Collect(b.Context(), fork, 0)
	Wait[event.CaughtUp](b, c, nil)
	if got := c.Durable(); len(got) <= len(before) || !reflect.DeepEqual(got[:len(before)], before) {
		b.Errorf("the fork begins with %+v, want %+v", got, before)
	}
	i := slices.IndexFunc(c.Durable(), func(e event.Envelope) bool {
		o, ok := e.Payload.(event.Opened)
		return ok && o.Reason == event.OpenedForked && o.Parent == b.ID() && o.At == e.Seq-1
	})
	if i < 0 {
		b.Errorf("no Opened says whose fork it is, and from where: %+v", Payloads[event.Opened](c.Durable()))
	}
	b.must(fork.Submit(b.Context(), protocol.Prompt{ID: "f1", Text: "another way"}))
	if end := ended(b, c, "f1"); end.Outcome != event.Completed {
		b.Errorf("the fork's turn: %+v", end)
	}
	spec.Session = b.ID()
	_, err := b.rig.Open.Open(b.Context(), spec)
	if bad, ok := errors.AsType[*protocol.BadOp](err); !ok || bad.Field != "Fork" {
		b.Errorf("session and fork: %v, want a *BadOp about Fork", err)
	}
}

func forkAt(b *bench) {
	all := b.written()
	b.must(b.Close())
	spec := b.rig.Spec
	spec.Fork = protocol.Fork{Session: b.ID(), At: all[1].Seq}
	c := Collect(b.Context(), b.open(spec), 0)
	Wait[event.CaughtUp](b, c, nil)
	got := c.Durable()
	if !reflect.DeepEqual(got[:2], all[:2]) || len(Payloads[event.UserSaid](got)) > 0 {
		b.Errorf("the fork has %+v, want the first two records of %+v", got, all)
	}
}

func renamed(b *bench) {
	b.written()
	b.must(b.Close())
	b.must(b.rig.Library.Rename(b.Context(), b.rig.Spec.Workspace, b.ID(), "a new title"))
	infos, err := b.rig.Library.Sessions(b.Context(), protocol.Query{Workspace: b.rig.Spec.Workspace})
	b.must(err)
	if len(infos) != 1 || infos[0].ID != b.ID() || infos[0].Title != "a new title" {
		b.Errorf("listed %+v", infos)
	}
}

func deleted(b *bench) {
	b.written()
	b.must(b.Close())
	b.must(b.rig.Library.Delete(b.Context(), b.rig.Spec.Workspace, b.ID()))
	for name, err := range map[string]error{
		"delete again": b.rig.Library.Delete(b.Context(), b.rig.Spec.Workspace, b.ID()),
		"rename":       b.rig.Library.Rename(b.Context(), b.rig.Spec.Workspace, b.ID(), "x"),
	} {
		if !errors.Is(err, protocol.ErrUnknown) {
			b.Errorf("%s: %v, want ErrUnknown", name, err)
		}
	}
	if _, err := b.rig.Open.Open(b.Context(), b.named()); !errors.Is(err, protocol.ErrUnknown) {
		b.Errorf("open: %v, want ErrUnknown", err)
	}
}
