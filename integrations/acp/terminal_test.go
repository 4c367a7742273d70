package acp_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/protocol"
	"reasonix/integrations/acp"
)

// transcript collects what a command writes.
type transcript struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *transcript) add(p []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text.Write(p)
}

func (o *transcript) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

var make1 = protocol.TerminalCommand{Call: "c1", Argv: []string{"/bin/sh", "-c", "make"}, Dir: "/w", Env: []string{"A=b=c"}}

// terminals is a session whose client has terminals and that has begun the call c1 once
// begin is called.
func terminals(t *testing.T) (s *served, spec protocol.Spec, tell func(...event.Payload)) {
	t.Helper()
	p := &playing{told: make(chan event.Payload, 16), closed: make(chan struct{})}
	host := &opening{playing: p}
	s = serveHost(t, nil, protocol.Host{Opener: host})
	s.call("initialize", object{"protocolVersion": 1, "clientCapabilities": object{"terminal": true}})
	s.open(t.TempDir())
	return s, host.spec, func(all ...event.Payload) {
		for _, e := range all {
			p.told <- e
		}
	}
}

// opening keeps what its session is opened with.
type opening struct {
	*playing
	spec protocol.Spec
}

func (o *opening) Open(_ context.Context, spec protocol.Spec) (protocol.Session, error) {
	o.spec = spec
	return o.playing, nil
}

// announced are the events before a call runs.
func announced() []event.Payload {
	return []event.Payload{
		event.Replied{Message: message.Message{ID: "m", ToolCalls: []message.ToolCall{{ID: "c1", Name: "bash", Arguments: `{}`}}}},
		event.ToolStarted{Call: "c1", Title: "make", Kind: "execute"},
	}
}

func TestACommandRunsInTheClientsTerminal(t *testing.T) {
	s, spec, tell := terminals(t)
	var out transcript
	run := beside(func() (int, error) { return spec.Terminal.Run(t.Context(), make1, out.add) })
	ask := s.requested("terminal/create")
	var got any
	decode(t, ask.Params, &got)
	want := object{
		"sessionId": "s", "command": "/bin/sh", "args": []any{"-c", "make"}, "cwd": "/w",
		"env": []any{object{"name": "A", "value": "b=c"}}, "outputByteLimit": float64(1 << 20),
	}
	if diff := cmp.Diff(got, any(want)); diff != "" {
		t.Error(diff)
	}
	s.reply(ask, object{"terminalId": "t1"})
	// The client learns of the terminal behind the call it belongs to.
	tell(announced()...)
	shown := s.next("the terminal is shown", func(m rpc) bool { return strings.Contains(m.raw, `"terminalId":"t1"`) })
	pane := []any{object{"type": "terminal", "terminalId": "t1"}}
	if u := shown.update(t).Update; u.ToolCallID != "c1" || !cmp.Equal(u.Content, any(pane)) {
		t.Errorf("shown %s", shown.raw)
	}
	s.reply(s.requested("terminal/wait_for_exit"), object{"exitCode": 3})
	s.reply(s.requested("terminal/output"), object{"output": "one\ntwo\n", "truncated": false})
	if code, err := run(t); code != 3 || err != nil || out.String() != "one\ntwo\n" {
		t.Errorf("%d, %v, %q", code, err, out.String())
	}
	s.requested("terminal/release")
	exit := 3
	tell(event.ToolOutput{Call: "c1", Text: "one\n"},
		event.ToolFinished{Call: "c1", Title: "make", Status: event.StatusOK, Exit: &exit, Message: message.Message{Content: "one\ntwo\nexit code 3"}})
	// The terminal stays; its text is the raw output.
	end := s.next("the call has ended", func(m rpc) bool { return strings.Contains(m.raw, `"completed"`) })
	u := end.update(t).Update
	if diff := cmp.Diff(u.Content, any(pane)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(u.RawOutput, any(object{"output": "one\ntwo\nexit code 3", "status": "ok", "exitCode": 3.0})); diff != "" {
		t.Error(diff)
	}
}

// The output is followed, also when the client has let go of its beginning.
func TestTheOutputOfATerminalIsFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &playing{told: make(chan event.Payload, 16), closed: make(chan struct{})}
		host := &opening{playing: p}
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		c := newClient(t, inW, outR)
		done := make(chan error, 1)
		go func() {
			done <- acp.Serve(t.Context(), protocol.Host{Opener: host}, acp.Options{}, inR, outW)
			outW.Close()
		}()
		c.call("initialize", object{"clientCapabilities": object{"terminal": true}})
		c.open(t.TempDir())
		var out transcript
		cmd := make1
		cmd.Call = ""
		run := beside(func() (int, error) { return host.spec.Terminal.Run(t.Context(), cmd, out.add) })
		c.reply(c.requested("terminal/create"), object{"terminalId": "t1"})
		wait := c.requested("terminal/wait_for_exit")
		for _, o := range []struct {
			output string
			cut    bool
			want   string
		}{
			{"one\n", false, "one\n"}, {"one\ntwo\n", false, "one\ntwo\n"}, {"e\ntwo\nthree\n", true, "one\ntwo\n\n[output left out by the editor]\ne\ntwo\nthree\n"},
		} {
			c.reply(c.requested("terminal/output"), object{"output": o.output, "truncated": o.cut})
			synctest.Wait()
			if got := out.String(); got != o.want {
				t.Errorf("after %q: %q", o.output, got)
			}
		}
		c.reply(wait, object{"signal": "SIGTERM"})
		c.reply(c.requested("terminal/output"), object{"output": "e\ntwo\nthree\n", "truncated": true})
		if code, err := run(t); code != 128 || err != nil {
			t.Errorf("%d, %v", code, err)
		}
		inW.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
		<-c.ended
	})
}

