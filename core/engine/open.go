package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	"reasonix/core/event"
	"reasonix/core/permission"
	"reasonix/core/protocol"
	"reasonix/core/session"
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
		err = s.fork(ctx)
	case spec.Session != "":
		err = s.resume(ctx)
	default:
		s.id, s.j.create = e.p.NewSession(), s.create
		s.j.id = s.id
	}
	if err != nil {
		return nil, fmt.Errorf("open session %s: %w", cmp.Or(spec.Session, spec.Fork.Session), known(err))
	}
	if err := s.assemble(ctx); err != nil {
		return nil, errors.Join(err, s.j.close(), s.abandon())
	}
	s.start()
	return s, nil
}

// blank is a session without an id, a conversation and organs.
func (e *Engine) blank(store session.Store, spec protocol.Spec) *sess {
	s := &sess{
		e: e, spec: spec, store: store, j: newJournal(e.p, store),
		opened: event.Opened{Reason: event.OpenedNew, Writer: e.p.Writer, Workspace: spec.Workspace, Client: spec.Client},
		ops:    make(chan submission), again: make(chan struct{}, 1),
		ready: make(chan struct{}), stop: make(chan struct{}), done: make(chan struct{}),
	}
	s.rec = &recorder{j: s.j, now: e.p.Now, parts: []func(event.Payload){s.tally.follow, s.gate.follow, s.mail.follow, s.follow}}
	s.questions = questions{rec: s.rec, newID: e.p.NewID, interactive: spec.Interactive, ready: s.ready, stop: s.stop}
	return s
}

