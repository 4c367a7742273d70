package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// HeldError says that another process, or another part of this one, holds the lock.
type HeldError struct {
	Path   string
	Holder string // in words: pid and host
	// Elsewhere: the holder signed on another machine, where the system's lock
	// does not reach; when it is gone somebody has to delete the file.
	Elsewhere bool
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("lock %s: held by %s", e.Path, e.Holder)
}

// Lock is a held single-writer lock: an advisory lock of the system on a file that
// names its holder. The system frees it however the process ends; the file stays,
// and its text alone means nothing, except to AcquireSigned.
type Lock struct {
	file *flock.Flock

	mu     sync.Mutex
	mark   mark
	beaten time.Time
}

// orphanPatience is how long a lock may outlive a killed holder: a child that was
// being started when it died keeps the file open until it runs its program.
// lookPatience is how long somebody may look at it (Holder) or be signing.
const (
	orphanPatience = 2 * time.Second
	lookPatience   = 200 * time.Millisecond
)

// Acquire takes the lock at path, making the file when there is none. It returns
// *HeldError when somebody has it, at once unless the one who signed it is gone.
// What is at path must be a regular file and no link: it is written to.
func Acquire(path string) (*Lock, error) { return acquire(path, false) }

// AcquireSigned is Acquire for a directory that several machines may share, through
// a file system whose locks stay on each: a holder that signed on another machine
// and did not release is believed, however long ago that was. One of an earlier boot
// or a dead process of this machine is gone, and the lock is taken over.
func AcquireSigned(path string) (*Lock, error) { return acquire(path, true) }

func acquire(path string, signed bool) (*Lock, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("lock %s: %w", path, regular(info))
	}
	begun := time.Now()
	for {
		f := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDONLY|nonblock), flock.SetPermissions(0o600))
		got, err := f.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, bare(err))
		}
		m := readMark(path)
		if !got {
			if time.Since(begun) < patience(m) {
				time.Sleep(5 * time.Millisecond)
				continue
			}
			return nil, &HeldError{Path: path, Holder: m.words(), Elsewhere: m.elsewhere()}
		}
		if !current(f, path) {
			// The file was removed between opening and locking it: what we hold
			// is a name nobody else can find.
			if err := f.Unlock(); err != nil {
				return nil, fmt.Errorf("lock %s: %w", path, bare(err))
			}
			continue
		}
		if signed && m.elsewhere() {
			return nil, errors.Join(&HeldError{Path: path, Holder: m.words(), Elsewhere: true}, f.Unlock())
		}
		l := &Lock{file: f}
		l.sign()
		return l, nil
	}
}

// patience is how long a lock that is not free and has this mark is waited for.
func patience(m mark) time.Duration {
	switch {
	case m.gone():
		return orphanPatience
	case m.pid == 0:
		return lookPatience
	}
	return 0
}

// Holder says in words who holds the lock at path as AcquireSigned sees it, "" when
// nobody does. It keeps nobody from taking it.
func Holder(path string) string {
	m := readMark(path)
	if m.pid == 0 {
		return ""
	}
	if m.elsewhere() {
		return m.words()
	}
	f := flock.New(path, flock.SetFlag(os.O_RDONLY|nonblock))
	got, err := f.TryRLock()
	if err == nil && got {
		_ = f.Unlock() // the file was only read
		return ""
	}
	return m.words()
}

func current(f *flock.Flock, path string) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(held, named)
}

// The text begins at the second byte: Windows forbids others to read the locked
// first one.
const textAt = 1

// sign is a courtesy to whoever is refused: that it fails, on a full disk say, takes
// nothing from the lock.
func (l *Lock) sign() {
	l.mark = ownMark(time.Now())
	l.beaten = l.mark.seen
	_ = l.write(l.mark.text())
}

// beatEvery is how old the heartbeat of a lock that is used becomes.
const beatEvery = 30 * time.Second

// Beat says in the lock file that the holder is alive now; called often it writes
// twice a minute at most. Whoever is refused from elsewhere sees the time.
func (l *Lock) Beat(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.file.Locked() || now.Sub(l.beaten).Abs() < beatEvery {
		return
	}
	l.beaten, l.mark.seen = now, now
	_ = l.write(l.mark.text())
}

// write replaces the text of the file.
func (l *Lock) write(text string) error {
	f, err := os.OpenFile(l.file.Path(), os.O_WRONLY|nonblock, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if !current(l.file, l.file.Path()) {
		return fs.ErrNotExist
	}
	_, _ = f.WriteAt([]byte(" "), 0) // refused on Windows, where it stays a zero byte
	if _, err := f.WriteAt([]byte(text), textAt); err != nil {
		return err
	}
	return f.Truncate(int64(textAt + len(text)))
}

// Release frees the lock; releasing again does nothing. The file stays, without
// its text.
func (l *Lock) Release() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file.Locked() {
		_ = l.write("") // who finds the lock free needs no text to believe it
	}
	if err := l.file.Unlock(); err != nil {
		return fmt.Errorf("unlock %s: %w", l.file.Path(), bare(err))
	}
	return nil
}
