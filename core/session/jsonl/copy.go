package jsonl

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"reasonix/core/durable"
	"reasonix/core/event"
	"reasonix/core/session"
	"reasonix/core/session/sealed"
)

// Copy implements session.Store. Records are copied as they are, damaged lines among
// them too; a torn end is not. Bytes beside the journal are shared by hard links where
// the file system has them.
func (s *Store) Copy(ctx context.Context, id event.SessionID, at event.Seq, m session.Meta) error {
	if m.Parent == "" {
		m.Parent = id
	}
	if err := s.copy(ctx, id, at, m); err != nil {
		return named("copy", id, err)
	}
	return nil
}

func (s *Store) copy(ctx context.Context, id event.SessionID, at event.Seq, m session.Meta) (err error) {
	if !session.ValidID(m.ID) {
		return fmt.Errorf("to %q: not a session id", m.ID)
	}
	f, err := s.openKnown(id)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := s.mayContinue(id); err != nil {
		return err
	}
	lock, err := s.acquire(m.ID)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, lock.Release())
		if err != nil && errors.Is(s.exists(m.ID), session.ErrUnknown) {
			_ = os.Remove(s.path(m.ID, ".lock")) // best effort: it locks nothing
		}
	}()
	if s.exists(m.ID) == nil {
		return fmt.Errorf("to %s: %w", m.ID, fs.ErrExist)
	}
	if m.Workspace == "" {
		m.Workspace = s.workspaceOf(f)
	}
	if err := s.copyTo(ctx, f, id, at, m); err != nil {
		return errors.Join(err, os.RemoveAll(s.path(m.ID, ".files")))
	}
	return nil
}

// workspaceOf is the workspace in a journal's header.
func (s *Store) workspaceOf(f io.ReaderAt) string {
	line, _, err := newLineReaderSize(io.NewSectionReader(f, 0, 1<<62), 4<<10).next()
	if err != nil {
		return ""
	}
	h, _, _ := parseHeader(line)
	return h.Workspace
}

// copyTo writes the new journal under another name and gives it its own when it is
// whole and its files are there.
func (s *Store) copyTo(ctx context.Context, f *os.File, id event.SessionID, at event.Seq, m session.Meta) (err error) {
	temp, err := os.CreateTemp(s.dir, durable.TempPrefix)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, temp.Close(), remove(temp.Name())) }()
	out := bufio.NewWriterSize(temp, 256<<10)
	c := copier{ctx: ctx, out: out, at: at, files: newFileSet(s.path(id, ".files"))}
	first, err := s.header(m).line()
	if err != nil {
		return err
	}
	if err := c.copy(first, f); err != nil {
		return err
	}
	if err := s.share(c.files, m.ID); err != nil {
		return err
	}
	if err := errors.Join(out.Flush(), temp.Sync()); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), s.journal(m.ID)); err != nil {
		return err
	}
	return durable.SyncDir(s.dir)
}

// remove removes a file that may have been moved away.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// copier writes the lines of a journal up to a record.
type copier struct {
	ctx   context.Context
	out   *bufio.Writer
	at    event.Seq // 0: all
	files *fileSet
}

func (c *copier) copy(first []byte, f io.ReaderAt) error {
	if _, err := c.out.Write(first); err != nil {
		return err
	}
	lines := newLineReader(io.NewSectionReader(f, 0, 1<<62))
	for {
		line, whole, err := lines.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = c.ctx.Err()
		}
		if err != nil {
			return err
		}
		if lines.n == 1 && sealed.Seq(line) == 0 {
			continue // the header is its own
		}
		if past, err := c.line(line, whole); past || err != nil {
			return err
		}
	}
}

func (c *copier) line(line []byte, whole bool) (past bool, err error) {
	object, ok := sealed.Open(line)
	if ok && c.at > 0 && sealed.Seq(object) > c.at || !ok && !whole {
		return true, nil
	}
	c.files.see(line)
	past = ok && c.at > 0 && sealed.Seq(object) == c.at
	if ok {
		line = restore(piece{raw: line, object: object})
	}
	if _, err := c.out.Write(line); err != nil {
		return false, err
	}
	return past, c.out.WriteByte('\n')
}

// hashLen is how long the name of a saved file is.
const hashLen = 64

// fileSet is the files beside a journal and which of them its lines name.
type fileSet struct {
	dir   string
	named map[string]bool // false: not yet
}

func newFileSet(dir string) *fileSet {
	set := &fileSet{dir: dir, named: map[string]bool{}}
	entries, _ := os.ReadDir(dir) // one that cannot be read has nothing to share
	for _, e := range entries {
		if raw, err := hex.DecodeString(e.Name()); err == nil && len(raw) == hashLen/2 && e.Type().IsRegular() {
			set.named[e.Name()] = false
		}
	}
	return set
}

// see marks the files that line names: every string of 64 hex digits is looked up,
// whatever kind of record it is in, one of a later version too.
func (set *fileSet) see(line []byte) {
	if len(set.named) == 0 {
		return
	}
	for len(line) >= hashLen+2 {
		i := bytes.IndexByte(line, '"')
		if i < 0 || len(line) < i+hashLen+2 {
			return
		}
		line = line[i+1:]
		if line[hashLen] == '"' {
			if _, ok := set.named[string(line[:hashLen])]; ok {
				set.named[string(line[:hashLen])] = true
			}
		}
	}
}

// share gives the session id the files that were named.
func (s *Store) share(set *fileSet, id event.SessionID) error {
	dir := s.path(id, ".files")
	for name, used := range set.named {
		if !used {
			continue
		}
		if err := durable.MkdirAll(dir); err != nil {
			return err
		}
		if err := link(filepath.Join(set.dir, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// link makes to the same file as from, or a copy where there are no links.
func link(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	in, err := durable.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}
