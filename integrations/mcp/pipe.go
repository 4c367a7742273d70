package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxLine    = 64 << 20 // one message of a server
	maxPending = 64 << 20 // what a server has not read yet
)

var errBehind = errors.New("the server does not read its input")

// A pipe is the connection to a process: messages a line, in both directions. A
// line that is no message is noise, not the end. It is the process's standard
// output (Write of output) and input (Read of input).
type pipe struct {
	input    *queue
	messages chan jsonrpc.Message
	closed   chan struct{}
	close    sync.Once
	noise    func(line []byte)
	heard    func(*sdk.ProgressNotificationParams) // when progress is read; nil: nobody listens

	line []byte // what of the next one is here; of the goroutine that writes output
	long error  // set when a line was too long
}

func newPipe(noise func([]byte)) *pipe {
	return &pipe{input: newQueue(), messages: make(chan jsonrpc.Message, 64), closed: make(chan struct{}), noise: noise}
}

// Connect implements sdk.Transport.
func (p *pipe) Connect(context.Context) (sdk.Connection, error) { return p, nil }

// SessionID implements sdk.Connection; a process has none.
func (p *pipe) SessionID() string { return "" }

// Read returns the next message; what a process wrote before it ended is all read first.
func (p *pipe) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m, ok := <-p.messages:
		if !ok {
			return nil, io.EOF
		}
		p.listen(m)
		return m, nil
	case <-p.closed: // by this side
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipe) listen(m jsonrpc.Message) {
	r, ok := m.(*jsonrpc.Request)
	if !ok || r.Method != progressMethod || p.heard == nil {
		return
	}
	var params *sdk.ProgressNotificationParams
	if json.Unmarshal(r.Params, &params) == nil && params != nil {
		p.heard(params)
	}
}

// Write queues a message and never waits for the server.
func (p *pipe) Write(_ context.Context, m jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	return p.input.put(append(data, '\n'))
}

// Close ends the process's input, after which it should leave.
func (p *pipe) Close() error {
	p.close.Do(func() { close(p.closed) })
	p.input.end()
	return nil
}

// output is the writer of the process's standard output.
type output struct{ p *pipe }

func (o output) Write(data []byte) (int, error) {
	p, n := o.p, len(data)
	for len(data) > 0 {
		line, rest, whole := bytes.Cut(data, []byte{'\n'})
		if len(p.line)+len(line) > maxLine {
			p.long = fmt.Errorf("it wrote a message of more than %d MiB", maxLine>>20)
			_ = p.Close()
			return 0, p.long
		}
		p.line, data = append(p.line, line...), rest
		if whole {
			p.take(p.line)
			p.line = p.line[:0:min(cap(p.line), 1<<20)]
		}
	}
	return n, nil
}

// finish is called when the process is gone and no more is written.
func (p *pipe) finish() {
	if len(p.line) > 0 {
		p.take(p.line)
	}
	close(p.messages)
	p.input.end()
}

func (p *pipe) take(line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return
	}
	messages := decode(line)
	if messages == nil {
		p.noise(line)
	}
	for _, m := range messages {
		select {
		case p.messages <- m:
		case <-p.closed:
			return
		}
	}
}

// A queue is bytes on their way to a reader that may be slow: put never waits.
type queue struct {
	mu    sync.Mutex
	more  chan struct{} // has an entry when there may be something to read
	data  []byte
	ended bool
}

func newQueue() *queue { return &queue{more: make(chan struct{}, 1)} }

func (q *queue) put(data []byte) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended {
		return io.ErrClosedPipe
	}
	if len(q.data)+len(data) > maxPending {
		return errBehind
	}
	q.data = append(q.data, data...)
	q.wake()
	return nil
}

func (q *queue) wake() {
	select {
	case q.more <- struct{}{}:
	default:
	}
}

// end lets the reader have what was put, and nothing after it.
func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	q.wake()
}

// Read implements io.Reader for one reader.
func (q *queue) Read(p []byte) (int, error) {
	for {
		q.mu.Lock()
		n := copy(p, q.data)
		q.data = q.data[n:]
		if len(q.data) == 0 {
			q.data = nil
		}
		ended := q.ended
		q.mu.Unlock()
		if n > 0 || len(p) == 0 {
			return n, nil
		}
		if ended {
			return 0, io.EOF
		}
		<-q.more
	}
}
