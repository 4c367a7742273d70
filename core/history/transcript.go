package history

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"reasonix/core/durable"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/session/sealed"
)

// Window is which part of a transcript is read.
type Window struct {
	Session string    // id, the beginning of one, or archive/<name>
	Around  event.Seq // what is in the middle; 0: the end
	Before  int       // entries in front of it
	After   int       // entries behind it
	Text    int       // bytes of each entry at most; 0: 2000
}

// Transcript is part of what was said in a session.
type Transcript struct {
	Session   string
	Workspace string
	Title     string
	Entries   []Entry
	Earlier   bool // there is more in front
	Later     bool // there is more behind
}

// Entry is one thing that was said.
type Entry struct {
	Seq  event.Seq // in an archive the line
	Turn int
	Time time.Time
	Role message.Role
	Tool string
	Text string
	Cut  int // bytes left out of the middle of Text
}

const (
	defaultText = 2000
	// maxEntries bounds a window on each side.
	maxEntries = 500
	// maxSpan is how many bytes of a journal are read on each side.
	maxSpan = 16 << 20
)

// Show reads a window of a transcript. It reads the part it needs, not the journal.
// session.ErrUnknown says that there is no such session, *AmbiguousError that there
// are several.
func (h *History) Show(ctx context.Context, w Window) (Transcript, error) {
	at, name, err := h.find(w.Session)
	if err != nil {
		return Transcript{}, err
	}
	f, err := durable.Open(at.path(name))
	if err != nil {
		return Transcript{}, fmt.Errorf("show session %s: %w", name, err)
	}
	defer f.Close()
	r := windowReader{file: f, archive: at.archive}
	info, err := f.Stat()
	if err == nil {
		r.size = info.Size()
		err = r.read(ctx, w)
	}
	if err != nil {
		return Transcript{}, fmt.Errorf("show session %s: %w", name, err)
	}
	t := Transcript{Session: name, Entries: r.entries(w.Text), Earlier: r.earlier, Later: r.later}
	if at.archive {
		t.Session = archivePrefix + name
		return t, nil
	}
	o := opened{file: f}
	t.Workspace, t.Title = o.header().Workspace, r.title()
	return t, nil
}

// windowReader reads pieces on both sides of a place.
type windowReader struct {
	file    *os.File
	size    int64
	archive bool

	before, after  []piece
	earlier, later bool
}

func (r *windowReader) read(ctx context.Context, w Window) error {
	at, err := r.locate(w.Around)
	if err != nil {
		return err
	}
	if w.Around > 0 {
		if err := r.behind(ctx, at, min(max(w.After, 0), maxEntries)+1); err != nil {
			return err
		}
	}
	return r.inFront(ctx, at, min(max(w.Before, 0), maxEntries))
}

// locate returns where the first record with a number of at least seq begins; the
// end for 0 and for numbers past the last.
func (r *windowReader) locate(seq event.Seq) (int64, error) {
	if seq == 0 {
		return r.size, nil
	}
	from, to := int64(0), r.size
	for !r.archive && to-from > 64<<10 {
		middle := from + (to-from)/2
		at, found, err := r.firstAfter(middle, to)
		if err != nil {
			return 0, err
		}
		if found == 0 || found >= seq {
			to = middle
		} else {
			from = at
		}
	}
	l := newLines(r.file, from, r.size)
	for number := event.Seq(1); ; number++ {
		line, at, err := l.next()
		if errors.Is(err, io.EOF) {
			return r.size, nil
		}
		if err != nil {
			return 0, err
		}
		if !r.archive {
			number = sealed.Seq(line)
		}
		if number >= seq {
			return at, nil
		}
	}
}

