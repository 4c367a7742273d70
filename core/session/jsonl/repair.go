package jsonl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"reasonix/core/durable"
	"reasonix/core/event"
	"reasonix/core/session"
	"reasonix/core/session/sealed"
)

// Repaired is what Repair did.
type Repaired struct {
	Report          // what was wrong
	Filled   int    // notices written in the place of lost records
	Kept     string // path of the journal as it was; empty: nothing was done
	Damaged  string // path of the lines that were taken out
	TakenOut int    // lines
}

// codeLost is the code of the notice that stands for a lost record.
const codeLost = "record_lost"

// maxFill is how many lost records in a row get a notice each. Where more are missing
// something else is wrong, and no repair is made.
const maxFill = 100_000

// Repair writes the session anew from what can be read of it, under its lock and in
// one step. The journal as it was is kept as <id>.original, the lines that were taken
// out also in <id>.damaged, each under a line that says what was wrong with it. A lost
// record leaves a notice with its number, so that numbers stay what they were. What is
// only wrong with the bytes beside the journal cannot be repaired. A journal without
// damage is left alone.
func (s *Store) Repair(ctx context.Context, id event.SessionID) (Repaired, error) {
	rep, err := s.repair(ctx, id)
	if err != nil {
		return rep, named("repair", id, err)
	}
	return rep, nil
}

func (s *Store) repair(ctx context.Context, id event.SessionID) (rep Repaired, err error) {
	rep.ID = id
	if err := s.exists(id); err != nil {
		return rep, err
	}
	lock, err := s.acquire(id)
	if err != nil {
		return rep, err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	if err := s.mayContinue(id); err != nil {
		return rep, err
	}
	f, err := durable.Open(s.journal(id))
	if err != nil {
		return rep, err
	}
	defer f.Close()
	temp, err := os.CreateTemp(s.dir, durable.TempPrefix)
	if err != nil {
		return rep, err
	}
	defer func() { err = errors.Join(err, temp.Close(), remove(temp.Name())) }()
	m := mender{store: s, out: bufio.NewWriterSize(temp, 256<<10)}
	if err := m.run(ctx, id, f); err != nil {
		return rep, err
	}
	rep.Report, rep.Filled, rep.TakenOut = m.report, m.filled, len(m.taken)
	if len(rep.Damages) == 0 {
		return rep, nil
	}
	if err := errors.Join(m.out.Flush(), temp.Sync()); err != nil {
		return rep, err
	}
	return rep, s.replace(id, f, temp.Name(), m.taken, &rep)
}

// replace puts the mended journal in the place of the old one, which gets a name of
// its own first.
func (s *Store) replace(id event.SessionID, old *os.File, temp string, taken [][]byte, rep *Repaired) error {
	info, err := old.Stat()
	if err != nil {
		return err
	}
	if len(taken) > 0 {
		rep.Damaged = s.path(id, ".damaged")
		if err := appendAll(rep.Damaged, taken); err != nil {
			return err
		}
	}
	kept, err := s.keepOriginal(id)
	if err != nil {
		return err
	}
	rep.Kept = kept
	if err := os.Chtimes(temp, time.Time{}, info.ModTime()); err != nil {
		return err
	}
	if err := os.Rename(temp, s.journal(id)); err != nil {
		return err
	}
	_ = os.Remove(s.path(id, ".idx")) // they are made again
	_ = os.Remove(s.path(id, ".state"))
	return durable.SyncDir(s.dir)
}

// keepOriginal gives the journal a second name that is free.
func (s *Store) keepOriginal(id event.SessionID) (string, error) {
	for n := 1; ; n++ {
		path := s.path(id, ".original")
		if n > 1 {
			path = fmt.Sprintf("%s-%d", path, n)
		}
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return path, link(s.journal(id), path)
		}
	}
}

func appendAll(path string, lines [][]byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	for _, line := range lines {
		if _, err = f.Write(line); err != nil {
			break
		}
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// mender writes a journal anew.
type mender struct {
	store  *Store
	out    *bufio.Writer
	report Report
	filled int
	last   event.Seq
	reason string   // of the last damage
	taken  [][]byte // lines that are no part of the new journal, for .damaged
}

func (m *mender) run(ctx context.Context, id event.SessionID, f *os.File) error {
	m.report.ID = id
	first, err := m.store.headerOf(id, f)
	if err != nil {
		return err
	}
	if _, err := m.out.Write(first); err != nil {
		return err
	}
	r := &reader{lines: newLineReader(f), id: id, strict: true}
	for {
		e, err := r.next()
		if errors.Is(err, io.EOF) {
			m.report.Bytes = r.lines.off
			return nil
		}
		if err == nil || !fatal(err) {
			err = errors.Join(err, ctx.Err())
		}
		if fatal(err) {
			return err
		}
		if damage, ok := errors.AsType[*session.DamageError](err); ok {
			m.damaged(damage.Damage, r.raw)
			continue
		}
		if err := m.record(e, r.raw); err != nil {
			return err
		}
	}
}

// createdOf is the time an id was made of; the zero time when it is no such id.
func createdOf(id event.SessionID) time.Time {
	const layout = "20060102-150405"
	at, err := time.Parse(layout, string(id[:min(len(id), len(layout))]))
	if err != nil {
		return time.Time{}
	}
	return at
}

func (m *mender) damaged(d session.Damage, raw []byte) {
	m.report.Damages = append(m.report.Damages, d)
	m.reason = d.Reason
	if d.Kind == session.DamageMissing || d.Kind == session.DamageJoined || len(raw) == 0 {
		return // nothing of it is there, or nothing is lost
	}
	line := fmt.Appendf(nil, "# line %d, offset %d: %s\n", d.Line, d.Offset, d.Reason)
	m.taken = append(m.taken, append(append(line, raw...), '\n'))
}

// record writes a record as it was, behind a notice for each that is lost.
func (m *mender) record(e event.Envelope, raw []byte) error {
	if lost := e.Seq - m.last - 1; lost > maxFill {
		return fmt.Errorf("%d records are missing before number %d", lost, e.Seq)
	}
	for m.last++; m.last < e.Seq; m.last++ {
		m.filled++
		line, err := event.Append(nil, event.Envelope{Seq: m.last, Time: e.Time, Turn: e.Turn, Payload: event.Notice{
			Level: event.LevelWarning, Code: codeLost, Args: []string{m.reason}, Text: "a record of this session was lost: " + m.reason,
		}})
		if err != nil {
			return err
		}
		if _, err := m.out.Write(sealed.Line(line, 0)); err != nil {
			return err
		}
	}
	m.report.Records, m.report.Last = m.report.Records+1, e.Seq
	sealed.Restore(raw)
	if _, err := m.out.Write(raw); err != nil {
		return err
	}
	return m.out.WriteByte('\n')
}
