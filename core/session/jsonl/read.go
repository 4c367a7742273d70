package jsonl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"

	"reasonix/core/durable"
	"reasonix/core/event"
	"reasonix/core/session"
	"reasonix/core/session/sealed"
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
		r := s.readerFrom(f, id, after)
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

// seekFrom is how long a journal is before its index is worth asking where to begin.
const seekFrom = 1 << 20

// readerFrom begins behind after, as near to it as the index knows a place. The
// journal itself has the last word: where the record is not there, all of it is read.
func (s *Store) readerFrom(f *os.File, id event.SessionID, after event.Seq) *reader {
	r := &reader{lines: newLineReader(f), id: id, after: after}
	info, err := f.Stat()
	if after == 0 || err != nil || info.Size() < seekFrom {
		return r
	}
	x := s.storedIndex(id, f)
	if x == nil {
		return r
	}
	m := x.before(min(after, x.Last) + 1)
	if !m.holds(f, info.Size()) {
		return r
	}
	rest := newLineReader(io.NewSectionReader(f, m.offset(), 1<<62))
	rest.n, rest.off = m.line()-1, m.offset()
	return &reader{lines: rest, id: id, after: after, begun: true, last: m.seq() - 1}
}

// holds reports whether the record of m is where m says.
func (m mark) holds(f io.ReaderAt, size int64) bool {
	if m.seq() == 0 || m.line() < 2 || m.offset() <= 0 || m.offset() >= size {
		return false
	}
	before := make([]byte, 1)
	if _, err := f.ReadAt(before, m.offset()-1); err != nil || before[0] != '\n' {
		return false
	}
	line, _, err := newLineReader(io.NewSectionReader(f, m.offset(), size-m.offset())).next()
	if err != nil {
		return false
	}
	object, ok := sealed.Open(line)
	return ok && sealed.Seq(object) == m.seq()
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
	lines  *lineReader
	id     event.SessionID
	after  event.Seq
	strict bool // lines that lost nothing but their break are told, too

	begun bool      // the header was read
	last  event.Seq // of the last good record
	lost  event.Seq // lines skipped since
	queue []piece   // of the line just read
	held  []byte    // a record whose gap was reported first
	raw   []byte    // of the event or damage just returned, without its line break
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
			if sealed.Seq(object) <= r.after {
				r.accept(object)
				continue
			}
			var e event.Envelope
			if e, err = event.Decode(object); err == nil {
				r.accept(object)
				return e, nil
			}
			r.lost++
			damage, err = r.damage(session.DamageUnknown, err.Error()), nil
		}
		if err != nil || r.last >= r.after {
			return event.Envelope{}, r.report(damage, err)
		}
	}
}

func (r *reader) accept(object []byte) { r.last, r.lost = sealed.Seq(object), 0 }

func (r *reader) damage(kind session.DamageKind, reason string) *session.Damage {
	return &session.Damage{Line: r.lines.n, Offset: r.lines.at, Kind: kind, Reason: reason}
}

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
		return &session.Damage{Line: 1, Kind: session.DamageHeader, Reason: "header: missing"}, nil
	}
	if err != nil {
		return nil, err
	}
	_, record, damage := parseHeader(line)
	switch {
	case record != nil:
		r.queue = []piece{{raw: line, object: record}}
	case damage != nil:
		r.raw = line
		r.queue = slices.DeleteFunc(pieces(line), func(p piece) bool {
			if p.at == 0 && p.object != nil && json.Valid(p.object) {
				damage = nil
			}
			return p.at == 0
		})
		if damage == nil && r.strict {
			damage = r.damage(session.DamageJoined, "the line break behind the header is missing")
		}
	}
	return damage, nil
}

// record returns the next record that checks and comes in order, or what is wrong.
func (r *reader) record() ([]byte, *session.Damage, error) {
	if object := r.held; object != nil {
		r.held = nil
		return object, nil, nil
	}
	for {
		if len(r.queue) > 0 {
			p := r.queue[0]
			r.queue = r.queue[1:]
			if p.object != nil {
				r.raw = p.raw
				return p.object, r.order(p.object), nil
			}
			r.lost++
			damage := diagnose(p.raw)
			damage.Line, damage.Offset = r.lines.n, r.lines.offset(p.at)
			r.raw = p.raw
			return nil, &damage, nil
		}
		damage, err := r.fill()
		if damage != nil || err != nil {
			return nil, damage, err
		}
	}
}

// fill reads a line into the queue. The last one counts only when it is whole: it may
// be being written.
func (r *reader) fill() (*session.Damage, error) {
	line, whole, err := r.lines.next()
	if err != nil {
		return nil, err
	}
	if !whole {
		if object, ok := sealed.Open(line); ok {
			r.queue = []piece{{raw: line, object: object}}
			return nil, nil
		}
		r.raw = line
		if !r.strict {
			return nil, io.EOF
		}
		return r.damage(session.DamageTorn, fmt.Sprintf("cut off after %d bytes", int64(len(line))+r.lines.cut)), nil
	}
	if len(line) == 0 {
		return nil, nil
	}
	r.queue = pieces(line)
	joined := 0
	for _, p := range r.queue {
		if p.object != nil {
			joined++
		}
	}
	if r.strict && joined > 1 {
		r.raw = nil
		return r.damage(session.DamageJoined, "the line break between two records is missing"), nil
	}
	return nil, nil
}

// order refuses a record that was there already. Numbers that are missing without
// a skipped line to account for them are lines somebody removed: that is told, and
// the record itself comes next.
func (r *reader) order(object []byte) *session.Damage {
	seq := sealed.Seq(object)
	switch {
	case seq == 0:
		r.lost++
		return r.damage(session.DamageBroken, "it has no sequence number")
	case seq <= r.last:
		return r.damage(session.DamageRepeated, fmt.Sprintf("it repeats sequence number %d", seq))
	case seq-r.last-1 > r.lost:
		r.held = object
		d := r.damage(session.DamageMissing, fmt.Sprintf("records between %d and %d are missing before it", r.last, seq))
		d.Edited = true
		return d
	default:
		return nil
	}
}
