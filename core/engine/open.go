package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"reasonix/core/event"
	"reasonix/core/permission"
	"reasonix/core/protocol"
	"reasonix/core/session"
)

// Open makes a new session, or resumes spec.Session. A new one is on disk from
// its first prompt on; one that cannot be assembled leaves nothing behind.
func (e *Engine) Open(ctx context.Context, spec protocol.Spec) (protocol.Session, error) {
	store, err := e.p.Store(spec.Workspace)
	if err != nil {
		return nil, err
	}
	s := &sess{e: e, spec: spec, store: store, id: spec.Session, resumed: spec.Session != ""}
	s.j = &journal{now: e.p.Now, store: store}
	if s.resumed {
		err = s.load(ctx)
	} else {
		s.id = e.p.NewSession()
		s.j.create = s.create
	}
	if err != nil {
		return nil, err
	}
	s.j.id = s.id
	if err := s.assemble(ctx); err != nil {
		return nil, errors.Join(err, s.j.close())
	}
	s.start()
	return s, nil
}

// create makes the journal of a new session.
func (s *sess) create() (session.Log, error) {
	log, err := s.store.Create(context.Background(), session.Meta{
		ID: s.id, Workspace: s.spec.Workspace, Created: s.e.p.Now(), Writer: s.e.p.Writer,
	})
	if err != nil {
		return nil, fmt.Errorf("create session: %w", err)
	}
	return log, nil
}

// load opens a stored journal and folds what is in it.
func (s *sess) load(ctx context.Context) error {
	log, err := s.store.Open(ctx, s.id)
	if errors.Is(err, session.ErrUnknown) {
		return fmt.Errorf("open session %s: %w", s.id, protocol.ErrUnknown)
	}
	if err != nil {
		return fmt.Errorf("open session %s: %w", s.id, err)
	}
	s.j.log = log
	for env, err := range s.store.Read(ctx, s.id, 0) {
		var damage *session.DamageError
		if errors.As(err, &damage) {
			s.damage = append(s.damage, damage)
			continue
		}
		if err != nil {
			return errors.Join(fmt.Errorf("read session %s: %w", s.id, err), log.Close())
		}
		s.j.folded.apply(env.Payload)
		s.j.turn = max(s.j.turn, env.Turn)
	}
	if torn := log.Torn(); torn != nil {
		s.damage = append(s.damage, &session.DamageError{ID: s.id, Damage: *torn})
	}
	s.j.seq = log.Last()
	s.inherited = s.j.folded.waiting
	for _, j := range s.j.folded.untold {
		s.mail.jobEnded(j)
	}
	return nil
}

// assemble builds the organs and writes the records every opening writes.
func (s *sess) assemble(ctx context.Context) error {
	organs, err := s.e.p.Build(ctx, s.spec, s.services())
	if err != nil {
		return err
	}
	s.organs = organs
	s.gate = gate{s: s, policy: organs.Policy, posture: organs.Posture}
	if s.spec.Interactive {
		s.gate.restore(s.j.folded.grants)
	}
	if err := s.record(); err != nil {
		return errors.Join(err, organs.Close())
	}
	return nil
}

// record writes Opened, Configured, the prefix and what had to be mended.
func (s *sess) record() error {
	stored := s.j.folded.configured
	opened := event.Opened{Reason: event.OpenedNew, Writer: s.e.p.Writer, Workspace: s.spec.Workspace, Roots: s.organs.Roots}
	if s.resumed {
		opened.Reason = event.OpenedResumed
	}
	s.organs.Configured.Title = cmp.Or(s.organs.Configured.Title, stored.Title)
	s.j.tools = s.organs.Tools.Names()
	records := []event.Payload{opened, s.organs.Configured}
	switch prefix := s.j.folded.prefix; {
	case prefix == nil:
		records = append(records, prefixSet(s.organs.System, s.organs.Tools.Schemas(), event.OpenedNew))
	case s.organs.Configured.WorkMode != stored.WorkMode:
		records = append(records, prefixSet(prefix.System, s.organs.Tools.Schemas(), "work_mode"))
	}
	records = append(records, s.mendLoaded()...)
	for _, n := range s.openingNotices(stored) {
		s.j.notices = append(s.j.notices, n)
		records = append(records, n)
	}
	for _, r := range records {
		if err := s.j.emit(r); err != nil {
			return fmt.Errorf("write session %s: %w", s.id, err)
		}
	}
	return s.j.sync()
}

// openingNotices are what the user should hear about this opening.
func (s *sess) openingNotices(stored event.Configured) []event.Notice {
	notices := s.organs.Notices
	if n := len(s.damage); n > 0 {
		notices = append(notices, event.Notice{
			Level: event.LevelWarning, Code: "journal_damaged", Args: []string{fmt.Sprint(n), s.damage[0].Error()},
			Text: fmt.Sprintf("damaged records of this session were skipped: %d, the first: %s", n, s.damage[0]),
		})
	}
	if yolo := string(permission.PostureYolo); stored.Approval == yolo && s.organs.Configured.Approval == yolo {
		notices = append(notices, event.Notice{
			Level: event.LevelWarning, Code: "yolo_resumed",
			Text: "this session runs with the stored posture yolo: ordinary calls are not asked for",
		})
	}
	return notices
}

func (s *sess) services() Services {
	return Services{
		Session: s.id, Open: s.e, Emit: s.emit, Steer: s.hear, Gate: &s.gate, Ask: s.ask,
		Save: func(r io.Reader) (string, string, error) {
			return s.store.Save(context.Background(), s.id, r)
		},
		Load: func(hash string) ([]byte, error) {
			return s.store.Load(context.Background(), s.id, hash)
		},
		Stored:     s.j.folded.prefix,
		Before:     s.j.folded.configured,
		Todos:      s.j.folded.todos,
		Jobs:       len(s.j.folded.jobs),
		AllowWrite: s.grantedDirs(),
		Seen:       slices.Collect(maps.Values(s.j.folded.seen)),
		Compact:    s.mail.takeCompact,
		Failed:     s.failed,
		Archives:   s.j.folded.archives,
		Filling:    s.j.folded.filling,
		Told: func(kind string) (refs []string) {
			s.j.with(func(h *history) { refs = slices.Clone(h.told[kind]) })
			return refs
		},
	}
}
