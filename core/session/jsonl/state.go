package jsonl

import (
	"fmt"
	"hash/crc32"
	"io"

	"reasonix/core/durable"
	"reasonix/core/event"
	"reasonix/core/session/sealed"
)

// maxState is how many bytes of a state are kept and read.
const maxState = 256 << 20

// stateOf says of which records <id>.state is, and what is in it. It stands in the
// index: an index that is made anew knows of none, so that no state outlives an edit
// of the records it was made of.
type stateOf struct {
	At    event.Seq `json:"at"`
	Size  int64     `json:"size"`       // of the journal
	Crc   string    `json:"record_crc"` // of the record that ends there
	Bytes int       `json:"bytes"`
	Sum   string    `json:"sum"` // CRC-32C of the state
	// Journal is the CRC-32C of the journal up to Size. It is compared where nothing
	// else says that the journal is what it was.
	Journal uint32 `json:"journal"`
	// Grown: an index was found shorter than its journal, whoever wrote that. What it
	// was found to be before then was not looked at again.
	Grown bool `json:"grown,omitzero"`
}

// summed is the CRC-32C of a journal up to a byte.
type summed struct {
	at  int64
	sum uint32
}

// Write adds what stands behind it.
func (s *summed) Write(p []byte) (int, error) {
	s.at += int64(len(p))
	s.sum = crc32.Update(s.sum, crc32.MakeTable(crc32.Castagnoli), p)
	return len(p), nil
}

// upTo reads on to size and reports whether there is so much.
func (s *summed) upTo(f io.ReaderAt, size int64) bool {
	_, err := io.Copy(s, io.NewSectionReader(f, s.at, size-s.at))
	return err == nil && s.at == size
}

// Keep implements session.Log.
func (l *log) Keep(state []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	x := l.index
	if l.closed || len(state) > maxState || x.Crc == "" {
		return
	}
	f, err := durable.Open(l.store.journal(l.id))
	if err != nil {
		return
	}
	defer f.Close()
	if !l.summed.upTo(f, x.Size) {
		l.summed = summed{}
		return
	}
	if durable.WriteCache(l.store.path(l.id, ".state"), state) != nil {
		return
	}
	x.State = &stateOf{At: l.last, Size: x.Size, Crc: x.Crc, Bytes: len(state), Sum: sumText(state), Journal: l.summed.sum}
	l.store.keep(x)
	l.stale = false
}

// Kept implements session.Log.
func (l *log) Kept() ([]byte, event.Seq) {
	l.mu.Lock()
	defer l.mu.Unlock()
	is := l.index.State
	if l.closed || is == nil || is.At > l.last {
		return nil, 0
	}
	state, err := durable.ReadFile(l.store.path(l.id, ".state"), maxState)
	if err != nil || is.Bytes != len(state) || is.Sum != sumText(state) {
		return nil, 0
	}
	f, err := durable.Open(l.store.journal(l.id))
	if err != nil {
		return nil, 0
	}
	defer f.Close()
	if !recordEnds(f, is.Size, is.Crc) || is.Grown && !is.of(f) {
		l.index.State, l.stale = nil, true
		return nil, 0
	}
	if is.Grown {
		is.Grown, l.stale = false, true
	}
	l.summed = summed{is.Size, is.Journal}
	return state, is.At
}

// of reports whether the journal f is, byte for byte, what the state was made of.
func (is *stateOf) of(f io.ReaderAt) bool {
	var s summed
	return s.upTo(f, is.Size) && s.sum == is.Journal
}

func sumText(data []byte) string {
	return fmt.Sprintf("%08x", sealed.Sum(data))
}
