package jsonl

import (
	"fmt"
	"hash/crc32"

	"reasonix/core/durable"
	"reasonix/core/event"
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
}

// Keep implements session.Log.
func (l *log) Keep(state []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	x := l.index
	if l.closed || len(state) > maxState || x.Crc == "" {
		return
	}
	if durable.WriteCache(l.store.path(l.id, ".state"), state) != nil {
		return
	}
	x.State = &stateOf{At: l.last, Size: x.Size, Crc: x.Crc, Bytes: len(state), Sum: sumText(state)}
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
	if !recordEnds(f, is.Size, is.Crc) {
		return nil, 0
	}
	return state, is.At
}

func sumText(data []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(data, castagnoli()))
}
