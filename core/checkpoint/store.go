package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"time"

	"reasonix/core/durable"
)

// The bounds of a Store when Options leave them open.
const (
	MaxFile  = 4 << 20   // bytes of a file that is kept
	MaxSight = 64 << 20  // bytes copied when they are first seen
	MaxFiles = 20_000    // files copied when they are first seen
	MaxKept  = 256 << 20 // bytes of all that is kept for good
)

// Options say what a Store watches and where it keeps it.
type Options struct {
	Dir  string // of the Store, absolute; made when something is kept
	Root string // the directory that is looked through, absolute, links resolved
	// Roots are the directories below which files are put back, Root among them.
	Roots func() []string
	// Scratch is a directory below which nobody minds what changes; may be empty.
	Scratch string
	// Home and XDG are the user's home directory and $XDG_CONFIG_HOME, for git's own
	// ignore rules.
	Home, XDG string
	// Forbid names what is never opened; may be nil.
	Forbid func(abs string) bool
	// MaxFile, MaxSight, MaxFiles and MaxKept are bounds; 0: the constant of that name.
	MaxFile, MaxSight, MaxKept int64
	MaxFiles                   int
}

func (o *Options) fill() {
	for _, b := range []struct {
		at   *int64
		open int64
	}{{&o.MaxFile, MaxFile}, {&o.MaxSight, MaxSight}, {&o.MaxKept, MaxKept}} {
		if *b.at == 0 {
			*b.at = b.open
		}
	}
	if o.MaxFiles == 0 {
		o.MaxFiles = MaxFiles
	}
}

// Store remembers for one session. It is safe for concurrent use; calls between Begin
// and End follow each other.
type Store struct {
	o     Options
	write func(at string, data []byte) error // a file

	mu       sync.Mutex
	kept     int64 // bytes in Dir; -1: not counted yet
	pack     *pack
	packs    []*pack // kept for good; nil: not looked for yet
	log      *sightLog
	sights   map[string]sight // nil: nothing was looked at yet
	margin   margin
	begun    bool
	over     bool             // the log says so of the last call of another process
	pending  bool             // what Recover told may not be recorded yet
	scanned  bool             // Begin looked through Root
	restored bool             // files were put back since
	ended    int64            // when the last look began, by that clock
	since    int64            // what is made from then on is the call's, by the clock of the disk
	started  time.Time        // when that was, by a clock that nobody sets
	setBack  bool             // the clock of the disk was, during the call
	touched  map[string]State // by Before
	lost     map[string]string
	failed   map[string]bool // reasons in lost and in sights that are failures, not bounds
	retired  error           // why the pack of this call was kept for good
}

// New makes a Store. It touches no disk.
func New(o Options) *Store {
	o.fill()
	return &Store{o: o, write: write, kept: -1}
}

// Close removes what no change needed, but what Recover told and nobody had it Forget.
// The Store may be used on.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.dropPack()
	for _, p := range s.packs {
		err = errors.Join(err, p.close())
	}
	s.packs, s.pending = nil, false
	return err
}

func (s *Store) dropPack() error {
	p, l := s.pack, s.log
	s.pack, s.log, s.sights, s.margin = nil, nil, nil, margin{}
	err := l.close()
	if p != nil {
		err = errors.Join(err, p.close(), ignoreMissing(os.Remove(filepath.Join(s.o.Dir, packName))))
	}
	return err
}

// Begin begins a call. With scan it looks through Root, for a command that may change
// anything; where that fails, it is as if there was nothing to see.
func (s *Store) Begin(ctx context.Context, scan bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun, s.scanned = true, false
	s.touched, s.lost = map[string]State{}, map[string]string{}
	s.log.over()
	if err := s.forget(); err != nil {
		return err
	}
	if !scan {
		s.note()
		return nil
	}
	if s.pack != nil && s.pack.size > 2*s.o.MaxSight {
		if err := s.dropPack(); err != nil {
			return err
		}
	}
	seen, err := s.look(ctx, nil)
	if err != nil {
		return err
	}
	since, err := s.clock()
	if err != nil {
		return err
	}
	s.sights, s.scanned, s.since, s.restored = seen, true, since, false
	s.started = time.Now()
	s.note()
	return nil
}

// wasSetBack reports whether less time went by on the disk's clock than by another.
func (s *Store) wasSetBack(now int64) bool {
	return !s.started.IsZero() && time.Duration(now-s.since)+time.Second < time.Since(s.started)
}

// clock is what time a file gets that is made now, in nanoseconds.
func (s *Store) clock() (int64, error) {
	if err := durable.MkdirAll(s.o.Dir); err != nil {
		return 0, err
	}
	f, err := os.CreateTemp(s.o.Dir, durable.TempPrefix)
	if err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err = errors.Join(err, f.Close(), os.Remove(f.Name())); err != nil {
		return 0, err
	}
	return info.ModTime().UnixNano(), nil
}

// Before keeps what is at path, and what is below it, because this call is about to
// change it. Directories that are not there, and would be made, count too.
func (s *Store) Before(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun {
		return
	}
	for dir := filepath.Dir(path); s.inside(dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !absent(err) {
			break
		}
		s.touch(dir)
	}
	s.touch(path)
	if info, err := os.Lstat(path); err != nil || !info.IsDir() {
		return
	}
	n := 0
	_ = filepath.WalkDir(path, func(at string, _ fs.DirEntry, err error) error {
		if n++; err != nil || n > s.o.MaxFiles {
			return fs.SkipAll
		}
		s.touch(at)
		return nil
	})
}