// firstAfter returns the first numbered line that begins behind an offset.
func (r *windowReader) firstAfter(from, to int64) (at int64, seq event.Seq, err error) {
	l := newLines(r.file, from, to)
	if _, _, err = l.next(); err != nil { // the rest of a line
		return 0, 0, ignoreEOF(err)
	}
	for {
		line, at, err := l.next()
		if err != nil {
			return 0, 0, ignoreEOF(err)
		}
		if seq := sealed.Seq(line); seq > 0 {
			return at, seq, nil
		}
	}
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// behind reads n pieces from an offset on.
func (r *windowReader) behind(ctx context.Context, at int64, n int) error {
	pieces, err := r.span(ctx, at, min(r.size, at+maxSpan), n+1)
	r.later = len(pieces) > n
	r.after = pieces[:min(n, len(pieces))]
	return err
}

// inFront reads the n pieces before an offset, from ever further back.
func (r *windowReader) inFront(ctx context.Context, end int64, n int) error {
	for span := int64(128 << 10); ; span *= 4 {
		start := max(0, end-min(span, maxSpan))
		pieces, err := r.span(ctx, start, end, 0)
		if err != nil {
			return err
		}
		if len(pieces) > n || start == 0 || span >= maxSpan {
			r.earlier = len(pieces) > n || start > 0
			r.before = pieces[max(0, len(pieces)-n):]
			return nil
		}
	}
}

// span reads the pieces of whole lines between two offsets, at most n; 0: all. A
// line that begins before from is left out.
func (r *windowReader) span(ctx context.Context, from, to int64, n int) (list []piece, err error) {
	number := 0
	if r.archive {
		if number, err = countLines(r.file, from); err != nil {
			return nil, err
		}
	}
	start := max(0, from-1) // a line that begins at from has its predecessor's end before it
	l := newLines(r.file, start, to)
	if from > 0 {
		if _, _, err := l.next(); err != nil {
			return nil, ignoreEOF(err)
		}
	}
	if r.archive && from > 0 && l.off > from {
		number++
	}
	for n == 0 || len(list) < n {
		line, _, err := l.next()
		if err != nil {
			return list, ignoreEOF(err)
		}
		number++
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if p, err := r.piece(line, number); err == nil {
			list = append(list, p)
		}
	}
	return list, nil
}

func (r *windowReader) piece(line []byte, number int) (piece, error) {
	if r.archive {
		return archived(line, number)
	}
	switch string(sealed.Type(line)) {
	case kindUser, kindReply, kindResult:
	default:
		return piece{}, errOther
	}
	e, err := decode(line)
	if err != nil {
		return piece{}, err
	}
	return pieceOf(e)
}

// title is what somebody called the session last, as far as that is near its end,
// else its first prompt.
func (r *windowReader) title() string {
	title := ""
	r.titles(max(0, r.size-64<<10), r.size, kindConfigured, func(t string) bool {
		title = t
		return true
	})
	if title == "" {
		r.titles(0, min(r.size, 256<<10), kindUser, func(t string) bool {
			title = t
			return false
		})
	}
	return title
}

// titles yields what the records of a kind between two offsets call the session.
func (r *windowReader) titles(from, to int64, kind string, yield func(string) bool) {
	o := opened{file: r.file}
	l := newLines(r.file, from, to)
	for {
		line, at, err := l.next()
		if err != nil {
			return
		}
		if string(sealed.Type(line)) != kind {
			continue
		}
		if t := o.titleAt(at); t != "" && !yield(t) {
			return
		}
	}
}

// entries are what was read, shortened.
func (r *windowReader) entries(limit int) []Entry {
	if limit <= 0 {
		limit = defaultText
	}
	var list []Entry
	for _, pieces := range [][]piece{r.before, r.after} {
		for _, p := range pieces {
			e := Entry{Seq: p.seq, Turn: p.turn, Time: p.time, Role: p.role, Tool: p.tool}
			e.Text, e.Cut = shortened(p.text, limit)
			list = append(list, e)
		}
	}
	return list
}

// shortened keeps three quarters of limit from the beginning of a text and the rest
// from its end, and says how many bytes it left out.
func shortened(text string, limit int) (string, int) {
	if len(text) <= limit {
		return text, 0
	}
	head, tail := upTo(text, limit*3/4), lastOf(text, limit/4)
	cut := len(text) - len(head) - len(tail)
	return fmt.Sprintf("%s\n… %d bytes …\n%s", head, cut, tail), cut
}
