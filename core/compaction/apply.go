package compaction

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"reasonix/core/message"
)

// Apply returns the conversation with the edits made. Edits must be in its order;
// one whose First and Last do not stand there is an error, and nothing is
// applied. history is not changed.
func Apply(history []message.Message, edits []Edit) ([]message.Message, error) {
	size := len(history)
	for i := range edits {
		size += len(edits[i].With)
	}
	out := make([]message.Message, 0, size)
	at := 0
	for _, e := range edits {
		first, last, err := find(history, at, e)
		if err != nil {
			return nil, err
		}
		out = append(out, history[at:first]...)
		out = append(out, e.With...)
		at = last + 1
	}
	return append(out, history[at:]...), nil
}

// find is where an edit begins and ends in the history from at on.
func find(history []message.Message, at int, e Edit) (first, last int, err error) {
	for first = at; first < len(history) && history[first].ID != e.First; first++ {
	}
	for last = first; last < len(history) && history[last].ID != e.Last; last++ {
	}
	if last == len(history) {
		return 0, 0, fmt.Errorf("apply edit: no messages %s to %s behind message %d", e.First, e.Last, at)
	}
	return first, last, nil
}

// Originals returns the messages that the edits take away, in the order of the
// conversation: what has to be archived before they are made.
func Originals(history []message.Message, edits []Edit) ([]message.Message, error) {
	var gone []message.Message
	at := 0
	for _, e := range edits {
		first, last, err := find(history, at, e)
		if err != nil {
			return nil, err
		}
		gone = append(gone, history[first:last+1]...)
		at = last + 1
	}
	return gone, nil
}

// ArchiveName names the n-th archive a session writes. Names sort by time and
// differ for every session and n, also when the clock jumps back.
func ArchiveName(at time.Time, session string, n int) string {
	return fmt.Sprintf("%s-%s-%04d.jsonl", at.UTC().Format("20060102T150405.000"), fileName(session), n)
}

// fileName keeps what is legal in a file name everywhere.
func fileName(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, s)
}

// WriteArchive writes messages as JSON, one a line.
func WriteArchive(w io.Writer, ms []message.Message) error {
	b := bufio.NewWriter(w)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	for i := range ms {
		if err := enc.Encode(&ms[i]); err != nil {
			return fmt.Errorf("write archive: message %s: %w", ms[i].ID, err)
		}
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write archive: %w", err)
	}
	return nil
}

// ReadArchive reads what WriteArchive wrote.
func ReadArchive(r io.Reader) ([]message.Message, error) {
	var ms []message.Message
	for dec := json.NewDecoder(r); ; {
		var m message.Message
		switch err := dec.Decode(&m); {
		case errors.Is(err, io.EOF):
			return ms, nil
		case err != nil:
			return ms, fmt.Errorf("read archive: message %d: %w", len(ms)+1, err)
		}
		ms = append(ms, m)
	}
}
