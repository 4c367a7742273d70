package checkpoint

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const logName = "sight.log"

// beat is how often the log of a call that runs says that its process lives.
const beat = time.Second

// sightLog holds on disk what a Store knows while a call runs: the sights, what the
// call announced and when it began. When the process ends before the call does, the
// next one finds there what the call may have changed (Recover). Its time says until
// when the process lived. It survives a killed process, not a power loss.
type sightLog struct {
	file    *os.File
	written map[string]sight // what the log says so far
	stop    chan struct{}    // closed when the call ends
	stopped chan struct{}
}

// entry is one line of the log: a sight, what is gone, what a tool announced, the
// beginning of a call, or that what the last one changed is recorded by now.
type entry struct {
	Path   []byte `json:"p,omitzero"` // it may be no text
	Gone   bool   `json:"gone,omitzero"`
	Sight  *saved `json:"s,omitzero"`
	Before *State `json:"before,omitzero"` // announced
	Lost   string `json:"lost,omitzero"`
	Begun  *begun `json:"begun,omitzero"`
	Over   bool   `json:"over,omitzero"`
}

type begun struct {
	Scan  bool  `json:"scan,omitzero"`
	Since int64 `json:"since,omitzero"`
}

// saved is a sight.
type saved struct {
	Dev    uint64 `json:"d,omitzero"`
	Inode  uint64 `json:"i,omitzero"`
	Size   int64  `json:"n,omitzero"`
	Mtime  int64  `json:"t,omitzero"`
	Ctime  int64  `json:"c,omitzero"`
	Mode   string `json:"m,omitzero"`
	Hash   string `json:"h,omitzero"`
	Unsure bool   `json:"u,omitzero"`
	Lost   string `json:"lost,omitzero"`
}

func (s *Store) openLog() (*sightLog, error) {
	if s.log != nil {
		return s.log, nil
	}
	f, err := s.fresh(logName, os.O_WRONLY)
	if err != nil {
		return nil, err
	}
	s.log = &sightLog{file: f}
	return s.log, nil
}

// note writes what a call that begins now may change, before it may. It is best effort:
// without a log there is nothing to recover.
func (s *Store) note() {
	l, err := s.openLog()
	if err != nil {
		return
	}
	lines, err := s.unwritten(l)
	if err == nil {
		_, err = l.file.Write(lines)
	}
	if err != nil { // half of it would be wrong
		s.log = nil
		_ = l.close()
		return
	}
	if s.scanned {
		l.written = s.sights
	}
	l.live()
}

// unwritten is what the log lacks.
func (s *Store) unwritten(l *sightLog) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	var err error
	if s.scanned {
		for path := range l.written {
			if _, there := s.sights[path]; !there {
				err = errors.Join(err, enc.Encode(entry{Path: []byte(path), Gone: true}))
			}
		}
		for path, now := range s.sights {
			if was, ok := l.written[path]; !ok || was != now {
				err = errors.Join(err, enc.Encode(entry{Path: []byte(path), Sight: savedOf(now)}))
			}
		}
	}
	err = errors.Join(err, enc.Encode(entry{Begun: &begun{s.scanned, s.since}}))
	return buf.Bytes(), err
}

func savedOf(now sight) *saved {
	return &saved{
		Dev: now.dev, Inode: now.inode, Size: now.size, Mtime: now.mtime, Ctime: now.ctime,
		Mode: now.mode, Hash: now.hash, Unsure: now.unsure, Lost: now.lost,
	}
}

// over notes that nothing is to be recovered of the call before.
func (l *sightLog) over() {
	if l != nil {
		l.rest()
		_, _ = l.file.WriteString(`{"over":true}` + "\n") // as with announce
	}
}

// announce notes what a tool is about to change.
func (l *sightLog) announce(path string, before State, lost string) {
	if l == nil {
		return
	}
	line, err := json.Marshal(entry{Path: []byte(path), Before: &before, Lost: lost})
	if err == nil {
		_, _ = l.file.Write(append(line, '\n')) // best effort: it only counts when the process is killed
	}
}

