package sessiontest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"reasonix/core/event"
	"reasonix/core/session"
)

// Fake is a session.Store in memory. Events pass through their codec, so that what
// is read is what a disk would give back.
type Fake struct {
	mu       sync.Mutex
	sessions map[event.SessionID]*kept
	writes   int // orders sessions by their last write
	unsynced error
	fail     error
}

type kept struct {
	meta    session.Meta
	lines   [][]byte
	files   map[string][]byte
	open    bool
	written int
	state   []byte // of Keep
	stateAt event.Seq

	configured event.Configured
	first      string // prompt
}

// Memory returns an empty store.
func Memory() *Fake { return &Fake{sessions: map[event.SessionID]*kept{}} }

// FailAppends makes every Append return err and keep nothing, as a full disk does,
// until it is called with nil.
func (f *Fake) FailAppends(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail = err
}

// FailSyncs makes every Sync return err, as a disk that breaks does, until it is called
// with nil.
func (f *Fake) FailSyncs(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.unsynced = err
}

// Create implements session.Store.
func (f *Fake) Create(_ context.Context, m session.Meta) (session.Log, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !session.ValidID(m.ID) {
		return nil, fmt.Errorf("create session %q: not a session id", m.ID)
	}
	if f.sessions[m.ID] != nil {
		return nil, fmt.Errorf("create session %s: %w", m.ID, fs.ErrExist)
	}
	m.Format = 1
	k := &kept{meta: m, files: map[string][]byte{}, open: true}
	f.sessions[m.ID] = k
	f.touch(k)
	return &fakeLog{store: f, id: m.ID, kept: k}, nil
}

func (f *Fake) touch(k *kept) {
	f.writes++
	k.written = f.writes
}

// Open implements session.Store.
func (f *Fake) Open(_ context.Context, id event.SessionID) (session.Log, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	k, err := f.free(id)
	if err != nil {
		return nil, err
	}
	k.open = true
	return &fakeLog{store: f, id: id, kept: k}, nil
}

// free returns a session nobody writes.
func (f *Fake) free(id event.SessionID) (*kept, error) {
	k := f.sessions[id]
	if k == nil {
		return nil, fmt.Errorf("open session %s: %w", id, session.ErrUnknown)
	}
	if k.open {
		return nil, &session.LockedError{ID: id, Holder: "this test"}
	}
	return k, nil
}