// follow takes in what was recorded.
func (s *sess) follow(p event.Payload) {
	switch p := p.(type) {
	case event.Folded:
		s.stale.Store(s.stale.Load() || len(p.Edits) > 0)
	case event.ServerChanged:
		select { // its prompts are commands
		case s.again <- struct{}{}:
		default:
		}
	default: // nothing to keep
	}
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

// create makes the journal of a new session.
func (s *sess) create() (session.Log, error) {
	log, err := s.store.Create(context.Background(), s.meta())
	if err != nil {
		return nil, fmt.Errorf("create session: %w", err)
	}
	return log, nil
}

func (s *sess) meta() session.Meta {
	return session.Meta{ID: s.id, Workspace: s.spec.Workspace, Created: s.e.p.Now(), Writer: s.e.p.Writer, Client: s.spec.Client}
}

// resume opens the session that the spec names. An id needs no list.
func (s *sess) resume(ctx context.Context) error {
	s.id = s.spec.Session
	err := session.ErrUnknown
	if session.ValidID(s.id) {
		s.j.log, err = s.store.Open(ctx, s.id)
	}
	if errors.Is(err, session.ErrUnknown) {
		if s.id, err = session.Find(ctx, s.store, string(s.spec.Session)); err != nil {
			return err
		}
		s.spec.Session = s.id
		s.j.log, err = s.store.Open(ctx, s.id)
	}
	if err != nil {
		return err
	}
	s.opened.Reason = event.OpenedResumed
	if err := s.load(ctx); err != nil {
		return err
	}
	if s.j.folded.unclosed {
		s.opened.Reason = event.OpenedTakenOver
	}
	return nil
}

// fork makes the session a copy of another. A copy that cannot be read goes again.
func (s *sess) fork(ctx context.Context) error {
	parent, err := session.Find(ctx, s.store, string(s.spec.Fork.Session))
	if err != nil {
		return err
	}
	s.id = s.e.p.NewSession()
	meta := s.meta()
	meta.Parent = parent
	if err := s.store.Copy(ctx, parent, s.spec.Fork.At, meta); err != nil {
		return err
	}
	s.opened.Reason, s.opened.Parent = event.OpenedForked, parent
	if s.j.log, err = s.store.Open(ctx, s.id); err == nil {
		err = s.load(ctx)
	}
	if err != nil {
		return errors.Join(err, s.abandon())
	}
	s.opened.At = s.j.seq
	return nil
}

// abandon removes the copy that a fork made.
func (s *sess) abandon() error {
	if s.opened.Reason != event.OpenedForked {
		return nil
	}
	return s.store.Delete(context.Background(), s.id)
}

// assemble builds the organs and writes the records every opening writes. What the
// organs run may use the Services from the moment they get them.
func (s *sess) assemble(ctx context.Context) error {
	s.j.prepare()
	organs, err := s.e.p.Build(ctx, s.spec, s.services())
	if err != nil {
		return err
	}
	s.equip(organs)
	if s.spec.Interactive {
		s.gate.restore(s.j.folded.grants)
	}
	err = s.record()
	if err == nil {
		err = s.recoverFiles(ctx)
	}
	if err != nil {
		s.closing.Do(func() { close(s.stop) }) // who asks waits for nothing any more
		return errors.Join(err, organs.Close())
	}
	close(s.ready)
	return nil
}

// inherited are the prompts that an earlier process accepted and never began. A copy has
// none: they wait in the parent.
func (s *sess) inherited() []event.PromptQueued {
	if s.opened.Reason == event.OpenedForked {
		return nil
	}
	return s.j.folded.now.Queue
}

// recoverFiles ends what the process before did to files and did not live to end.
func (s *sess) recoverFiles(ctx context.Context) error {
	if r := s.opened.Reason; r == event.OpenedNew || r == event.OpenedForked {
		return nil
	}
	if err := s.tracker.recover(ctx); err != nil {
		return err
	}
	return s.rewinder.resume()
}

// equip gives the session its organs.
func (s *sess) equip(o Organs) {
	s.organs = o
	s.voice = voice{
		rec: s.rec, newID: s.e.p.NewID, prepare: o.Prepare, commands: o.Command,
		hooks: &s.hooks, mail: &s.mail, typed: &s.gate.typed, waiting: s.inherited(),
	}
	s.tracker = tracker{checkpoints: o.Checkpoints, lease: o.Lease, hooks: &s.hooks, rec: s.rec}
	s.rewinder = rewinder{j: s.j, checkpoints: o.Checkpoints, lease: o.Lease}
	s.hooks = hooks{runner: o.Hooks, session: s.id, workspace: s.spec.Workspace, rec: s.rec, stop: s.stop}
	s.questions.sandbox, s.questions.notify = o.Sandbox, s.hooks.notify
	s.gate = gate{
		rec: s.rec, asks: &s.questions, hooks: &s.hooks, tally: &s.tally, newID: s.e.p.NewID,
		workspace: s.spec.Workspace, interactive: s.spec.Interactive,
		headless: o.Unasked, sandbox: o.Sandbox, guardian: o.Guardian, store: o.Keep,
		policy: o.Policy, posture: o.Posture,
	}
}

// record writes Opened, Configured, the prefix and what had to be mended.
func (s *sess) record() error {
	stored := s.j.folded.configured
	s.opened.Roots = s.organs.Roots
	s.organs.Configured.Title = cmp.Or(s.organs.Configured.Title, stored.Title)
	s.j.tools = s.organs.Tools.Names()
	records := []event.Payload{s.opened, s.organs.Configured}
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
	if err := s.j.open(records); err != nil {
		return fmt.Errorf("write session %s: %w", s.id, err)
	}
	if err := (&looper{sess: s}).offer(); err != nil {
		return err
	}
	return s.j.sync()
}

// openingNotices are what the user should hear about this opening.
func (s *sess) openingNotices(stored event.Configured) []event.Notice {
	notices := s.organs.Notices
	if s.opened.Reason == event.OpenedTakenOver {
		notices = append(notices, event.Notice{
			Level: event.LevelInfo, Code: "taken_over",
			Text: "who had this session open before ended without closing it; it was taken over",
		})
	}
	if s.damage.count > 0 {
		notices = append(notices, s.damage.notice(s.id))
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
		Session: s.id, Open: s.e, Emit: s.rec.emit, Steer: s.voice.hear, Gate: &s.gate, Ask: s.questions.ask,
		Save: func(r io.Reader) (string, string, error) {
			return s.store.Save(context.Background(), s.id, r)
		},
		Load: func(hash string) ([]byte, error) {
			return s.store.Load(context.Background(), s.id, hash)
		},
		Past: func(ctx context.Context) iter.Seq2[event.Envelope, error] {
			return s.store.Read(ctx, s.id, 0)
		},
		Stored:     s.j.folded.prefix,
		Before:     s.j.folded.configured,
		Todos:      s.j.folded.now.Todos,
		Dir:        s.j.folded.dir,
		Writing:    s.tracker.writing,
		Hooks:      callHooks{&s.hooks},
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
