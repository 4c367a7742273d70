package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// streams are a command's three standard files: what it gets, and the goroutines
// that pass bytes between them and the Cmd's reader and writers.
type streams struct {
	child  [3]*os.File
	opened []*os.File // the child's ends that are ours to close once it has them
	stdin  *os.File   // our end of the input pipe, or nil
	feed   chan struct{}
	pumps  []*pump
}

// A pump copies one output pipe into a writer until the pipe ends.
type pump struct {
	from *os.File
	to   io.Writer
	done chan struct{}
	err  error // of the writer; valid once done is closed
}

// openStreams makes the files and starts the copying. The caller ends it with
// finish.
func openStreams(cmd Cmd) (*streams, error) {
	s := &streams{}
	err := s.open(cmd)
	if err != nil {
		s.closeChild()
		return nil, errors.Join(fmt.Errorf("open standard files: %w", err), s.finish())
	}
	return s, nil
}

func (s *streams) open(cmd Cmd) (err error) {
	if s.child[1], err = s.output(cmd.Out); err != nil {
		return err
	}
	if cmd.Err != nil && sameWriter(cmd.Out, cmd.Err) {
		s.child[2] = s.child[1]
	} else if s.child[2], err = s.output(cmd.Err); err != nil {
		return err
	}
	s.child[0], err = s.input(cmd.In)
	return err
}

// sameWriter compares without panicking on writers that cannot be compared.
func sameWriter(a, b io.Writer) (same bool) {
	defer func() { _ = recover() }()
	return a == b
}

func (s *streams) input(r io.Reader) (*os.File, error) {
	if r == nil {
		return s.null(os.O_RDONLY)
	}
	if f, ok := r.(*os.File); ok {
		return f, nil
	}
	ours, theirs, err := s.pipe(true)
	if err != nil {
		return nil, err
	}
	s.stdin, s.feed = ours, make(chan struct{})
	go func() {
		defer close(s.feed)
		// A command need not read its input: a broken pipe is not an error.
		_, _ = io.Copy(ours, r)
		_ = ours.Close()
	}()
	return theirs, nil
}

func (s *streams) output(w io.Writer) (*os.File, error) {
	if w == nil {
		return s.null(os.O_WRONLY)
	}
	if f, ok := w.(*os.File); ok {
		return f, nil
	}
	ours, theirs, err := s.pipe(false)
	if err != nil {
		return nil, err
	}
	p := &pump{from: ours, to: w, done: make(chan struct{})}
	s.pumps = append(s.pumps, p)
	go p.run()
	return theirs, nil
}

func (s *streams) null(flag int) (*os.File, error) {
	f, err := os.OpenFile(os.DevNull, flag, 0)
	if err == nil {
		s.opened = append(s.opened, f)
	}
	return f, err
}

// pipe returns our end and the child's, which blocks as programs expect.
func (s *streams) pipe(childReads bool) (ours, theirs *os.File, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	ours, theirs = r, w
	if childReads {
		ours, theirs = w, r
	}
	s.opened = append(s.opened, theirs)
	return ours, theirs, setBlocking(theirs)
}

// closeChild closes our copies of the child's ends, without which our pipes
// would never end.
func (s *streams) closeChild() {
	for _, f := range s.opened {
		_ = f.Close()
	}
	s.opened = nil
}

const (
	// feedPatience is how long Run waits for a reader of input that does not
	// return.
	feedPatience = 100 * time.Millisecond
	// pipePatience is how long an output pipe may stay open after every process
	// we know of has ended: one that was handed to a stranger, as to a daemon.
	pipePatience = 500 * time.Millisecond
)

// finish waits until all output has been passed on. Everything that could write
// has ended by now.
func (s *streams) finish() error {
	if s.stdin != nil {
		_ = s.stdin.Close()
		select {
		case <-s.feed:
		case <-time.After(feedPatience):
		}
	}
	var errs []error
	for _, p := range s.pumps {
		_ = p.from.SetReadDeadline(time.Now().Add(pipePatience))
	}
	for _, p := range s.pumps {
		errs = append(errs, p.finish())
	}
	return errors.Join(errs...)
}

func (p *pump) run() {
	defer close(p.done)
	defer p.from.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := p.from.Read(buf)
		p.write(buf[:n])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			p.drain(buf)
			return
		}
		if err != nil {
			return
		}
	}
}

// write passes bytes on. After a failed write the rest is read and dropped, so
// that the command is not ended by a fault of ours.
func (p *pump) write(b []byte) {
	if p.err != nil || len(b) == 0 {
		return
	}
	if _, err := p.to.Write(b); err != nil {
		p.err = fmt.Errorf("pass output on: %w", err)
	}
}
