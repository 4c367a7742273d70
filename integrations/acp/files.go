package acp

import (
	"context"
	"errors"
	"sync"

	"reasonix/core/protocol"
	"reasonix/integrations/internal/acpwire"
	"reasonix/integrations/internal/jsonrpc"
)

// lender is what the client of one session lends to it: its buffers and its terminals.
// A nil lender lends nothing. It is safe for concurrent use.
type lender struct {
	conn *jsonrpc.Conn
	can  acpwire.ClientCapabilities

	mu      sync.Mutex
	session string
	calls   map[string]*lentCall
}

// lend makes what a session can be opened with.
func lend(conn *jsonrpc.Conn, can acpwire.ClientCapabilities) *lender {
	return &lender{conn: conn, can: can, calls: map[string]*lentCall{}}
}

// bind names the session. Nothing is lent before.
func (l *lender) bind(session string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.session = session
}

func (l *lender) id() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.session
}

// files is nil when the client lends none.
func (l *lender) files() protocol.Files {
	if !l.can.FS.ReadTextFile && !l.can.FS.WriteTextFile {
		return nil
	}
	return (*lentFiles)(l)
}

// terminal is nil when the client lends none.
func (l *lender) terminal() protocol.Terminal {
	if !l.can.Terminal {
		return nil
	}
	return (*lentTerminals)(l)
}

// ask calls a method of the client and waits for its answer.
func (l *lender) ask(ctx context.Context, method string, params, result any) error {
	call, err := l.conn.Call(method, params)
	if err != nil {
		return err
	}
	err = call.Wait(ctx, result)
	if ctx.Err() != nil {
		call.GiveUp()
	}
	return err
}

// lentFiles are the buffers. A file that the client will not give is the disk's. Every
// read asks the client: what it said a moment ago may be written over since, by a command
// or by whoever types.
type lentFiles lender

func (f *lentFiles) ReadFile(ctx context.Context, path string) ([]byte, error) {
	l := (*lender)(f)
	session := l.id()
	if session == "" || !l.can.FS.ReadTextFile {
		return nil, errors.ErrUnsupported
	}
	var got acpwire.ReadTextFileResult
	err := l.ask(ctx, "fs/read_text_file", acpwire.ReadTextFile{SessionID: session, Path: path}, &got)
	if err := unlent(ctx, err); err != nil {
		return nil, err
	}
	if got.Content == nil {
		return nil, errors.ErrUnsupported
	}
	return []byte(*got.Content), nil
}

func (f *lentFiles) WriteFile(ctx context.Context, path string, data []byte) error {
	l := (*lender)(f)
	session := l.id()
	if session == "" || !l.can.FS.WriteTextFile || !isText(data) {
		return errors.ErrUnsupported
	}
	// Not unlent: the client may have written, and the disk must not be written behind it.
	return l.ask(ctx, "fs/write_text_file", acpwire.WriteTextFile{SessionID: session, Path: path, Content: string(data)}, nil)
}

// unlent turns the client's refusal into one that leaves the file to the disk.
func unlent(ctx context.Context, err error) error {
	var refused *jsonrpc.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &refused):
		return errors.ErrUnsupported
	}
	return err
}
