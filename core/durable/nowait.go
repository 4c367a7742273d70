package durable

import (
	"errors"
	"io/fs"
	"os"
)

// ErrWouldWait says that a file has nothing to read now and may have later.
var ErrWouldWait = errors.New("there is nothing to read now, and a read would wait")

// NoWait is a file open for reading whose reads do not wait for what is not there
// yet: they fail with an error that wraps ErrWouldWait. Reading from a disk, a
// slow one too, is no waiting in that sense.
type NoWait struct{ file *os.File }

// OpenNoWait is Open for a reader with a use for what is in /proc and /sys: it
// takes the files of kernel file systems too, and leaves it to NoWait that none of
// them blocks. Such a file may have no end.
func OpenNoWait(path string) (*NoWait, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	return &NoWait{f}, nil
}

// Read implements io.Reader. Its errors do not name the file.
func (n *NoWait) Read(p []byte) (int, error) { return n.read(p) }

// Seek implements io.Seeker.
func (n *NoWait) Seek(offset int64, whence int) (int64, error) { return n.file.Seek(offset, whence) }

// Stat describes the open file.
func (n *NoWait) Stat() (fs.FileInfo, error) { return n.file.Stat() }

// Close releases the file.
func (n *NoWait) Close() error { return n.file.Close() }
