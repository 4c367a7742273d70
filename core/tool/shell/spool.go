package shell

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

const (
	// spoolMemory is how much output is kept before a file is made.
	spoolMemory = 64 << 10
	// spoolLimit is how much output a file takes, from its start. The file stays
	// with the session for good and a session has many calls, so one that prints
	// without end must not fill the disk; 64 MiB is more than a long build or test
	// run writes, and can still be searched at once.
	spoolLimit = 64 << 20
)

// spool keeps raw output: in memory at first, then in a file of its directory.
type spool struct {
	dir    string
	limit  int64 // 0: spoolLimit
	memory []byte
	file   *os.File
	size   int64
	cut    bool // the limit was reached
	closed bool // nothing more is taken
	err    error
}

func (s *spool) write(p []byte) {
	if s.cut || s.closed || s.err != nil {
		return
	}
	limit := s.limit
	if limit == 0 {
		limit = spoolLimit
	}
	if room := limit - s.size; int64(len(p)) > room {
		p, s.cut = p[:room], true
	}
	s.size += int64(len(p))
	if s.file == nil && len(s.memory)+len(p) <= spoolMemory {
		s.memory = append(s.memory, p...)
		return
	}
	if s.err = s.open(); s.err == nil {
		_, s.err = s.file.Write(p)
	}
}

// open moves what is in memory to a file.
func (s *spool) open() error {
	if s.file != nil {
		return nil
	}
	f, err := os.CreateTemp(s.dir, "output-*.txt") // mode 0600
	if err != nil {
		return err
	}
	s.file = f
	_, err = f.Write(s.memory)
	s.memory = nil
	return err
}

// save hands everything to keep and returns what that does; without keep the
// spool's own file stays.
func (s *spool) save(keep func(io.Reader) (hash, path string, err error)) (hash, path string, err error) {
	if s.err != nil {
		return "", "", s.err
	}
	if keep == nil {
		return s.stay()
	}
	if s.file == nil {
		return keep(bytes.NewReader(s.memory))
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return "", "", err
	}
	return keep(s.file)
}

func (s *spool) stay() (hash, path string, err error) {
	if err := s.open(); err != nil {
		return "", "", err
	}
	path = s.file.Name()
	err = s.file.Close()
	s.file = nil
	return "", path, err
}

// close leaves the file as it is.
func (s *spool) close() {
	s.closed = true
	if s.file == nil {
		return
	}
	if err := s.file.Close(); s.err == nil {
		s.err = err
	}
	s.file = nil
}

// remove closes and deletes the file.
func (s *spool) remove() {
	if s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
		s.file = nil
	}
}

// limited says that the file holds only the start, or "".
func (s *spool) limited() string {
	if !s.cut {
		return ""
	}
	return fmt.Sprintf(" (its first %d bytes, the rest was not kept)", s.size)
}
