package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"reflect"
	"slices"
	"sort"
	"time"

	"reasonix/core/durable"
	"reasonix/core/event"
	"reasonix/core/session"
	"reasonix/core/session/sealed"
)

// indexFormat is the version of the index's layout and of what a digest holds. An
// index of another version is made anew.
const indexFormat = 1

// maxIndex is how many bytes of an index are read.
const maxIndex = 64 << 20

// index is what <id>.idx holds: where in the journal what is, and the digest. It is
// derived: everything in it can be had by reading the journal, and it is believed
// only as far as the journal's length and the checksum of the record it ends with
// say so. A longer journal is read on from there.
type index struct {
	Index   int             `json:"index"`
	ID      event.SessionID `json:"id"`
	Written int64           `json:"written,omitzero"` // the journal's time, in nanoseconds
	State   *stateOf        `json:"state,omitzero"`   // of the file beside it
	account
	digest

	marks   []mark
	spacing int64 // of marks that begin no turn
}

// mark is where a record begins: turn (0: none begins there), number, offset, line.
type mark [4]int64

func (m mark) turn() int      { return int(m[0]) }
func (m mark) seq() event.Seq { return event.Seq(m[1]) }
func (m mark) offset() int64  { return m[2] }
func (m mark) line() int      { return int(m[3]) }

// How many bytes lie between two marks, and how many marks there are before every
// second one is dropped. Marks of turns stay.
const (
	markSpacing = 256 << 10
	maxMarks    = 2048
)

func newIndex(id event.SessionID) *index {
	return &index{Index: indexFormat, ID: id, spacing: markSpacing}
}

// mark notes where a record is, when it begins a turn or is far enough from the last.
func (x *index) mark(seq event.Seq, at int64, line, turn int) {
	var last int64
	if n := len(x.marks); n > 0 {
		last = x.marks[n-1].offset()
	}
	if turn == 0 && at-last < x.spacing {
		return
	}
	x.marks = append(x.marks, mark{int64(turn), int64(seq), at, int64(line)})
	if turn == 0 {
		x.thin()
	}
}

func (x *index) thin() {
	plain := 0
	for _, m := range x.marks {
		if m.turn() == 0 {
			plain++
		}
	}
	if plain <= maxMarks {
		return
	}
	keep := false
	x.marks = slices.DeleteFunc(x.marks, func(m mark) bool {
		if m.turn() > 0 {
			return false
		}
		keep = !keep
		return !keep
	})
	x.spacing *= 2
}

// before returns the last mark at seq or before it; the zero mark when there is none.
func (x *index) before(seq event.Seq) mark {
	i := sort.Search(len(x.marks), func(i int) bool { return x.marks[i].seq() > seq })
	if i == 0 {
		return mark{}
	}
	return x.marks[i-1]
}

// added takes in a record that was written at the journal's end.
func (x *index) added(e event.Envelope, raw []byte) {
	x.Lines++
	turn := 0
	if _, ok := e.Payload.(event.TurnStarted); ok {
		turn = e.Turn
	}
	x.digest.event(e)
	x.mark(e.Seq, x.Size, x.Lines, turn)
	x.Size += int64(len(raw))
	x.Last, x.Crc = e.Seq, sealed.Checksum(bytes.TrimSuffix(raw, []byte("\n")))
}

// encode is two lines: what a list needs, and the marks. Both have a checksum.
func (x *index) encode() ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(x); err != nil {
		return nil, err
	}
	all := sealed.Line(bytes.TrimSuffix(buf.Bytes(), []byte("\n")), 0)
	marks, err := json.Marshal(indexMarks{x.spacing, x.marks})
	if err != nil {
		return nil, err
	}
	return append(all, sealed.Line(marks, 0)...), nil
}

type indexMarks struct {
	Spacing int64  `json:"spacing"`
	Marks   []mark `json:"marks"`
}

// decodeIndex reads what encode wrote; the marks only when asked. Anything else is no
// index.
func decodeIndex(data []byte, id event.SessionID, marks bool) (*index, error) {
	first, second, _ := bytes.Cut(data, []byte("\n"))
	x := newIndex(id)
	if err := unmarshalSealed(first, x); err != nil {
		return nil, err
	}
	if x.Index != indexFormat || x.ID != id || x.Size <= 0 || x.Crc == "" {
		return nil, errors.New("of another version or session")
	}
	if !marks {
		return x, nil
	}
	var m indexMarks
	if err := unmarshalSealed(bytes.TrimSuffix(second, []byte("\n")), &m); err != nil {
		return nil, err
	}
	x.spacing, x.marks = max(m.Spacing, markSpacing), m.Marks
	return x, nil
}

