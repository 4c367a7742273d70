package acp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"reasonix/core/protocol"
	"reasonix/integrations/internal/acpwire"
)

// How a command in a client's terminal is followed: how often its output is asked for,
// how long the client may take to tell it, how much of it is kept, in bytes, and how long
// a killed one may take to end.
const (
	followEvery = 300 * time.Millisecond
	lookWithin  = 3 * time.Second
	keptOutput  = 1 << 20
	killGrace   = 2 * time.Second
)

// lentCall is a call whose command may run in the client's terminals.
type lentCall struct {
	begun chan struct{} // closed once the client knows the call
	panes []any         // its terminals, as content
}

// call is the one of an id, made when it is new. The caller holds mu.
func (l *lender) call(id string) *lentCall {
	c := l.calls[id]
	if c == nil {
		c = &lentCall{begun: make(chan struct{})}
		l.calls[id] = c
	}
	return c
}

// began notes that the client knows a call.
func (l *lender) began(id string) {
	if l == nil || !l.can.Terminal {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.call(id)
	select {
	case <-c.begun: // it runs once more
	default:
		close(c.begun)
	}
}

// panes are the terminals of a call, as content.
func (l *lender) panes(id string) []any {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.calls[id]; c != nil {
		return c.panes
	}
	return nil
}

// ended is panes for a call that is over.
func (l *lender) ended(id string) []any {
	panes := l.panes(id)
	if l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.calls, id)
	}
	return panes
}

// lentTerminals run commands in the client's terminals.
type lentTerminals lender

// Run implements protocol.Terminal.
func (t *lentTerminals) Run(ctx context.Context, cmd protocol.TerminalCommand, out func([]byte)) (int, error) {
	l := (*lender)(t)
	if len(cmd.Argv) == 0 || l.id() == "" {
		return 0, errors.ErrUnsupported
	}
	create := acpwire.CreateTerminal{
		SessionID: l.id(), Command: cmd.Argv[0], Args: cmd.Argv[1:], Cwd: cmd.Dir, OutputByteLimit: keptOutput,
	}
	for _, kv := range cmd.Env {
		name, value, _ := strings.Cut(kv, "=")
		create.Env = append(create.Env, acpwire.Pair{Name: name, Value: value})
	}
	made, err := l.create(ctx, create)
	if err := unlent(ctx, err); err != nil {
		return 0, fmt.Errorf("open a terminal: %w", err)
	}
	r := running{lender: l, of: acpwire.Terminal{SessionID: create.SessionID, TerminalID: made.TerminalID}, out: out}
	defer r.release()
	if err := r.show(ctx, cmd.Call); err != nil {
		return 0, err
	}
	return r.follow(ctx)
}

// create has the client open a terminal. One that opens when nobody waits for it any
// more is killed and given back.
func (l *lender) create(ctx context.Context, params acpwire.CreateTerminal) (acpwire.Terminal, error) {
	call, err := l.conn.Call("terminal/create", params)
	if err != nil {
		return acpwire.Terminal{}, err
	}
	type opened struct {
		acpwire.Terminal
		err error
	}
	answer := make(chan opened) // taken, or nobody waits
	go func() {
		var got opened
		got.err = call.Wait(context.WithoutCancel(ctx), &got.Terminal) // ends with the connection
		select {
		case answer <- got:
		case <-ctx.Done():
			if got.err == nil {
				late := running{lender: l, of: acpwire.Terminal{SessionID: params.SessionID, TerminalID: got.TerminalID}}
				late.kill()
				late.release()
			}
		}
	}()
	select {
	case got := <-answer:
		if got.err == nil && got.TerminalID == "" {
			return acpwire.Terminal{}, errors.New("the client named no terminal")
		}
		return got.Terminal, got.err
	case <-ctx.Done():
		call.GiveUp()
		return acpwire.Terminal{}, ctx.Err()
	}
}

// running is a command in a terminal.
type running struct {
	*lender
	of   acpwire.Terminal
	out  func([]byte)
	seen string // the output so far, as much as is kept
}

