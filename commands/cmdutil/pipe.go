package cmdutil

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"syscall"

	"golang.org/x/term"
)

// PipeWriter is a standard stream whose reader may leave early. After the first
// broken pipe it drops what it is given and reports success, so that a command
// finishes its work (a journal, a clean-up) instead of failing over a closed
// `| head`. It is as safe for concurrent use as the writer below it.
type PipeWriter struct {
	w      io.Writer
	broken atomic.Bool
	failed atomic.Pointer[error]
}

// NewPipeWriter wraps w.
func NewPipeWriter(w io.Writer) *PipeWriter { return &PipeWriter{w: w} }

// Write passes p on, or drops it when the reader is gone.
func (p *PipeWriter) Write(b []byte) (int, error) {
	if p.broken.Load() {
		return len(b), nil
	}
	n, err := p.w.Write(b)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		p.broken.Store(true)
		return len(b), nil
	}
	if err != nil {
		p.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}

// Err is the first error of a write that was lost, other than a reader that
// left: a full disk, for example.
func (p *PipeWriter) Err() error {
	if err := p.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Broken reports whether the reader is gone; a command that only prints may stop.
func (p *PipeWriter) Broken() bool { return p.broken.Load() }

// Columns is the width of the terminal behind the writer, 0 when there is none.
func (p *PipeWriter) Columns() int {
	f, ok := p.w.(*os.File)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}
