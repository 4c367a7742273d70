// Package engine is one goroutine per session: it takes Ops from a queue, keeps
// the journal, tells every reader, asks for approvals and starts turns. It
// implements core/protocol and knows nothing of files, models or terminals; what
// a session is made of comes from Parts.Build, because every workspace has its
// own configuration. Only commands/wire imports it.
package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/permission"
	"reasonix/core/protocol"
	"reasonix/core/session"
	"reasonix/core/tool"
)

// Prepare turns what the user typed into what the model reads. wire lists them;
// an error ends the turn as internal.
type Prepare func(ctx context.Context, said *event.UserSaid) error

// Parts is what the engine needs of the world. All are required.
type Parts struct {
	Store func(workspace string) (session.Store, error)
	Build func(ctx context.Context, spec protocol.Spec, s Services) (Organs, error)
	Now   func() time.Time
	// NewID returns a fresh id for messages and questions.
	NewID func() string
	// NewSession returns a fresh session id.
	NewSession func() event.SessionID
	Writer     string // program and version, recorded in every journal
}

// Services are what the engine lends to the organs it gets back.
type Services struct {
	Session event.SessionID
	Open    protocol.Opener
	Emit    func(event.Payload) error // journal, then tell
	Steer   func() ([]message.Message, error)
	Gate    agent.Gate
	Ask     func(ctx context.Context, q event.Question) (event.Answer, error)
	Save    agent.SaveFunc
	Load    func(hash string) ([]byte, error)
	// Stored is the prefix of a resumed session; nil for a new one.
	Stored *event.PrefixSet
}

// What a headless session does when a rule says ask.
const (
	HeadlessAllow = "allow"
	HeadlessDeny  = "deny"
)

// Organs are one session's configuration, policy, tools, prefix and loop.
type Organs struct {
	Configured event.Configured // the configuration's answer to Spec
	Policy     permission.Policy
	Headless   string // allow or deny
	Sandbox    string // what holds a command, in words
	Roots      []string
	Notices    []event.Notice
	Prepare    []Prepare
	System     string
	Tools      *tool.Registry
	Runner     func(event.Configured) (agent.Runner, error)
	Close      func() error
}

// Engine opens sessions. It is safe for concurrent use.
type Engine struct{ p Parts }

// New makes an engine.
func New(p Parts) *Engine { return &Engine{p} }

// Open makes a new session, or resumes spec.Session.
func (e *Engine) Open(ctx context.Context, spec protocol.Spec) (protocol.Session, error) {
	store, err := e.p.Store(spec.Workspace)
	if err != nil {
		return nil, err
	}
	s := &sess{e: e, spec: spec, store: store, id: spec.Session}
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	if err := s.assemble(ctx); err != nil {
		return nil, errors.Join(err, s.j.close())
	}
	s.start()
	return s, nil
}

// Sessions lists the sessions of q.Workspace, newest first.
func (e *Engine) Sessions(ctx context.Context, q protocol.Query) ([]protocol.Info, error) {
	store, err := e.p.Store(q.Workspace)
	if err != nil {
		return nil, err
	}
	metas, err := store.List(ctx, session.Query{Before: q.Before, Limit: q.Limit})
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	infos := make([]protocol.Info, len(metas))
	for i, m := range metas {
		infos[i] = protocol.Info{ID: m.ID, Title: m.Title, Workspace: m.Workspace, Model: m.Model, Updated: m.Updated.Unix(), Outcome: m.Outcome}
	}
	return infos, nil
}

// load opens or creates the journal and folds what is in it.
func (s *sess) load(ctx context.Context) error {
	s.j = &journal{now: s.e.p.Now, store: s.store}
	if s.id == "" {
		s.id = s.e.p.NewSession()
		s.j.id = s.id
		log, err := s.store.Create(ctx, session.Meta{
			ID: s.id, Workspace: s.spec.Workspace, Created: s.e.p.Now(), Writer: s.e.p.Writer,
		})
		if err != nil {
			return fmt.Errorf("create session: %w", err)
		}
		s.j.log = log
		return nil
	}
	s.resumed, s.j.id = true, s.id
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
	return nil
}

// assemble builds the organs and writes the records every opening writes.
func (s *sess) assemble(ctx context.Context) error {
	stored := s.j.folded.configured
	spec := s.spec
	if s.resumed {
		spec.Model = cmp.Or(spec.Model, stored.Model)
		spec.Effort = cmp.Or(spec.Effort, stored.Effort)
		spec.WorkMode = cmp.Or(spec.WorkMode, stored.WorkMode)
		if spec.Interactive {
			spec.Approval = cmp.Or(spec.Approval, stored.Approval)
		}
	}
	organs, err := s.e.p.Build(ctx, spec, s.services())
	if err != nil {
		return err
	}
	s.organs = organs
	s.gate = gate{s: s, policy: organs.Policy, posture: organs.Configured.Approval}
	if err := s.record(stored); err != nil {
		return errors.Join(err, organs.Close())
	}
	return nil
}

// record writes Opened, Configured, the prefix and what had to be mended.
func (s *sess) record(stored event.Configured) error {
	opened := event.Opened{Reason: event.OpenedNew, Writer: s.e.p.Writer, Workspace: s.spec.Workspace, Roots: s.organs.Roots}
	if s.resumed {
		opened.Reason = event.OpenedResumed
	}
	records := []event.Payload{opened}
	if s.organs.Configured.Title == "" {
		s.organs.Configured.Title = stored.Title
	}
	s.j.tools = s.organs.Tools.Names()
	records = append(records, s.organs.Configured)
	switch stored := s.j.folded.prefix; {
	case stored == nil:
		records = append(records, prefixSet(s.organs.System, s.organs.Tools.Schemas(), event.OpenedNew))
	case s.organs.Configured.WorkMode != s.j.folded.configured.WorkMode:
		records = append(records, prefixSet(stored.System, s.organs.Tools.Schemas(), "work_mode"))
	}
	records = append(records, s.mend()...)
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
			Text: fmt.Sprintf("%d damaged records of this session were skipped; the first: %s", n, s.damage[0]),
		})
	}
	if stored.Approval == "yolo" && s.organs.Configured.Approval == "yolo" {
		notices = append(notices, event.Notice{
			Level: event.LevelWarning, Code: "yolo_resumed",
			Text: "this session runs with the stored posture yolo: ordinary calls are not asked for",
		})
	}
	return notices
}

func (s *sess) services() Services {
	return Services{
		Session: s.id, Open: s.e, Emit: s.emit, Steer: s.takeSteers, Gate: &s.gate, Ask: s.ask,
		Save: func(r io.Reader) (string, string, error) {
			return s.store.Save(context.Background(), s.id, r)
		},
		Load: func(hash string) ([]byte, error) {
			return s.store.Load(context.Background(), s.id, hash)
		},
		Stored: s.j.folded.prefix,
	}
}