func TestACancelKillsTheCommandInTheTerminal(t *testing.T) {
	s, spec, tell := terminals(t)
	tell(announced()...)
	stopped := errors.New("stopped")
	ctx, stop := context.WithCancelCause(t.Context())
	var out transcript
	run := beside(func() (int, error) { return spec.Terminal.Run(ctx, make1, out.add) })
	s.reply(s.requested("terminal/create"), object{"terminalId": "t1"})
	wait := s.requested("terminal/wait_for_exit")
	stop(stopped)
	s.requested("terminal/kill")
	s.reply(wait, object{"signal": "SIGKILL"})
	s.reply(s.requested("terminal/output"), object{"output": "so far", "truncated": false})
	if _, err := run(t); !errors.Is(err, stopped) || out.String() != "so far" {
		t.Errorf("%v, %q", err, out.String())
	}
	s.requested("terminal/release")
}

// A terminal that opens after its call was cancelled is killed: nobody else knows it.
func TestATerminalThatOpensTooLateIsKilled(t *testing.T) {
	s, spec, _ := terminals(t)
	ctx, stop := context.WithCancel(t.Context())
	run := beside(func() (int, error) { return spec.Terminal.Run(ctx, make1, func([]byte) {}) })
	create := s.requested("terminal/create")
	stop()
	if _, err := run(t); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	s.requested("$/cancel_request")
	s.reply(create, object{"terminalId": "t9"})
	for _, method := range []string{"terminal/kill", "terminal/release"} {
		if m := s.requested(method); !strings.Contains(m.raw, `"t9"`) {
			t.Errorf("%s: %s", method, m.raw)
		}
	}
}

// A client that never tells the output holds up neither the end of the command nor a
// cancel.
func TestOutputThatIsNeverToldHoldsUpNothing(t *testing.T) {
	s, spec, tell := terminals(t)
	tell(announced()...)
	stopped := errors.New("stopped")
	ctx, stop := context.WithCancelCause(t.Context())
	run := beside(func() (int, error) { return spec.Terminal.Run(ctx, make1, func([]byte) {}) })
	s.reply(s.requested("terminal/create"), object{"terminalId": "t1"})
	wait := s.requested("terminal/wait_for_exit")
	s.requested("terminal/output")
	s.reply(wait, object{"exitCode": 4})
	s.requested("terminal/output")
	if code, err := run(t); code != 4 || err != nil {
		t.Errorf("%d, %v", code, err)
	}
	tell(announced()...)
	run = beside(func() (int, error) { return spec.Terminal.Run(ctx, make1, func([]byte) {}) })
	s.reply(s.requested("terminal/create"), object{"terminalId": "t2"})
	s.requested("terminal/output")
	stop(stopped)
	s.requested("terminal/kill")
	if _, err := run(t); !errors.Is(err, stopped) {
		t.Error(err)
	}
}

// AC-04: a client that leaves takes its terminals along, and one that opens none leaves
// the command to us.
func TestAC04ATerminalOfAClientThatLeft(t *testing.T) {
	s, spec, tell := terminals(t)
	tell(announced()...)
	run := beside(func() (int, error) { return spec.Terminal.Run(t.Context(), make1, func([]byte) {}) })
	s.refuse(s.requested("terminal/create"), -32603)
	if _, err := run(t); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("refused: %v", err)
	}
	run = beside(func() (int, error) { return spec.Terminal.Run(t.Context(), make1, func([]byte) {}) })
	s.reply(s.requested("terminal/create"), object{"terminalId": "t1"})
	s.requested("terminal/wait_for_exit")
	begun := time.Now()
	s.in.Close()
	if _, err := run(t); err == nil || time.Since(begun) > 3*time.Second {
		t.Errorf("%v after %v", err, time.Since(begun))
	}
}
