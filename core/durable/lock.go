package durable

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// HeldError says that another process, or another part of this one, holds the lock.
type HeldError struct {
	Path   string
	Holder string // in words: pid and host
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("lock %s: held by %s", e.Path, e.Holder)
}

// Lock is a held single-writer lock: an advisory lock of the system on a file that
// names its holder. The system frees it however the process ends; the file stays,
// and its text alone means nothing.
type Lock struct{ file *flock.Flock }

// orphanPatience is how long a lock may outlive a killed holder: a child that was
// being started when it died keeps the file open until it runs its program.
const orphanPatience = 2 * time.Second

// Acquire takes the lock at path, making the file when there is none. It returns
// *HeldError when somebody has it, at once unless the one who signed it is gone.
// What is at path must be a regular file and no link: it is written to.
func Acquire(path string) (*Lock, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("lock %s: %w", path, regular(info))
	}
	late := time.Now().Add(orphanPatience)
	for {
		f := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDONLY|nonblock), flock.SetPermissions(0o600))
		got, err := f.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, bare(err))
		}
		if !got && gone(holder(path)) && time.Now().Before(late) {
			time.Sleep(5 * time.Millisecond)
			continue
		}
		if !got {
			return nil, &HeldError{Path: path, Holder: holder(path)}
		}
		if current(f, path) {
			l := &Lock{file: f}
			l.sign()
			return l, nil
		}
		// The file was removed between opening and locking it: what we hold is
		// a name nobody else can find.
		if err := f.Unlock(); err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, bare(err))
		}
	}
}

// gone reports whether a holder, as sign wrote it, was a process of this machine
// that no longer exists.
func gone(holder string) bool {
	var pid int
	var on string
	if n, _ := fmt.Sscanf(holder, "pid %d on %s", &pid, &on); n != 2 || pid <= 0 {
		return false
	}
	host, err := os.Hostname()
	return err == nil && on == host && !exists(pid)
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
	f, err := os.OpenFile(l.file.Path(), os.O_WRONLY|nonblock, 0)
	if err != nil {
		return
	}
	defer f.Close()
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	text := "pid " + strconv.Itoa(os.Getpid()) + " on " + host + "\n"
	_, _ = f.WriteAt([]byte(" "), 0) // refused on Windows, where it stays a zero byte
	if _, err := f.WriteAt([]byte(text), textAt); err == nil {
		_ = f.Truncate(int64(textAt + len(text)))
	}
}

// holder reads who signed the lock file last. A reader that comes between locking
// and signing sees the previous holder or nobody.
func holder(path string) string {
	const unknown = "another process"
	f, err := Open(path)
	if err != nil {
		return unknown
	}
	defer f.Close()
	text := make([]byte, 512)
	n, _ := f.ReadAt(text, textAt)
	line, _, whole := bytes.Cut(text[:n], []byte("\n"))
	if name := strings.TrimSpace(string(line)); whole && name != "" {
		return name
	}
	return unknown
}

// Release frees the lock; releasing again does nothing. The file stays.
func (l *Lock) Release() error {
	if err := l.file.Unlock(); err != nil {
		return fmt.Errorf("unlock %s: %w", l.file.Path(), bare(err))
	}
	return nil
}
