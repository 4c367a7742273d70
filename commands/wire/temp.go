package wire

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"reasonix/core/durable"
)

// temporary is a session's temporary directory: it goes with the session, and
// where that was killed with the next one to start.
type temporary struct {
	dir  string
	lock *durable.Lock
}

// openTemporary makes the directory for a session under root and removes what
// killed sessions left there.
func openTemporary(root, session string) (*temporary, error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, err
	}
	t := &temporary{dir: filepath.Join(root, session)}
	// The session is this process's alone: who holds its lock is sweeping.
	for late := time.Now().Add(sweepPatience); ; time.Sleep(5 * time.Millisecond) {
		var err error
		if t.lock, err = durable.Acquire(t.dir + lockSuffix); err == nil {
			break
		}
		if held := (*durable.HeldError)(nil); !errors.As(err, &held) || time.Now().After(late) {
			return nil, err
		}
	}
	if err := os.MkdirAll(t.dir, 0o700); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	sweep(root)
	return t, nil
}

const (
	lockSuffix    = ".lock"
	sweepPatience = 10 * time.Second
)

// sweep removes the directories that nobody holds. What cannot be removed is
// left to the next session: it is in nobody's way.
func sweep(root string) {
	locks, _ := filepath.Glob(filepath.Join(root, "*"+lockSuffix)) // fails only on a bad pattern
	for _, path := range locks {
		lock, err := durable.Acquire(path)
		if err != nil {
			continue // somebody's
		}
		_ = (&temporary{dir: strings.TrimSuffix(path, lockSuffix), lock: lock}).Close()
	}
}

// Close removes the directory and then its lock.
func (t *temporary) Close() error {
	err := os.RemoveAll(t.dir)
	windows := runtime.GOOS == "windows"
	if windows { // an open file cannot be removed, by us or while somebody sweeps
		err = errors.Join(err, t.lock.Release())
	}
	if err == nil {
		if err = os.Remove(t.dir + lockSuffix); windows || errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	return errors.Join(err, t.lock.Release())
}
