package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"reasonix/core/protocol"
)

// Open makes a new session, resumes spec.Session, copies spec.Fork or looks at a
// session that others write. A new one is on disk from its first prompt on; one that
// cannot be assembled leaves nothing behind.
func (e *Engine) Open(ctx context.Context, spec protocol.Spec) (protocol.Session, error) {
	if err := checkSpec(spec); err != nil {
		return nil, err
	}
	store, err := e.p.Store(spec.Workspace)
	if err != nil {
		return nil, err
	}
	if spec.ReadOnly {
		return openView(ctx, e.p, store, spec.Session)
	}
	s := e.blank(store, spec)
	switch {
	case spec.Fork.Session != "":
		err = s.from.fork(ctx)
	case spec.Session != "":
		err = s.from.resume(ctx)
	default:
		s.from.begin()
	}
	if err != nil {
		return nil, fmt.Errorf("open session %s: %w", cmp.Or(spec.Session, spec.Fork.Session), known(err))
	}
	if err := s.assemble(ctx); err != nil {
		return nil, errors.Join(err, s.from.j.close(), s.from.abandon())
	}
	s.start()
	return s, nil
}

func checkSpec(spec protocol.Spec) error {
	bad := func(field, reason string) error {
		return &protocol.BadOp{Op: "Open", Field: field, Reason: reason}
	}
	switch {
	case spec.Fork.Session != "" && spec.Session != "":
		return bad("Fork", "excludes Session")
	case spec.Fork.Session != "" && spec.ReadOnly:
		return bad("Fork", "excludes ReadOnly")
	case spec.Fork.Session == "" && spec.Fork.At != 0:
		return bad("Fork", "needs a session")
	case spec.ReadOnly && spec.Session == "":
		return bad("ReadOnly", "needs a session")
	}
	return nil
}
