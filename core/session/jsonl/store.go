package jsonl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"reasonix/core/durable"
	"reasonix/core/event"
	"reasonix/core/session"
)

// Options are what a Store writes into a header when session.Meta leaves it empty.
type Options struct {
	Workspace string // absolute
	Writer    string // program and version
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
		Parent: m.Parent, Writer: m.Writer,
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
	return &log{id: m.ID, lock: lock, lines: lines}, nil
}

// Open implements session.Store. It reads the whole journal once, without decoding
// it, for the highest sequence number.
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
	found, err := s.survey(id)
	if err != nil {
		return nil, err
	}
	if found.format > format {
		return nil, &session.FormatError{ID: id, Format: found.format}
	}
	lines, err := durable.OpenLines(s.journal(id), sealed)
	if err != nil {
		return nil, err
	}
	l := &log{id: id, lines: lines, last: found.last}
	if torn := lines.Torn(); torn != nil {
		l.torn = &session.Damage{Line: found.lines, Reason: fmt.Sprintf("cut off after %d bytes", len(torn))}
	}
	if lines.Size() > 0 {
		return l, nil
	}
	first, err := s.header(session.Meta{ID: id}).line()
	if err == nil {
		err = lines.Append(first)
	}
	if err != nil {
		return nil, errors.Join(err, lines.Close())
	}
	return l, nil
}

func sealed(tail []byte) bool {
	_, ok := unseal(append([]byte(nil), tail...))
	return ok
}

// facts are what Open must know of a journal.
type facts struct {
	format int
	last   event.Seq
	lines  int
}

// survey reads a journal through. A line that does not check still uses up its
// number when it carries the one expected there, so that accepting it later does
// not make two records of one number.
func (s *Store) survey(id event.SessionID) (facts, error) {
	var found facts
	f, err := durable.Open(s.journal(id))
	if err != nil {
		return found, err
	}
	defer f.Close()
	r := newLineReader(f)
	for {
		line, whole, err := r.next()
		if errors.Is(err, io.EOF) {
			found.lines = r.n
			return found, nil
		}
		if err != nil {
			return found, err
		}
		if r.n == 1 {
			h, record, _ := parseHeader(line)
			found.format, found.last = h.Format, peekSeq(record)
			continue
		}
		if object, ok := unseal(line); ok {
			found.last = max(found.last, peekSeq(object))
		} else if whole && peekSeq(line) == found.last+1 {
			found.last++
		}
	}
}

// Delete implements session.Store.
func (s *Store) Delete(_ context.Context, id event.SessionID) error {
	if err := s.remove(id); err != nil {
		return named("delete", id, err)
	}
	return nil
}

func (s *Store) remove(id event.SessionID) error {
	if err := s.exists(id); err != nil {
		return err
	}
	lock, err := s.acquire(id)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(s.dir)
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, string(id)+".") && name != string(id)+".lock" {
			err = errors.Join(err, os.RemoveAll(filepath.Join(s.dir, name)))
		}
	}
	err = errors.Join(err, lock.Release())
	if err != nil {
		return err
	}
	if err := os.Remove(s.path(id, ".lock")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return durable.SyncDir(s.dir)
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
	lock, err := durable.Acquire(s.path(id, ".lock"))
	if held, ok := errors.AsType[*durable.HeldError](err); ok {
		return nil, &session.LockedError{ID: id, Holder: held.Holder}
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
