package jsonl

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"reasonix/core/durable"
	"reasonix/core/event"
	"reasonix/core/session"
)

// How much of a journal List reads at most: the beginning, until the first prompt
// and configuration, and the end.
const (
	headBytes = 256 << 10
	headLimit = 8 << 20 // with the end of the line that headBytes are in
	tailBytes = 64 << 10
)

// List implements session.Store. It stats every session and reads the header and a
// bounded part of those it returns. A title nobody set is the first prompt's first
// line.
func (s *Store) List(ctx context.Context, q session.Query) ([]session.Meta, error) {
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	var found []session.Meta
	for _, f := range behind(files, q.Before) {
		if q.Limit > 0 && len(found) == q.Limit {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("list sessions in %s: %w", s.dir, err)
		}
		if m, ok := s.summary(f); ok {
			found = append(found, m)
		}
	}
	return found, nil
}

// file is one journal as the directory shows it.
type file struct {
	id      event.SessionID
	written time.Time
	size    int64
}

// files returns the journals, newest first.
func (s *Store) files() ([]file, error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	var files []file
	for _, entry := range entries {
		name, isJournal := strings.CutSuffix(entry.Name(), ".jsonl")
		if !isJournal || !session.ValidID(event.SessionID(name)) {
			continue
		}
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // deleted meanwhile, or not ours
		}
		files = append(files, file{event.SessionID(name), info.ModTime(), info.Size()})
	}
	slices.SortFunc(files, func(a, b file) int {
		return cmp.Or(b.written.Compare(a.written), cmp.Compare(b.id, a.id))
	})
	return files, nil
}

// behind drops what List puts before id and id itself. When id is gone its own time
// says where it was.
func behind(files []file, id event.SessionID) []file {
	if id == "" {
		return files
	}
	if i := slices.IndexFunc(files, func(f file) bool { return f.id == id }); i >= 0 {
		return files[i+1:]
	}
	return slices.DeleteFunc(files, func(f file) bool { return f.id > id })
}

// summary reads what a list shows of one session; false when nothing of it can be
// read.
func (s *Store) summary(f file) (session.Meta, bool) {
	in, err := durable.Open(s.journal(f.id))
	if err != nil {
		return session.Meta{}, false
	}
	defer in.Close()
	b := brief{meta: session.Meta{ID: f.id, Updated: f.written}}
	read := b.head(newLineReader(io.NewSectionReader(in, 0, min(f.size, headLimit))))
	if start := max(read, f.size-tailBytes); start < f.size {
		b.tail(newLineReader(io.NewSectionReader(in, start, f.size-start)), start > read)
	}
	if b.meta.Title == "" {
		b.meta.Title = b.prompt
	}
	return b.meta, b.known
}

// brief collects a summary from records.
type brief struct {
	meta       session.Meta
	prompt     string
	known      bool // a header or a record was read
	configured bool
}

// head reads until it has seen a configuration and a prompt and returns how far.
func (b *brief) head(r *lineReader) int64 {
	for r.off < headBytes && (!b.configured || b.prompt == "") {
		line, _, err := r.next()
		if err != nil {
			break
		}
		if r.n > 1 {
			b.see(line)
			continue
		}
		h, record, damage := parseHeader(line)
		b.known = damage == nil
		b.meta.Format, b.meta.Workspace, b.meta.Created = h.Format, h.Workspace, h.Created
		b.meta.Parent, b.meta.Writer = h.Parent, h.Writer
		if record != nil {
			b.record(record)
		}
	}
	return r.off
}

func (b *brief) tail(r *lineReader, insideLine bool) {
	if insideLine {
		if _, _, err := r.next(); err != nil {
			return
		}
	}
	for {
		line, _, err := r.next()
		if err != nil {
			return
		}
		b.see(line)
	}
}

func (b *brief) see(line []byte) {
	if object, ok := unseal(line); ok {
		b.record(object)
	}
}

func (b *brief) record(object []byte) {
	b.known = true
	start := object[:min(len(object), 160)]
	if at, ok := member(start, `"time":"`); ok {
		if err := b.meta.Updated.UnmarshalText(at); err != nil {
			return
		}
	}
	switch kind, _ := member(start, `"type":"`); string(kind) {
	case "session.configured", "prompt.queued", "turn.started", "turn.ended":
		if e, err := event.Decode(object); err == nil {
			b.event(e)
		}
	}
}

func (b *brief) event(e event.Envelope) {
	switch p := e.Payload.(type) {
	case event.Configured:
		b.configured = true
		b.meta.Model, b.meta.Title = p.Model, p.Title
	case event.PromptQueued:
		if b.prompt == "" {
			b.prompt = firstLine(p.Display)
		}
	case event.TurnStarted:
		b.meta.Outcome = ""
	case event.TurnEnded:
		b.meta.Outcome = p.Outcome
	default: // a list shows no other
	}
}

// member returns the string behind key. It is meant for the fixed beginning of an
// envelope, where no string holds an escape.
func member(start []byte, key string) ([]byte, bool) {
	_, rest, ok := bytes.Cut(start, []byte(key))
	if !ok {
		return nil, false
	}
	value, _, ok := bytes.Cut(rest, []byte(`"`))
	return value, ok
}

// titleRunes is how long a title made from a prompt is at most.
const titleRunes = 80

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.TrimSpace(line)
	n := 0
	for i := range line {
		if n == titleRunes {
			return line[:i] + "…"
		}
		n++
	}
	return line
}
