package jsonl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"

	"reasonix/core/durable"
	"reasonix/core/event"
	"reasonix/core/session"
)

// Read implements session.Store. It holds one line in memory at a time.
func (s *Store) Read(ctx context.Context, id event.SessionID, after event.Seq) iter.Seq2[event.Envelope, error] {
	return func(yield func(event.Envelope, error) bool) {
		f, err := s.openJournal(id)
		if err != nil {
			yield(event.Envelope{}, err)
			return
		}
		defer f.Close()
		r := reader{lines: newLineReader(f), id: id, after: after}
		for {
			e, err := r.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if cerr := ctx.Err(); cerr != nil {
				e, err = event.Envelope{}, fmt.Errorf("read session %s: %w", id, cerr)
			}
			if !yield(e, err) || fatal(err) {
				return
			}
		}
	}
}

func (s *Store) openJournal(id event.SessionID) (*os.File, error) {
	if !session.ValidID(id) {
		return nil, fmt.Errorf("read session %q: %w", id, session.ErrUnknown)
	}
	f, err := durable.Open(s.journal(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read session %s: %w", id, session.ErrUnknown)
	}
	if err != nil {
		return nil, fmt.Errorf("read session %s: %w", id, err)
	}
	return f, nil
}

func fatal(err error) bool {
	if err == nil {
		return false
	}
	_, skipped := errors.AsType[*session.DamageError](err)
	return !skipped
}

// reader turns lines into events and damage.
type reader struct {
	lines *lineReader
	id    event.SessionID
	after event.Seq

	begun bool      // the header was read
	last  event.Seq // of the last good record
	lost  event.Seq // lines skipped since
	held  []byte    // a record whose gap was reported first
}

// next returns the next event behind after, or a *session.DamageError.
func (r *reader) next() (event.Envelope, error) {
	if !r.begun {
		r.begun = true
		if damage, err := r.header(); err != nil || damage != nil && r.after == 0 {
			return event.Envelope{}, r.report(damage, err)
		}
	}
	for {
		object, damage, err := r.record()
		if err == nil && damage == nil {
			if peekSeq(object) <= r.after {
				r.accept(object)
				continue
			}
			var e event.Envelope
			if e, err = event.Decode(object); err == nil {
				r.accept(object)
				return e, nil
			}
			r.lost++
			damage, err = &session.Damage{Line: r.lines.n, Reason: err.Error()}, nil
		}
		if err != nil || r.last >= r.after {
			return event.Envelope{}, r.report(damage, err)
		}
	}
}

func (r *reader) accept(object []byte) { r.last, r.lost = peekSeq(object), 0 }

func (r *reader) report(damage *session.Damage, err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return io.EOF
	case err != nil:
		return fmt.Errorf("read session %s: %w", r.id, err)
	default:
		return &session.DamageError{ID: r.id, Damage: *damage}
	}
}

func (r *reader) header() (*session.Damage, error) {
	line, whole, err := r.lines.next()
	if errors.Is(err, io.EOF) || err == nil && !whole {
		return &session.Damage{Line: 1, Reason: "header: missing"}, nil
	}
	if err != nil {
		return nil, err
	}
	_, record, damage := parseHeader(line)
	r.held = record
	return damage, nil
}

// record returns the next line that checks and comes in order, or what is wrong.
func (r *reader) record() ([]byte, *session.Damage, error) {
	if object := r.held; object != nil {
		r.held = nil
		return object, nil, nil
	}
	for {
		line, whole, err := r.lines.next()
		if err != nil {
			return nil, nil, err
		}
		object, ok := unseal(line)
		switch {
		case ok:
			damage := r.order(object)
			return object, damage, nil
		case !whole:
			return nil, nil, io.EOF
		case len(bytes.TrimSpace(line)) > 0:
			r.lost++
			damage := diagnose(line)
			damage.Line = r.lines.n
			return nil, &damage, nil
		}
	}
}

// order refuses a record that was there already. Numbers that are missing without
// a skipped line to account for them are lines somebody removed: that is told, and
// the record itself comes next.
func (r *reader) order(object []byte) *session.Damage {
	seq := peekSeq(object)
	switch {
	case seq == 0:
		r.lost++
		return &session.Damage{Line: r.lines.n, Reason: "it has no sequence number"}
	case seq <= r.last:
		return &session.Damage{Line: r.lines.n, Reason: fmt.Sprintf("it repeats sequence number %d", seq)}
	case seq-r.last-1 > r.lost:
		r.held = object
		return &session.Damage{
			Line:   r.lines.n,
			Reason: fmt.Sprintf("records between %d and %d are missing before it", r.last, seq), Edited: true,
		}
	default:
		return nil
	}
}