// inside reports whether dir is below a root, and none itself.
func (s *Store) inside(dir string) bool {
	_, rel, ok := s.rootOf(dir)
	return ok && rel != "."
}

func (s *Store) touch(path string) {
	if _, again := s.touched[path]; again {
		return
	}
	state, err := s.keepAt(path)
	s.touched[path] = state
	if err != nil {
		s.lost[path] = err.Error()
	}
	s.log.announce(path, state, s.lost[path])
}

// End ends the call and says what it changed, in the order of the paths. An error says
// what else there is, or what could not be kept, because the disk is full say.
func (s *Store) End(ctx context.Context) ([]Change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.rest()
	changes, err := s.end(ctx)
	return changes, errors.Join(err, s.trouble(changes))
}

// trouble is what failed of keeping what changes need.
func (s *Store) trouble(changes []Change) error {
	var err error
	if s.retired != nil {
		err = fmt.Errorf("what files were stays in one piece: %w", s.retired)
		s.retired = nil
	}
	n, first := 0, Change{}
	for _, c := range changes {
		if s.failed[c.Lost] {
			if n++; n == 1 {
				first = c
			}
		}
	}
	if n > 0 {
		err = errors.Join(err, fmt.Errorf("%d cannot be put back, the first is %s: %s", n, first.Path, first.Lost))
	}
	return err
}

func (s *Store) fails(err error) {
	if s.failed == nil {
		s.failed = map[string]bool{}
	}
	s.failed[err.Error()] = true
}

func (s *Store) end(ctx context.Context) ([]Change, error) {
	if !s.begun {
		return nil, nil
	}
	s.begun = false
	changes := map[string]Change{}
	var failed error
	if s.scanned {
		before, beside := s.sights, s.margin
		ended, err := s.clock()
		if err == nil {
			s.setBack = s.wasSetBack(ended)
			s.ended, s.started = ended, time.Now()
		}
		after, err := s.look(ctx, before)
		if err != nil {
			failed, s.sights, s.margin = err, nil, margin{}
		} else {
			s.sights = after
			s.compare(before, after, beside, changes)
		}
	}
	for path, before := range s.touched {
		after, err := s.stateOf(path)
		if c := (Change{Path: path, Before: before, After: after, Lost: s.lost[path]}); err == nil && before != after {
			changes[path] = c
		}
	}
	all := make([]Change, 0, len(changes))
	for _, c := range changes {
		all = append(all, c)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Path < all[j].Path })
	return all, failed
}

// Between says what changed since the last call ended: what a command in the
// background did say. It sees nothing before the first call that looked, and nothing
// in the time in which Restore put files back.
func (s *Store) Between(ctx context.Context) ([]Change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begun || s.sights == nil {
		return nil, nil
	}
	s.begun, s.scanned, s.since = true, true, s.ended
	s.touched, s.lost = map[string]State{}, map[string]string{}
	changes, err := s.end(ctx)
	if s.restored {
		changes = nil
	}
	s.restored = false
	return changes, errors.Join(err, s.trouble(changes))
}

var errFull = errors.New("the checkpoints of this session are full")

// keep stores content for good. Where there is no room for that, the pack that has it is.
func (s *Store) keep(hash string, data []byte) error {
	if s.kept < 0 {
		s.kept = s.count()
	}
	at := filepath.Join(s.o.Dir, hash)
	if _, err := os.Lstat(at); err == nil || s.packed(hash) {
		return nil
	}
	if s.kept+int64(len(data)) > s.o.MaxKept {
		return errFull
	}
	err := s.write(at, data)
	if err == nil {
		s.kept += int64(len(data))
		return nil
	}
	if s.pack.has(hash) && s.retire() == nil {
		s.retired = err
		return nil
	}
	s.fails(err)
	return err
}

// write makes the file at with data.
func write(at string, data []byte) error {
	dir := filepath.Dir(at)
	if err := durable.MkdirAll(dir); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, durable.TempPrefix)
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), at)
	}
	if err != nil {
		return errors.Join(bare(err), os.Remove(temp.Name()))
	}
	return nil
}

// bare is an error without the name of a file that nobody knows.
func bare(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// count adds up what is kept from before.
func (s *Store) count() int64 {
	entries, _ := os.ReadDir(s.o.Dir) // none yet
	var n int64
	for _, e := range entries {
		if info, err := e.Info(); err == nil && (len(e.Name()) == len(hashOf(nil)) || isKeptPack(e.Name())) {
			n += info.Size()
		}
	}
	return n
}

// load reads what was kept and checks that it is still that.
func (s *Store) load(hash string) ([]byte, error) {
	data, err := durable.ReadFile(filepath.Join(s.o.Dir, hash), s.o.MaxFile)
	if err != nil {
		if packed, ok := s.original(hash); ok {
			return packed, nil
		}
		return nil, err
	}
	if hashOf(data) != hash {
		return nil, fmt.Errorf("what was kept of it is damaged")
	}
	return data, nil
}
