package jsonl

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"reasonix/core/event"
	"reasonix/core/session"
	"reasonix/core/session/sealed"
)

// account is what is known of a journal's lines up to Size, which is the end of a
// record.
type account struct {
	Size    int64     `json:"size"`
	Crc     string    `json:"record_crc,omitzero"` // of the record that ends there
	Lines   int       `json:"lines"`
	Last    event.Seq `json:"last"` // the highest number used up
	Damaged int       `json:"damaged,omitzero"`
}

// A scan reads a journal on from where an index ends and brings it up to date. It
// holds one line in memory.
type scan struct {
	x     *index
	lines *lineReader

	now   account         // with the lines behind the last record
	torn  *session.Damage // the last line, which has no end and is no record
	heavy bool            // more was read than is worth reading again
}

// newScan continues x, which may be empty, in the journal f.
func newScan(x *index, f io.ReaderAt) *scan {
	rest := io.NewSectionReader(f, x.Size, 1<<62-x.Size)
	s := &scan{x: x, lines: newLineReader(rest), now: x.account}
	s.lines.n, s.lines.off = x.Lines, x.Size
	return s
}

// rescan is how many bytes are worth an index.
const rescan = 64 << 10

func (s *scan) run() error {
	begun := s.lines.off
	for {
		line, whole, err := s.lines.next()
		if errors.Is(err, io.EOF) {
			s.heavy = s.lines.off-begun > rescan
			return nil
		}
		if err != nil {
			return err
		}
		s.now.Lines = s.lines.n
		if s.lines.n == 1 {
			s.header(line, whole)
		} else {
			s.line(line, whole)
		}
	}
}

func (s *scan) header(line []byte, whole bool) {
	h, record, damage := parseHeader(line)
	switch {
	case damage == nil:
		s.x.Header = h
		s.commit(line)
	case record != nil:
		s.now.Damaged++
		s.record(piece{raw: line, object: record})
	default:
		s.line(line, whole)
	}
}

// line takes in a line. One that does not check still uses up its number when it
// carries the one expected there, so that accepting it later does not make two
// records of one number.
func (s *scan) line(line []byte, whole bool) {
	if len(line) == 0 {
		return
	}
	if !whole {
		if object, ok := sealed.Open(line); ok {
			s.record(piece{raw: line, object: object})
			return
		}
		s.torn = &session.Damage{Line: s.lines.n, Offset: s.lines.at, Kind: session.DamageTorn, Reason: fmt.Sprintf("cut off after %d bytes", int64(len(line))+s.lines.cut)}
		return
	}
	for _, p := range pieces(line) {
		if p.object != nil {
			s.record(p)
			continue
		}
		s.now.Damaged++
		if sealed.Seq(p.raw) == s.now.Last+1 {
			s.now.Last++
		}
	}
}

func (s *scan) record(p piece) {
	seq := sealed.Seq(p.object)
	if seq == 0 && s.lines.n == 1 {
		if json.Unmarshal(p.object, &s.x.Header) != nil {
			s.now.Damaged++
		}
	}
	if seq > s.now.Last {
		s.x.digest.record(p.object, false)
		s.x.mark(seq, s.lines.at, s.lines.n, turnOf(p.object))
	}
	s.now.Last = max(s.now.Last, seq)
	s.commit(restore(p))
}

// commit moves the index to the end of the line just read, which ends with a record.
func (s *scan) commit(raw []byte) {
	s.now.Size = s.lines.off
	s.now.Crc = sealed.Checksum(raw)
	s.x.account = s.now
}

// turnOf is the turn a record begins, 0 when it begins none.
func turnOf(object []byte) int {
	if string(sealed.Type(object)) != "turn.started" {
		return 0
	}
	e, err := event.Decode(object)
	if err != nil {
		return 0
	}
	return e.Turn
}