// live writes to the log from time to time until rest, for its time alone.
func (l *sightLog) live() {
	l.stop, l.stopped = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(l.stopped)
		tick := time.NewTicker(beat)
		defer tick.Stop()
		for {
			select {
			case <-l.stop:
				return
			case <-tick.C:
				_, _ = l.file.WriteString("\n")
			}
		}
	}()
}

func (l *sightLog) rest() {
	if l == nil || l.stop == nil {
		return
	}
	close(l.stop)
	<-l.stopped
	l.stop = nil
}

func (l *sightLog) close() error {
	if l == nil {
		return nil
	}
	l.rest()
	return errors.Join(l.file.Close(), os.Remove(l.file.Name()))
}

// Recover says what the last call changed whose process ended before the call or
// shortly behind it, as End would have. What was changed after that process had ended,
// by its time, is named (Change.Lost). Without a log there is nothing to tell: found is
// false. It comes before the first Begin. The log stays until Forget, so that it can be
// asked again, by a later process too.
func (s *Store) Recover(ctx context.Context) (changes []Change, found bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begun || s.log != nil || s.pack != nil {
		return nil, false, nil
	}
	until, err := s.replay()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	defer func() {
		err = errors.Join(err, s.pack.close())
		s.pack, s.sights, s.begun, s.over = nil, nil, false, false
	}()
	if err != nil {
		return nil, false, err
	}
	s.pending = true
	found = s.begun || s.over
	if changes, err = s.end(ctx); err != nil {
		return nil, false, err
	}
	s.retired = nil
	if err := s.trouble(changes); err != nil {
		return nil, false, err // there may be room the next time
	}
	for i := range changes {
		if c := &changes[i]; c.Lost == "" && changedAfter(*c, until) {
			c.Lost = afterwards
		}
	}
	return changes, found, nil
}

// Forget says that what Recover told is recorded.
func (s *Store) Forget() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.forget()
}

func (s *Store) forget() error {
	if !s.pending {
		return nil
	}
	s.pending = false
	return errors.Join(ignoreMissing(os.Remove(filepath.Join(s.o.Dir, logName))), ignoreMissing(os.Remove(filepath.Join(s.o.Dir, packName))))
}

// afterwards is why a change that was found after a crash is not taken back.
const afterwards = "it was changed, once more at least, after the program had ended"

// changedAfter reports whether what is at a path came there after a time. What is gone
// can be put back whoever removed it.
func changedAfter(c Change, until time.Time) bool {
	if c.After.Mode == "" {
		return false
	}
	info, err := os.Lstat(c.Path)
	if err != nil {
		return true
	}
	at := statOf(info).ctime
	if at == 0 {
		at = info.ModTime().UnixNano()
	}
	return at > until.UnixNano()
}

// replay takes the Store back to the call that the log ends with and returns until when
// its process lived at most.
func (s *Store) replay() (time.Time, error) {
	f, err := s.left(logName)
	if err != nil {
		return time.Time{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return time.Time{}, err
	}
	if s.pack, err = s.readPack(packName); err != nil {
		return time.Time{}, err
	}
	s.sights = map[string]sight{}
	s.touched, s.lost = map[string]State{}, map[string]string{}
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break // the last line may be cut; the call began behind none
		}
		var e entry
		if len(line) > 1 && json.Unmarshal(line, &e) == nil {
			s.replayed(e)
		}
	}
	return info.ModTime().Add(beat + beat/4), nil
}

func (s *Store) replayed(e entry) {
	path := string(e.Path)
	switch {
	case e.Over:
		s.begun, s.over = false, true
	case e.Begun != nil:
		s.begun, s.scanned, s.since = true, e.Begun.Scan, e.Begun.Since
		s.touched, s.lost = map[string]State{}, map[string]string{}
	case e.Gone:
		delete(s.sights, path)
	case e.Sight != nil:
		is := e.Sight
		s.sights[path] = sight{
			stat: stat{dev: is.Dev, inode: is.Inode, size: is.Size, mtime: is.Mtime, ctime: is.Ctime},
			mode: is.Mode, hash: is.Hash, unsure: is.Unsure, lost: is.Lost,
		}
	case e.Before != nil:
		s.touched[path] = *e.Before
		if e.Lost != "" {
			s.lost[path] = e.Lost
		}
	}
}