// Read implements session.Store.
func (f *Fake) Read(ctx context.Context, id event.SessionID, after event.Seq) iter.Seq2[event.Envelope, error] {
	return func(yield func(event.Envelope, error) bool) {
		f.mu.Lock()
		k := f.sessions[id]
		var lines [][]byte
		if k != nil {
			lines = k.lines
		}
		f.mu.Unlock()
		if k == nil {
			yield(event.Envelope{}, fmt.Errorf("read session %s: %w", id, session.ErrUnknown))
			return
		}
		for i := min(after, event.Seq(len(lines))); i < event.Seq(len(lines)); i++ {
			e, err := event.Decode(lines[i])
			if err = cmp.Or(ctx.Err(), err); err != nil {
				yield(event.Envelope{}, err)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// List implements session.Store.
func (f *Fake) List(_ context.Context, q session.Query) ([]session.Meta, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []*kept
	for _, k := range f.sessions {
		all = append(all, k)
	}
	slices.SortFunc(all, func(a, b *kept) int { return b.written - a.written })
	if i := slices.IndexFunc(all, func(k *kept) bool { return k.meta.ID == q.Before }); i >= 0 {
		all = all[i+1:]
	}
	if q.Limit > 0 {
		all = all[:min(q.Limit, len(all))]
	}
	var metas []session.Meta
	for _, k := range all {
		metas = append(metas, k.meta)
	}
	return metas, nil
}

// Info implements session.Store. It knows what a list shows, the configuration and the
// turns.
func (f *Fake) Info(_ context.Context, id event.SessionID) (session.Info, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := f.sessions[id]
	if k == nil {
		return session.Info{}, fmt.Errorf("look at session %s: %w", id, session.ErrUnknown)
	}
	in := session.Info{Meta: k.meta, Last: event.Seq(len(k.lines)), Effective: k.configured}
	if k.open {
		in.Holder = "this test"
	}
	for _, line := range k.lines {
		in.Bytes += int64(len(line))
		if e, err := event.Decode(line); err == nil {
			if _, ok := e.Payload.(event.TurnStarted); ok {
				in.Turns = append(in.Turns, session.TurnAt{Turn: e.Turn, Seq: e.Seq})
			}
		}
	}
	return in, nil
}

// Copy implements session.Store. Saved bytes are all copied.
func (f *Fake) Copy(_ context.Context, id event.SessionID, at event.Seq, m session.Meta) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := f.sessions[id]
	switch {
	case k == nil:
		return fmt.Errorf("copy session %s: %w", id, session.ErrUnknown)
	case !session.ValidID(m.ID):
		return fmt.Errorf("copy session %s: to %q: not a session id", id, m.ID)
	case f.sessions[m.ID] != nil:
		return fmt.Errorf("copy session %s: to %s: %w", id, m.ID, fs.ErrExist)
	}
	m.Format, m.Parent, m.Workspace = 1, cmp.Or(m.Parent, id), cmp.Or(m.Workspace, k.meta.Workspace)
	c := &kept{meta: m, lines: slices.Clone(k.lines), files: maps.Clone(k.files)}
	if at > 0 {
		c.lines = c.lines[:min(at, event.Seq(len(c.lines)))]
	}
	for _, line := range c.lines {
		if e, err := event.Decode(line); err == nil {
			c.summarise(e)
		}
	}
	f.sessions[m.ID] = c
	f.touch(c)
	return nil
}

// Rename implements session.Store.
func (f *Fake) Rename(_ context.Context, id event.SessionID, title string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	k, err := f.free(id)
	if err != nil {
		return err
	}
	c := k.configured
	c.Title, c.By = title, session.ByRename
	line, err := event.Append(nil, event.Envelope{Seq: event.Seq(len(k.lines) + 1), Payload: c})
	if err != nil {
		return fmt.Errorf("rename session %s: %w", id, err)
	}
	k.lines = append(k.lines, line)
	updated := k.meta.Updated
	k.summarise(event.Envelope{Payload: c})
	k.meta.Updated = updated
	return nil
}

// Delete implements session.Store.
func (f *Fake) Delete(_ context.Context, id event.SessionID) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.free(id); err != nil {
		return err
	}
	delete(f.sessions, id)
	return nil
}

// Save implements session.Store. The path names no file.
func (f *Fake) Save(ctx context.Context, id event.SessionID, r io.Reader) (hash, path string, err error) {
	data, err := io.ReadAll(r)
	if err = errors.Join(err, ctx.Err()); err != nil {
		return "", "", fmt.Errorf("save bytes beside session %s: %w", id, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	k := f.sessions[id]
	if k == nil {
		return "", "", fmt.Errorf("save bytes beside session %s: %w", id, session.ErrUnknown)
	}
	sum := sha256.Sum256(data)
	hash = hex.EncodeToString(sum[:])
	k.files[hash] = data
	return hash, "memory/" + string(id) + ".files/" + hash, nil
}

// Load implements session.Store.
func (f *Fake) Load(_ context.Context, id event.SessionID, hash string) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if k := f.sessions[id]; k != nil && k.files[hash] != nil {
		return bytes.Clone(k.files[hash]), nil
	}
	return nil, fmt.Errorf("load %s of session %s: %w", hash, id, fs.ErrNotExist)
}

type fakeLog struct {
	store  *Fake
	id     event.SessionID
	kept   *kept
	closed bool
}

func (l *fakeLog) Append(batch ...event.Envelope) error {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if l.closed {
		return fmt.Errorf("append to session %s: %w", l.id, fs.ErrClosed)
	}
	if l.store.fail != nil {
		return fmt.Errorf("append to session %s: %w", l.id, l.store.fail)
	}
	lines := l.kept.lines
	for _, e := range batch {
		if next := event.Seq(len(lines) + 1); e.Seq != next {
			return fmt.Errorf("append to session %s: sequence number %d where %d comes next", l.id, e.Seq, next)
		}
		line, err := event.Append(nil, e)
		if err != nil {
			return fmt.Errorf("append to session %s: %w", l.id, err)
		}
		lines = append(lines, line)
	}
	l.kept.lines = lines
	for _, e := range batch {
		l.kept.summarise(e)
	}
	l.store.touch(l.kept)
	return nil
}

// summarise keeps what a list shows.
func (k *kept) summarise(e event.Envelope) {
	k.meta.Updated = e.Time.UTC().Round(0)
	switch p := e.Payload.(type) {
	case event.Configured:
		k.configured = p
		k.meta.Model, k.meta.Title = p.Model, cmp.Or(p.Title, k.first)
	case event.PromptQueued:
		k.first = cmp.Or(k.first, p.Display)
		k.meta.Title = cmp.Or(k.configured.Title, k.first)
	case event.TurnStarted:
		k.meta.Outcome = ""
	case event.TurnEnded:
		k.meta.Outcome = p.Outcome
	default: // a list shows no other
	}
}

func (l *fakeLog) Sync() error {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if l.closed {
		return fmt.Errorf("sync session %s: %w", l.id, fs.ErrClosed)
	}
	if err := l.store.unsynced; err != nil {
		return fmt.Errorf("sync session %s: %w", l.id, err)
	}
	return nil
}

func (l *fakeLog) Last() event.Seq {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	return event.Seq(len(l.kept.lines))
}

func (l *fakeLog) Torn() *session.Damage { return nil }

func (l *fakeLog) Keep(state []byte) {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	l.kept.state, l.kept.stateAt = bytes.Clone(state), event.Seq(len(l.kept.lines))
}

func (l *fakeLog) Kept() ([]byte, event.Seq) {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	return bytes.Clone(l.kept.state), l.kept.stateAt
}

func (l *fakeLog) Close() error {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if !l.closed {
		l.closed, l.kept.open = true, false
	}
	return nil
}

// at is a fixed time for the suite's events.
func at(seq event.Seq) time.Time {
	return time.Date(2026, 1, 2, 15, 4, 5, int(seq), time.UTC)
}
