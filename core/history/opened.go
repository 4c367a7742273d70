package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"reasonix/core/durable"
	"reasonix/core/event"
	"reasonix/core/message"
)

// opened is a journal that is being read from.
type opened struct {
	file      *os.File
	archive   bool
	workspace string
	title     string
}

// journal opens a source and reads what it is called; nil when it cannot be read.
func (s *search) journal(v *view, src *source) *opened {
	if o, ok := s.open[src]; ok {
		return o
	}
	f, err := durable.Open(v.path(src.Name))
	if err != nil {
		return nil
	}
	o := &opened{file: f, archive: v.archive}
	s.open[src] = o
	if v.archive {
		o.title = "compacted " + src.Name
		return o
	}
	o.workspace = o.header().Workspace
	if at := src.Titled; at > 0 {
		o.title = o.titleAt(at - 1)
	}
	if at := src.First; at > 0 && o.title == "" {
		o.title = o.titleAt(at - 1)
	}
	return o
}

// header is line 1 of a journal.
type header struct {
	Workspace string    `json:"workspace"`
	Created   time.Time `json:"created"`
}

func (o *opened) header() (h header) {
	line, err := o.line(0)
	if err != nil {
		return h
	}
	_ = json.Unmarshal(line, &h) // a damaged header says nothing
	return h
}

// titleAt is what a record calls the session: a title somebody gave it, or the first
// line of a prompt.
func (o *opened) titleAt(at int64) string {
	line, err := o.line(at)
	if err != nil {
		return ""
	}
	e, err := decode(line)
	if err != nil {
		return ""
	}
	if c, ok := e.Payload.(event.Configured); ok {
		return c.Title
	}
	if p, err := pieceOf(e); err == nil && p.role == message.User {
		return firstLine(p.text)
	}
	return ""
}

// titleBytes is how long a title made from a prompt is at most.
const titleBytes = 80

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.TrimSpace(line)
	if short := upTo(line, titleBytes); short != line {
		return short + "…"
	}
	return line
}

// piece reads the record that begins at an offset.
func (o *opened) piece(at int64) (piece, error) {
	line, err := o.line(at)
	if err != nil {
		return piece{}, err
	}
	if o.archive {
		n, err := countLines(o.file, at)
		if err != nil {
			return piece{}, err
		}
		return archived(line, n+1)
	}
	e, err := decode(line)
	if err != nil {
		return piece{}, err
	}
	return pieceOf(e)
}

// line reads the line that begins at an offset.
func (o *opened) line(at int64) ([]byte, error) {
	for size := 16 << 10; ; size *= 4 {
		data := make([]byte, size)
		n, err := o.file.ReadAt(data, at)
		if line, _, ok := bytes.Cut(data[:n], []byte("\n")); ok {
			return bytes.TrimRight(line, "\r \t"), nil
		}
		if err != nil {
			return nil, err
		}
		if size > maxLine {
			return nil, errors.New("the line is too long")
		}
	}
}

// countLines counts the line ends before an offset.
func countLines(r io.ReaderAt, end int64) (int, error) {
	block := make([]byte, 64<<10)
	n := 0
	for at := int64(0); at < end; {
		part := block[:min(int64(len(block)), end-at)]
		read, err := r.ReadAt(part, at)
		n += bytes.Count(part[:read], []byte("\n"))
		if at += int64(read); err != nil {
			return n, err
		}
	}
	return n, nil
}
