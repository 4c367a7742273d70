package jsonl

import (
	"context"
	"errors"
	"io"

	"reasonix/core/event"
	"reasonix/core/session"
	"reasonix/core/session/sealed"
)

// Export writes a session as a journal without damage: the header and every record that
// can be read, as they were written, and says how many lines it left out. Numbers of
// lost records are missing in it.
func (s *Store) Export(ctx context.Context, id event.SessionID, w io.Writer) (skipped int, err error) {
	skipped, err = s.export(ctx, id, w)
	if err != nil {
		return skipped, named("export", id, err)
	}
	return skipped, nil
}

func (s *Store) export(ctx context.Context, id event.SessionID, w io.Writer) (skipped int, err error) {
	f, err := s.openKnown(id)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	first, err := s.headerOf(id, f)
	if err != nil {
		return 0, err
	}
	if _, err := w.Write(first); err != nil {
		return 0, err
	}
	r := &reader{lines: newLineReader(f), id: id}
	for {
		_, err := r.next()
		switch {
		case errors.Is(err, io.EOF):
			return skipped, nil
		case err != nil && !fatal(err):
			skipped++
			continue
		case err == nil:
			err = ctx.Err()
		}
		if err != nil {
			return skipped, err
		}
		sealed.Restore(r.raw)
		if _, err := w.Write(append(r.raw[:len(r.raw):len(r.raw)], '\n')); err != nil {
			return skipped, err
		}
	}
}

// headerOf is the header line as it is in the journal, or a new one for a journal that
// lost its own.
func (s *Store) headerOf(id event.SessionID, f io.ReaderAt) ([]byte, error) {
	line, _, err := newLineReaderSize(io.NewSectionReader(f, 0, 1<<62), 4<<10).next()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	h, record, damage := parseHeader(line)
	if damage != nil && record == nil {
		for _, p := range pieces(line) {
			if p.at == 0 && p.object != nil && sealed.Seq(p.object) == 0 {
				h, record, damage = parseHeader(restore(p))
			}
		}
	}
	if damage != nil || record != nil {
		h = s.header(session.Meta{ID: id, Created: createdOf(id)})
	}
	return h.line()
}
