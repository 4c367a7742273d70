package jsonl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"reasonix/core/durable"
	"reasonix/core/event"
	"reasonix/core/session"
	"reasonix/core/session/sealed"
)

// Options are what a Store writes into a header when session.Meta leaves it empty.
type Options struct {
	Workspace string // absolute
	Writer    string // program and version
	// Now is the clock of the records Rename and Repair write; nil is the system's.
	Now func() time.Time
	// Beside are further directories with a directory or file <id> for a session;
	// Delete removes it, and GC when the session is gone.
	Beside []string
}

// Store keeps the sessions of one workspace in one directory. It implements
// session.Store, holds no open file and is safe for concurrent use.
type Store struct {
	dir     string
	options Options
}

// New returns the store in dir (see Dir), which is made by the first Create.
func New(dir string, options Options) *Store { return &Store{dir: dir, options: options} }

func (s *Store) path(id event.SessionID, suffix string) string {
	return filepath.Join(s.dir, string(id)+suffix)
}

func (s *Store) journal(id event.SessionID) string { return s.path(id, ".jsonl") }

func (s *Store) header(m session.Meta) header {
	h := header{
		Format: format, ID: m.ID, Workspace: m.Workspace, Created: m.Created,
		Parent: m.Parent, Writer: m.Writer, Client: m.Client,
	}
	if h.Workspace == "" {
		h.Workspace = s.options.Workspace
	}
	if h.Writer == "" {
		h.Writer = s.options.Writer
	}
	return h
}

// Create implements session.Store.
func (s *Store) Create(_ context.Context, m session.Meta) (session.Log, error) {
	l, err := s.create(m)
	if err != nil {
		return nil, named("create", m.ID, err)
	}
	return l, nil
}

func (s *Store) create(m session.Meta) (*log, error) {
	if !session.ValidID(m.ID) {
		return nil, errors.New("not a session id")
	}
	first, err := s.header(m).line()
	if err != nil {
		return nil, err
	}
	if err := durable.MkdirAll(s.dir); err != nil {
		return nil, err
	}
	lock, err := s.acquire(m.ID)
	if err != nil {
		return nil, err
	}
	lines, err := durable.CreateLines(s.journal(m.ID), first)
	if err != nil {
		err = errors.Join(err, lock.Release())
		if errors.Is(s.exists(m.ID), session.ErrUnknown) {
			_ = os.Remove(s.path(m.ID, ".lock")) // best effort: it locks nothing
		}
		return nil, err
	}
	x := newIndex(m.ID)
	if h, _, damage := parseHeader(bytes.TrimSuffix(first, []byte("\n"))); damage == nil {
		x.Header = h
	}
	x.Size, x.Lines, x.Crc = int64(len(first)), 1, sealed.Checksum(bytes.TrimSuffix(first, []byte("\n")))
	return &log{id: m.ID, store: s, lock: lock, lines: lines, index: x}, nil
}

// Open implements session.Store. It reads what the index does not know of, which is
// all of a journal without one, once and line by line.
func (s *Store) Open(_ context.Context, id event.SessionID) (session.Log, error) {
	l, err := s.open(id)
	if err != nil {
		return nil, named("open", id, err)
	}
	return l, nil
}

func (s *Store) open(id event.SessionID) (*log, error) {
	if err := s.exists(id); err != nil {
		return nil, err
	}
	lock, err := s.acquire(id)
	if err != nil {
		return nil, err
	}
	l, err := s.openLocked(id)
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	l.lock = lock
	return l, nil
}

func (s *Store) openLocked(id event.SessionID) (*log, error) {
	if err := s.mayContinue(id); err != nil {
		return nil, err
	}
	lines, err := durable.OpenLines(s.journal(id), checks)
	if err != nil {
		return nil, err
	}
	l, err := s.survey(id, lines)
	if err != nil {
		return nil, errors.Join(err, lines.Close())
	}
	return l, nil
}