func unmarshalSealed(line []byte, v any) error {
	object, ok := sealed.Open(line)
	if !ok {
		return errors.New("it does not check")
	}
	return json.Unmarshal(object, v)
}

// storedIndex returns the index beside the journal f as far as it is true of it, nil
// when there is none or it is wrong.
func (s *Store) storedIndex(id event.SessionID, f *os.File) *index {
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	data, err := durable.ReadFile(s.path(id, ".idx"), maxIndex)
	if err != nil {
		return nil
	}
	x, err := decodeIndex(data, id, true)
	if err != nil || !x.covers(f, info.Size(), info.ModTime()) {
		return nil
	}
	return x
}

// covers checks an index against its journal: it is no longer, a record with the
// index's checksum ends where it says, and a journal that has not grown has the time
// it had.
func (x *index) covers(f io.ReaderAt, size int64, written time.Time) bool {
	if x.Size > size || x.Size == size && x.Written != written.UnixNano() {
		return false
	}
	return recordEnds(f, x.Size, x.Crc)
}

// recordEnds reports whether a record with the checksum crc ends at size.
func recordEnds(f io.ReaderAt, size int64, crc string) bool {
	const behind = 16 // of blanks and a line break
	end := make([]byte, min(max(size, 0), int64(sealed.Len+behind)))
	if _, err := f.ReadAt(end, size-int64(len(end))); err != nil {
		return false
	}
	return sealed.Checksum(bytes.TrimRight(end, "\r\n \t")) == crc
}

// current returns the index of the journal f as it is now, the stored one continued or
// a new one, and what the scan for it saw.
func (s *Store) current(id event.SessionID, f *os.File) (*index, *scan, error) {
	x := s.storedIndex(id, f)
	fresh := x == nil
	if fresh {
		x = newIndex(id)
	}
	begins := x.Size
	sc := newScan(x, f)
	if err := sc.run(); err != nil {
		return nil, nil, err
	}
	if x.State != nil && sc.lines.off > begins {
		x.State.Grown = true
	}
	sc.heavy = sc.heavy || fresh
	return x, sc, nil
}

// keep stores an index. It is best effort: without one, or with an old one, more of
// the journal is read next time. A journal that is gone gets none.
func (s *Store) keep(x *index) {
	info, err := os.Stat(s.journal(x.ID))
	if err != nil || x.Size == 0 {
		return
	}
	x.Written = info.ModTime().UnixNano()
	if data, err := x.encode(); err == nil {
		_ = durable.WriteCache(s.path(x.ID, ".idx"), data)
	}
}

// info is what an index says.
func (x *index) info(now account) session.Info {
	in := session.Info{
		Meta: x.digest.meta(x.ID), Last: now.Last, Damaged: now.Damaged,
		Reason: x.Reason, Detail: x.Detail, Unfinished: x.Unfinished, Waiting: x.Waiting,
		Usage: x.Usage, Spent: x.Spent, Prefix: x.Prefix, Folds: x.Folds,
	}
	for _, m := range x.marks {
		if m.turn() > 0 {
			in.Turns = append(in.Turns, session.TurnAt{Turn: m.turn(), Seq: m.seq()})
		}
	}
	if u := in.Unfinished; u != nil && len(x.Asked) > 0 {
		copied := *u
		copied.Question = x.Asked[0].Title
		in.Unfinished = &copied
	}
	in.Effective, in.Queued = x.configurations()
	return in
}

// configurations are the one the last turn ran with and, when it differs by more than
// its title, the one to come.
func (x *index) configurations() (event.Configured, *event.Configured) {
	switch {
	case x.Configured == nil:
		return event.Configured{}, nil
	case x.Effective == nil:
		return *x.Configured, nil
	}
	ran, next := *x.Effective, *x.Configured
	ran.Title, ran.By = next.Title, next.By
	if reflect.DeepEqual(ran, next) {
		return next, nil
	}
	ran.By = x.Effective.By
	return ran, &next
}