// show puts the terminal into its call, as soon as the client knows that.
func (r *running) show(ctx context.Context, id string) error {
	if id == "" {
		return nil
	}
	r.mu.Lock()
	c := r.call(id)
	r.mu.Unlock()
	select {
	case <-c.begun:
	case <-ctx.Done():
		r.kill()
		return context.Cause(ctx)
	}
	r.mu.Lock()
	c.panes = append(c.panes[:len(c.panes):len(c.panes)], acpwire.Pane{Type: "terminal", TerminalID: r.of.TerminalID})
	panes := c.panes
	r.mu.Unlock()
	// The client is gone when this fails, and so will be the next request.
	_ = r.conn.Tell("session/update", acpwire.Update{SessionID: r.of.SessionID, Update: acpwire.Call{
		SessionUpdate: acpwire.ToolCallChange, ID: id, Content: panes,
	}})
	return nil
}

// follow waits for the end and passes the output on meanwhile.
func (r *running) follow(ctx context.Context) (int, error) {
	wait, err := r.conn.Call("terminal/wait_for_exit", r.of)
	if err != nil {
		return 0, fmt.Errorf("wait for the terminal: %w", err)
	}
	var exit acpwire.TerminalExit
	ended := make(chan error, 1)
	waiting, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	go func() { ended <- wait.Wait(waiting, &exit) }()
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	looking, stopLooking := context.WithCancel(waiting)
	defer stopLooking()
	var looked chan struct{} // closed when the look under way is over; nil: none is
	rest := func() {
		stopLooking()
		if looked != nil {
			<-looked
		}
	}
	for {
		select {
		case err := <-ended:
			rest()
			if err != nil {
				return 0, fmt.Errorf("wait for the terminal: %w", err)
			}
			r.look(waiting)
			return exitCode(exit)
		case <-tick.C:
			if looked == nil {
				looked = make(chan struct{})
				go func(over chan<- struct{}) {
					defer close(over)
					r.look(looking)
				}(looked)
			}
		case <-looked:
			looked = nil
		case <-ctx.Done():
			rest()
			r.kill()
			r.settle(waiting, ended)
			return 0, context.Cause(ctx)
		}
	}
}

// settle takes what a killed command still had to say, and does not wait for long.
func (r *running) settle(ctx context.Context, ended <-chan error) {
	late, stop := context.WithTimeout(ctx, killGrace)
	defer stop()
	select {
	case err := <-ended:
		if err == nil {
			r.look(late)
		}
	case <-late.Done():
	}
}

// errNoExit is of a command of which nobody knows whether it did what it should.
var errNoExit = errors.New("the editor does not say how the command ended")

// exitCode is the code of a shell; one that a signal ended has none of its own.
func exitCode(e acpwire.TerminalExit) (int, error) {
	switch {
	case e.ExitCode != nil:
		return *e.ExitCode, nil
	case e.Signal != "":
		return 128, nil
	}
	return 0, errNoExit
}

// look passes on what the command has written since. It waits for the client no longer
// than lookWithin.
func (r *running) look(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, lookWithin)
	defer stop()
	var got acpwire.TerminalOutput
	if r.ask(ctx, "terminal/output", r.of, &got) != nil {
		return // the end of the command says what is wrong
	}
	if more := behind(r.seen, got.Output, got.Truncated); more != "" {
		r.out([]byte(more))
	}
	r.seen = got.Output
}

// overlap is how much of the end of what was seen is looked for, in bytes, when the
// client has let go of the beginning.
const overlap = 4 << 10

// missed stands for output that the client let go of before it was asked for.
const missed = "\n[output left out by the editor]\n"

// behind is what now has behind what was seen.
func behind(seen, now string, truncated bool) string {
	if more, ok := strings.CutPrefix(now, seen); ok {
		return more
	}
	if !truncated {
		return now
	}
	end := seen[max(0, len(seen)-overlap):]
	if _, more, ok := strings.Cut(now, end); ok {
		return more
	}
	return missed + now
}

func (r *running) kill() { r.without("terminal/kill") }

// release gives the terminal back. What it shows stays in the call.
func (r *running) release() { r.without("terminal/release") }

// without sends a request whose answer changes nothing, and does not wait for it.
func (r *running) without(method string) {
	call, err := r.conn.Call(method, r.of)
	if err != nil {
		return // the client is gone, and its terminals with it
	}
	past, stop := context.WithCancel(context.Background())
	stop()
	_ = call.Wait(past, nil)
}
