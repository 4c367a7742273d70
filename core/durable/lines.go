package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// Lines is an append-only file of whole lines, each ended by a newline. One batch
// is one write, and a batch that could not be written whole is taken back, so the
// next one always begins on its own line. It is safe for concurrent use; that no
// other process writes the file is the caller's business (Lock).
type Lines struct {
	path string
	torn []byte

	mu    sync.Mutex
	file  appendFile
	size  int64 // bytes of whole lines
	dirty bool  // written since the last Sync
	over  bool  // bytes behind size could not be taken back yet
}

// appendFile is what Lines needs of an *os.File.
type appendFile interface {
	io.Writer
	Truncate(size int64) error
	Sync() error
	Close() error
}

// osFile cuts by name on Windows, where a file opened for appending cannot be cut.
type osFile struct{ *os.File }

func (f osFile) Truncate(size int64) error {
	if runtime.GOOS == "windows" {
		return os.Truncate(f.Name(), size)
	}
	return f.File.Truncate(size)
}

// CreateLines makes the file with its first lines, which survive a power loss when
// it returns. A file that exists is an error (fs.ErrExist); a file that could not
// be written whole is removed again.
func CreateLines(path string, first []byte) (*Lines, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", path, bare(err))
	}
	l := &Lines{path: path, file: osFile{f}}
	err = l.Append(first)
	if err == nil {
		err = l.Sync()
	}
	if err == nil {
		err = SyncDir(filepath.Dir(path))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	return l, nil
}

// MaxTail is how many bytes OpenLines takes for the unfinished last line.
const MaxTail = 64 << 20

// OpenLines opens the file for appending. Bytes behind the last newline are what a
// crash or a cut left: when whole says that they are a complete line the newline
// is added, otherwise they are dropped and Torn returns them. More than MaxTail of
// them no crash leaves: they stay, as a line, but in a file that begins with such a
// line: that is an error that wraps ErrTooLarge, and the file stays as it is. Other than
// regular files are refused.
func OpenLines(path string, whole func(tail []byte) bool) (*Lines, error) {
	f, err := look(path, os.Stat, func() (*os.File, error) { return os.OpenFile(path, os.O_RDWR|os.O_APPEND|nonblock, 0) })
	if f, err = notOfKernel(f, path, err); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, bare(err))
	}
	l := &Lines{path: path, file: osFile{f}}
	if err := l.mend(f, whole); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

func (l *Lines) mend(f *os.File, whole func([]byte) bool) error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("open %s: %w", l.path, bare(err))
	}
	var long bool
	if l.size, long, err = wholeLines(f, info.Size()); err != nil {
		return fmt.Errorf("read %s: %w", l.path, bare(err))
	}
	if long {
		return l.endLong(f, info.Size())
	}
	if l.size == info.Size() {
		return nil
	}
	tail := make([]byte, info.Size()-l.size)
	if _, err := f.ReadAt(tail, l.size); err != nil {
		return fmt.Errorf("read %s: %w", l.path, bare(err))
	}
	if whole != nil && whole(tail) {
		l.size = info.Size()
		return l.Append([]byte("\n"))
	}
	l.torn, l.over = tail, true
	return l.takeBack()
}

// endLong ends a last line that is longer than any, when it is not the first.
func (l *Lines) endLong(f *os.File, size int64) error {
	block := make([]byte, 64<<10)
	for at := int64(0); at < MaxTail; at += int64(len(block)) {
		n, err := f.ReadAt(block, at)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read %s: %w", l.path, bare(err))
		}
		if bytes.IndexByte(block[:n], '\n') >= 0 {
			l.size = size
			return l.Append([]byte("\n"))
		}
	}
	return fmt.Errorf("read %s: %w: its first line is longer than %d bytes", l.path, ErrTooLarge, MaxTail)
}

// wholeLines returns the offset behind the last newline before end, or that more than
// MaxTail bytes are behind it.
func wholeLines(r io.ReaderAt, end int64) (size int64, long bool, err error) {
	block := make([]byte, 64<<10)
	for least := max(0, end-MaxTail); end > 0; {
		if end <= least {
			return 0, true, nil
		}
		part := block[:min(end, int64(len(block)))]
		start := end - int64(len(part))
		if _, err := r.ReadAt(part, start); err != nil {
			return 0, false, err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			return start + int64(i) + 1, false, nil
		}
		end = start
	}
	return 0, false, nil
}

// Torn returns what OpenLines dropped from the end of the file; nil when nothing.
func (l *Lines) Torn() []byte { return l.torn }

// Size is the length of the whole lines in bytes.
func (l *Lines) Size() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.size
}

// Append writes batch, whole lines with their newlines, in one write. After an
// error (a full disk, a lost one) the file holds what it held before, or is brought
// back to that by the next Append or Close; trying again is allowed.
func (l *Lines) Append(batch []byte) error {
	if len(batch) == 0 {
		return nil
	}
	if batch[len(batch)-1] != '\n' {
		return fmt.Errorf("append to %s: the last line has no newline", l.path)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return fmt.Errorf("append to %s: %w", l.path, fs.ErrClosed)
	}
	if err := l.takeBack(); err != nil {
		return err
	}
	n, err := l.file.Write(batch)
	l.dirty = l.dirty || n > 0
	if err == nil && n == len(batch) {
		l.size += int64(n)
		return nil
	}
	if err == nil {
		err = io.ErrShortWrite
	}
	l.over = n > 0
	return errors.Join(fmt.Errorf("append to %s: %w", l.path, bare(err)), l.takeBack())
}

// takeBack cuts the file to its whole lines after a write that stopped half way.
func (l *Lines) takeBack() error {
	if !l.over {
		return nil
	}
	if err := l.file.Truncate(l.size); err != nil {
		return fmt.Errorf("cut %s back to its last whole line: %w", l.path, bare(err))
	}
	l.over, l.dirty = false, true
	return nil
}

// Sync makes everything appended survive a power loss. It costs nothing when
// nothing was written since the last one.
func (l *Lines) Sync() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return fmt.Errorf("sync %s: %w", l.path, fs.ErrClosed)
	}
	return l.sync()
}

func (l *Lines) sync() error {
	if !l.dirty {
		return nil
	}
	if err := l.file.Sync(); err != nil {
		return fmt.Errorf("sync %s: %w", l.path, bare(err))
	}
	l.dirty = false
	return nil
}

// Close syncs and closes the file; closing again does nothing.
func (l *Lines) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := errors.Join(l.takeBack(), l.sync())
	if cerr := l.file.Close(); cerr != nil {
		err = errors.Join(err, fmt.Errorf("close %s: %w", l.path, bare(cerr)))
	}
	l.file = nil
	return err
}

// bare strips the operation and path a *fs.PathError repeats.
func bare(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
