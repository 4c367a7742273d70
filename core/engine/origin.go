package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"reasonix/core/event"
	"reasonix/core/permission"
	"reasonix/core/protocol"
	"reasonix/core/session"
)

// origin is where a session comes from: nothing, a journal that it goes on with, or a copy
// of one. Whoever opens the session uses it; it stays as it is then.
type origin struct {
	p      Parts
	spec   protocol.Spec
	store  session.Store
	id     event.SessionID
	parent event.SessionID // of a copy, or whose work this session does
	client string          // of the journal; empty: the spec's
	j      *journal
	opened event.Opened // how it was opened
	damage damage
}

func comesFrom(p Parts, store session.Store, spec protocol.Spec) origin {
	return origin{
		p: p, spec: spec, store: store, j: newJournal(p, store),
		opened: event.Opened{Reason: event.OpenedNew, Writer: p.Writer, Workspace: spec.Workspace, Client: spec.Client},
	}
}

// begin makes the session a new one, whose journal is made when it has something to say.
func (o *origin) begin() {
	o.id, o.j.create = o.p.NewSession(), o.create
	o.j.id = o.id
}

// create makes the journal of a new session.
func (o *origin) create() (session.Log, error) {
	log, err := o.store.Create(context.Background(), o.meta())
	if err != nil {
		return nil, fmt.Errorf("create session: %w", err)
	}
	return log, nil
}

func (o *origin) meta() session.Meta {
	return session.Meta{
		ID: o.id, Workspace: o.spec.Workspace, Created: o.p.Now(), Writer: o.p.Writer,
		Parent: o.parent, Client: cmp.Or(o.client, o.spec.Client),
	}
}

// resume opens the session that the spec names. An id needs no list.
func (o *origin) resume(ctx context.Context) error {
	o.id = o.spec.Session
	err := session.ErrUnknown
	if session.ValidID(o.id) {
		o.j.log, err = o.store.Open(ctx, o.id)
	}
	if errors.Is(err, session.ErrUnknown) {
		if o.id, err = session.Find(ctx, o.store, string(o.spec.Session)); err != nil {
			return err
		}
		o.spec.Session = o.id
		o.j.log, err = o.store.Open(ctx, o.id)
	}
	if err != nil {
		return err
	}
	o.opened.Reason = event.OpenedResumed
	if err := o.load(ctx); err != nil {
		return err
	}
	if o.j.folded.unclosed {
		o.opened.Reason = event.OpenedTakenOver
	}
	return nil
}

// resumeOrBegin is resume, or begin when the spec names no session or one that was deleted.
func (o *origin) resumeOrBegin(ctx context.Context) error {
	if o.spec.Session != "" {
		err := o.resume(ctx)
		if !errors.Is(err, session.ErrUnknown) {
			return err
		}
		o.spec.Session = ""
	}
	o.begin()
	return nil
}

// fork makes the session a copy of another. A copy that cannot be read goes again.
func (o *origin) fork(ctx context.Context) error {
	parent, err := session.Find(ctx, o.store, string(o.spec.Fork.Session))
	if err != nil {
		return err
	}
	o.id, o.parent = o.p.NewSession(), parent
	if err := o.store.Copy(ctx, parent, o.spec.Fork.At, o.meta()); err != nil {
		return err
	}
	o.opened.Reason, o.opened.Parent = event.OpenedForked, parent
	if o.j.log, err = o.store.Open(ctx, o.id); err == nil {
		err = o.load(ctx)
	}
	if err != nil {
		return errors.Join(err, o.abandon())
	}
	o.opened.At = o.j.seq
	return nil
}

// abandon removes the copy that a fork made.
func (o *origin) abandon() error {
	if o.opened.Reason != event.OpenedForked {
		return nil
	}
	return o.store.Delete(context.Background(), o.id)
}

// waiting are the prompts that an earlier process accepted and never began. A copy has
// none: they wait in the parent.
func (o *origin) waiting() []event.PromptQueued {
	if o.opened.Reason == event.OpenedForked {
		return nil
	}
	return o.j.folded.now.Queue
}

// notices are what the user should hear about this opening of the session, with the
// configuration it has now.
func (o *origin) notices(now event.Configured) (notices []event.Notice) {
	if o.opened.Reason == event.OpenedTakenOver {
		notices = append(notices, event.Notice{
			Level: event.LevelInfo, Code: "taken_over",
			Text: "who had this session open before ended without closing it; it was taken over",
		})
	}
	if o.damage.count > 0 {
		notices = append(notices, o.damage.notice(o.id))
	}
	if held := limitsHeld(o.spec.Limits, o.j.folded.configured.Limits, now.Limits); held != "" {
		notices = append(notices, event.Notice{
			Level: event.LevelInfo, Code: "limits_hold", Args: []string{held}, Text: "the limits of this session hold for each turn: " + held,
		})
	}
	if yolo := string(permission.PostureYolo); o.j.folded.configured.Approval == yolo && now.Approval == yolo {
		notices = append(notices, event.Notice{
			Level: event.LevelWarning, Code: "yolo_resumed",
			Text: "this session runs with the stored posture yolo: ordinary calls are not asked for",
		})
	}
	return notices
}

// limitsHeld names the limits that a session had, that hold on, and that who opened it
// said nothing about.
func limitsHeld(wished protocol.Limits, had, now event.Limits) string {
	var all []string
	if wished.Steps == nil && had.Steps > 0 && now.Steps == had.Steps {
		all = append(all, fmt.Sprintf("max-steps %d", now.Steps))
	}
	if wished.Cost == nil && had.Cost != nil && now.Cost != nil {
		all = append(all, strings.TrimSpace(fmt.Sprintf("max-cost %g %s", now.Cost.Amount, now.Cost.Currency)))
	}
	if wished.Time == nil && had.Time > 0 && now.Time == had.Time {
		all = append(all, fmt.Sprintf("max-turn-time %s", now.Time))
	}
	return strings.Join(all, ", ")
}

// resumed is what the session had. A headless one has no grants.
func (o *origin) resumed() Resumed {
	had := &o.j.folded
	r := Resumed{
		Stored: had.prefix, Before: had.configured, Seen: slices.Collect(maps.Values(had.seen)), Todos: had.now.Todos,
		Jobs: len(had.jobs), Dir: had.dir, Archives: had.archives, Filling: had.filling,
	}
	if o.spec.Interactive {
		r.AllowWrite = grantedDirs(had.grants)
	}
	return r
}

// save keeps bytes beside the journal.
func (o *origin) save(r io.Reader) (hash, path string, err error) {
	return o.store.Save(context.Background(), o.id, r)
}

// saved are the bytes that save kept.
func (o *origin) saved(hash string) ([]byte, error) {
	return o.store.Load(context.Background(), o.id, hash)
}