// survey makes the log of an open journal.
func (s *Store) survey(id event.SessionID, lines *durable.Lines) (*log, error) {
	size := lines.Size()
	if size == 0 {
		first, err := s.header(session.Meta{ID: id}).line()
		if err == nil {
			err = lines.Append(first)
		}
		if err != nil {
			return nil, err
		}
	}
	f, err := durable.Open(s.journal(id))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	x, sc, err := s.current(id, f)
	if err != nil {
		return nil, err
	}
	l := &log{id: id, store: s, lines: lines, index: x, last: sc.now.Last}
	if torn := lines.Torn(); torn != nil {
		l.torn = &session.Damage{
			Line: sc.now.Lines + 1, Offset: size, Kind: session.DamageTorn,
			Reason: fmt.Sprintf("cut off after %d bytes", len(torn)),
		}
		if size == 0 {
			l.torn.Line = 1
		}
	}
	if sc.heavy {
		s.keep(x)
	}
	// What is appended comes behind the damaged lines at the end, if any.
	x.account, x.Size = sc.now, lines.Size()
	return l, nil
}

func checks(tail []byte) bool {
	_, ok := sealed.Open(append([]byte(nil), tail...))
	return ok
}

// mayContinue refuses a journal of a newer format, before anything is changed.
func (s *Store) mayContinue(id event.SessionID) error {
	f, err := durable.Open(s.journal(id))
	if err != nil {
		return err
	}
	defer f.Close()
	line, _, err := newLineReaderSize(f, 4<<10).next()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	if h, _, _ := parseHeader(line); h.Format > format {
		return &session.FormatError{ID: id, Format: h.Format}
	}
	return nil
}

// Delete implements session.Store.
func (s *Store) Delete(_ context.Context, id event.SessionID) error {
	if err := s.remove(id); err != nil {
		return named("delete", id, err)
	}
	return nil
}

// remove takes the journal first: a session that was half deleted is no session, and
// GC finds the rest.
func (s *Store) remove(id event.SessionID) error {
	if err := s.exists(id); err != nil {
		return err
	}
	lock, err := s.acquire(id)
	if err != nil {
		return err
	}
	err = os.Remove(s.journal(id))
	if err == nil {
		err = s.removeBeside(id)
	}
	if err = errors.Join(err, lock.Release()); err != nil {
		return err
	}
	if err := os.Remove(s.path(id, ".lock")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return durable.SyncDir(s.dir)
}

// removeBeside removes everything of a session but its lock.
func (s *Store) removeBeside(id event.SessionID) error {
	names, err := s.names()
	for _, name := range names {
		if strings.HasPrefix(name, string(id)+".") && name != string(id)+".lock" {
			err = errors.Join(err, os.RemoveAll(filepath.Join(s.dir, name)))
		}
	}
	for _, dir := range s.options.Beside {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, string(id))))
	}
	return err
}

func (s *Store) exists(id event.SessionID) error {
	if !session.ValidID(id) {
		return session.ErrUnknown
	}
	_, err := os.Stat(s.journal(id))
	if errors.Is(err, fs.ErrNotExist) {
		return session.ErrUnknown
	}
	return err
}

func (s *Store) acquire(id event.SessionID) (*durable.Lock, error) {
	lock, err := durable.AcquireSigned(s.path(id, ".lock"))
	if held, ok := errors.AsType[*durable.HeldError](err); ok {
		locked := &session.LockedError{ID: id, Holder: held.Holder}
		if held.Elsewhere {
			locked.File = held.Path
		}
		return nil, locked
	}
	return lock, err
}

// named says which session an operation was about, unless the error does.
func named(op string, id event.SessionID, err error) error {
	if _, ok := errors.AsType[*session.LockedError](err); ok {
		return err
	}
	if _, ok := errors.AsType[*session.FormatError](err); ok {
		return err
	}
	return fmt.Errorf("%s session %s: %w", op, id, err)
}
