package history

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"reasonix/core/durable"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/retrieval"
	"reasonix/core/session/sealed"
)

const (
	// builderSize is how many bytes of memory the segment being built may take; to
	// write it takes as many again.
	builderSize = 32 << 20
	// printSize is how many bytes before the offset tell whether a journal is the
	// one that was read.
	printSize = 256
	// checkEvery is after how many bytes the intake looks at the clock.
	checkEvery = 1 << 20
)

// intake reads journals into segments.
type intake struct {
	shelf
	until time.Time // zero: no limit
	now   func() time.Time
	room  int64 // bytes that may still be read; negative: no limit
	// flush takes a full builder and whose its documents are.
	flush func(b *retrieval.Builder, runs []run) error

	b       *retrieval.Builder
	runs    []run
	unseen  int64 // bytes since the last look at the clock
	stopped bool
}

// changes brings the catalog in line with the files that are there, without reading
// them: it drops what is gone and what was rewritten, and returns what has grown,
// newest first.
func (c *catalog) changes(s shelf, files []file) (grown []growth) {
	known := c.byName()
	kept := make([]*source, 0, len(files))
	dropped := map[int]bool{}
	next := 1
	for _, src := range c.Sources {
		next = max(next, src.ID+1)
		dropped[src.ID] = true
	}
	for _, f := range files {
		src := known[f.name]
		if src == nil || !src.continues(s, f) {
			src = &source{ID: next, Name: f.name}
			next++
		}
		delete(dropped, src.ID)
		kept = append(kept, src)
		if src.Size != f.size || src.Modified != f.modified {
			grown = append(grown, growth{src, f})
		}
	}
	c.Sources = kept
	c.drop(dropped)
	return grown
}

// growth is a journal of which something was not read yet.
type growth struct {
	*source
	file file
}

// continues reports whether f is what was read, possibly with more behind it.
func (s *source) continues(at shelf, f file) bool {
	if f.size == s.Size && f.modified == s.Modified {
		return true
	}
	if f.size < s.Offset || f.size == s.Size {
		return false
	}
	in, err := durable.Open(at.path(s.Name))
	if err != nil {
		return false
	}
	defer in.Close()
	sum, err := printOf(in, s.Offset)
	return err == nil && sum == s.Print
}

func printOf(r io.ReaderAt, offset int64) (uint32, error) {
	data := make([]byte, min(offset, printSize))
	if _, err := r.ReadAt(data, offset-int64(len(data))); err != nil {
		return 0, err
	}
	return checksum(data), nil
}

// drop forgets the documents of sources.
func (c *catalog) drop(ids map[int]bool) {
	if len(ids) == 0 {
		return
	}
	for _, s := range c.Segments {
		kept := s.Runs[:0]
		for _, r := range s.Runs {
			if !ids[r.Source] {
				kept = append(kept, r)
			}
		}
		s.Runs = kept
	}
}

// take reads what has grown. It stops early, without an error, when there is no time
// or room left, and returns how many bytes it did not come to.
func (in *intake) take(ctx context.Context, grown []growth) (behind int64, err error) {
	in.b = &retrieval.Builder{}
	for _, g := range grown {
		if !in.stopped {
			if err := in.journal(ctx, g); err != nil {
				return 0, err
			}
		}
		if g.Size != g.file.size {
			behind += g.file.size - g.Offset
		}
	}
	return behind, in.full()
}

// full passes on what was collected.
func (in *intake) full() error {
	if in.b.Docs() == 0 {
		return nil
	}
	err := in.flush(in.b, in.runs)
	in.b, in.runs = &retrieval.Builder{}, nil
	return err
}

// journal reads one file from where it was left. One that cannot be read is passed
// over: it was deleted, or is not ours.
func (in *intake) journal(ctx context.Context, g growth) error {
	f, err := durable.Open(in.path(g.Name))
	if err != nil {
		g.Size, g.Modified = g.file.size, g.file.modified
		return nil
	}
	defer f.Close()
	r := newLines(f, g.Offset, g.file.size)
	for !in.stopped {
		line, at, err := r.next()
		if err != nil {
			g.Size, g.Modified = g.file.size, g.file.modified
			break
		}
		if p, err := in.piece(g.source, line, at); err == nil && p.searchable() {
			in.add(g.ID, at, p)
		}
		g.Offset = r.off
		if err := in.pace(ctx, r.off-at); err != nil {
			return err
		}
		if in.b.Size() > builderSize {
			if err := g.stamp(f); err != nil {
				return err
			}
			if err := in.full(); err != nil {
				return err
			}
		}
	}
	return g.stamp(f)
}

// stamp notes what the journal looks like before the offset. Where it was not read
// to its end its size is the offset, so that it counts as grown.
func (g growth) stamp(f *os.File) error {
	if g.Size != g.file.size {
		g.Size, g.Modified = g.Offset, 0
	}
	sum, err := printOf(f, g.Offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	g.Print = sum
	return nil
}

func (in *intake) add(id int, at int64, p piece) {
	doc := in.b.Docs()
	in.b.Add(uint64(at), ends(p.text))
	if n := len(in.runs); n > 0 && in.runs[n-1].Source == id {
		in.runs[n-1].To = doc + 1
		return
	}
	in.runs = append(in.runs, run{id, doc, doc + 1})
}

// pace stops the intake when the time, the room or the context is at its end.
func (in *intake) pace(ctx context.Context, read int64) error {
	if in.room >= 0 {
		in.room = max(0, in.room-read)
		in.stopped = in.room == 0
	}
	if in.unseen += read; in.unseen < checkEvery {
		return nil
	}
	in.unseen = 0
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	in.stopped = in.stopped || !in.until.IsZero() && in.now().After(in.until)
	return nil
}

// piece reads a line and notes what it says about its session.
func (in *intake) piece(s *source, line []byte, at int64) (piece, error) {
	if in.archive {
		return archived(line, 0)
	}
	switch string(sealed.Type(line)) {
	case kindUser, kindReply, kindResult, kindConfigured:
	default:
		return piece{}, errOther
	}
	e, err := decode(line)
	if err != nil {
		return piece{}, err
	}
	if c, ok := e.Payload.(event.Configured); ok && c.Title != "" {
		s.Titled = at + 1
	}
	p, err := pieceOf(e)
	if err == nil {
		s.Turn = max(s.Turn, p.turn)
		if p.role == message.User && s.First == 0 {
			s.First = at + 1
		}
	}
	return p, err
}
