package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/session"
)

// blank is a session without an id, a conversation and organs.
func (e *Engine) blank(store session.Store, spec protocol.Spec) *sess {
	s := &sess{
		from: comesFrom(e.p, store, spec),
		ops:  make(chan submission), again: make(chan struct{}, 1),
		ready: make(chan struct{}), stop: make(chan struct{}), done: make(chan struct{}),
	}
	s.rec = &recorder{j: s.from.j, now: e.p.Now}
	s.rec.parts = []func(event.Payload){s.tally.follow, s.book.follow, s.mail.follow, s.settings.follow, s.follow}
	s.questions = questions{rec: s.rec, newID: e.p.NewID, interactive: spec.Interactive, ready: s.ready, stop: s.stop}
	return s
}

// follow takes in what was recorded: the prompts of servers are commands.
func (s *sess) follow(p event.Payload) {
	if _, ok := p.(event.ServerChanged); !ok {
		return
	}
	select {
	case s.again <- struct{}{}:
	default:
	}
}

// assemble builds the organs and writes the records every opening writes. What the
// organs run may use the Services from the moment they get them.
func (s *sess) assemble(ctx context.Context) error {
	s.from.j.prepare()
	organs, err := s.from.p.Build(ctx, s.from.spec, s.services())
	if err != nil {
		return err
	}
	s.equip(organs)
	if s.from.spec.Interactive {
		s.book.restore(s.from.j.folded.grants)
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

// recoverFiles ends what the process before did to files and did not live to end.
func (s *sess) recoverFiles(ctx context.Context) error {
	if r := s.from.opened.Reason; r == event.OpenedNew || r == event.OpenedForked {
		return nil
	}
	if err := s.tracker.recover(ctx); err != nil {
		return err
	}
	return s.rewinder.resume()
}

// equip makes the parts of the session of what it comes from and its organs.
func (s *sess) equip(o Organs) {
	s.organs = o
	from, newID := &s.from, s.from.p.NewID
	for _, j := range from.j.folded.untold {
		s.mail.jobEnded(j)
	}
	s.hooks = hooks{runner: o.Hooks, session: from.id, workspace: from.spec.Workspace, rec: s.rec, stop: s.stop}
	s.questions.sandbox, s.questions.notify = o.Sandbox, s.hooks.notify
	s.book = rulebook{
		rec: s.rec, asks: &s.questions, workspace: from.spec.Workspace, store: o.Keep, policy: o.Policy, posture: o.Posture,
	}
	s.gate = gate{
		rec: s.rec, book: &s.book, asks: &s.questions, hooks: &s.hooks, tally: &s.tally, newID: newID,
		workspace: from.spec.Workspace, interactive: from.spec.Interactive,
		headless: o.Unasked, sandbox: o.Sandbox, guardian: o.Guardian,
	}
	s.tracker = tracker{checkpoints: o.Checkpoints, lease: o.Lease, hooks: &s.hooks, rec: s.rec}
	s.rewinder = rewinder{j: from.j, checkpoints: o.Checkpoints, lease: o.Lease}
	s.voice = voice{
		rec: s.rec, newID: newID, prepare: o.Prepare, commands: o.Command,
		hooks: &s.hooks, mail: &s.mail, typed: &s.gate.typed, waiting: from.waiting(),
	}
	s.works = works{rec: s.rec, newID: newID, loop: o.Runner, plans: o.Planner, child: s.plannedBy}
	s.conversation = conversation{
		rec: s.rec, tally: &s.tally, newID: newID, hooks: &s.hooks, voice: &s.voice, works: &s.works,
		tracker: &s.tracker, rewinder: &s.rewinder,
	}
	s.settings = settings{
		rec: s.rec, book: &s.book, works: &s.works, busy: s.turns.busy, stop: s.stop,
		offered: o.Offered, reconfigure: o.Reconfigure, dirs: o.AddDirs, tools: o.Refresh, again: o.Reload,
	}
	s.turns = turns{
		rec: s.rec, tally: &s.tally, newID: newID, conversation: &s.conversation, voice: &s.voice,
		commands: o.Command, mail: &s.mail, settings: &s.settings, serve: s.serve,
	}
	s.intake = intake{
		j: from.j, save: from.save, commands: o.Command, settings: &s.settings, rewinder: &s.rewinder,
		mail: &s.mail, turns: &s.turns,
	}
}

// plannedBy makes the planner's session, which is a child of this one.
func (s *sess) plannedBy(how Planner) *planner {
	return &planner{
		how: how, engine: &Engine{s.from.p}, store: s.from.store, spec: s.from.spec, parent: s.from.id,
		rec: s.rec, hooks: &s.hooks,
	}
}

// record writes Opened, Configured, the prefix and what had to be mended.
func (s *sess) record() error {
	stored := s.from.j.folded.configured
	s.from.opened.Roots = s.organs.Roots
	s.organs.Configured.Title = cmp.Or(s.organs.Configured.Title, stored.Title)
	s.from.j.tools = s.organs.Tools.Names()
	records := []event.Payload{s.from.opened, s.organs.Configured}
	switch prefix := s.from.j.folded.prefix; {
	case prefix == nil:
		records = append(records, prefixSet(s.organs.System, s.organs.Tools.Schemas(), event.OpenedNew))
	case s.organs.Configured.WorkMode != stored.WorkMode:
		records = append(records, prefixSet(prefix.System, s.organs.Tools.Schemas(), "work_mode"))
	}
	records = append(records, mendLoaded(s.from.j, &s.mail, s.from.p.NewID)...)
	for _, n := range append(s.organs.Notices, s.from.notices(s.organs.Configured)...) {
		s.from.j.notices = append(s.from.j.notices, n)
		records = append(records, n)
	}
	if err := s.from.j.open(records); err != nil {
		return fmt.Errorf("write session %s: %w", s.from.id, err)
	}
	if err := s.settings.offer(); err != nil {
		return err
	}
	return s.from.j.sync()
}

// services are what the organs may use.
func (s *sess) services() Services {
	from := &s.from
	return Services{
		Session: from.id, Open: &Engine{from.p}, Emit: s.rec.emit, Ask: s.questions.ask,
		Save: from.save, Load: from.saved, Stands: from.j.stands, Told: from.j.told,
		Resumed: from.resumed(),
		Steps: Steps{
			Steer: s.voice.hear, Gate: &s.gate, Hooks: callHooks{&s.hooks}, Writing: s.tracker.writing,
			Compact: s.mail.takeCompact, Failed: from.j.failed,
		},
	}
}
