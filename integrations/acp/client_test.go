package acp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"reasonix/commands"
	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	_ "reasonix/core/provider/openai"
	_ "reasonix/core/tool/file"
	_ "reasonix/core/tool/plan"
	_ "reasonix/core/tool/shell"
	_ "reasonix/core/tool/vision"
	"reasonix/integrations/acp"
	"reasonix/sandbox"
)

// beReasonix in the environment makes the test binary be reasonix itself.
const beReasonix = "ACP_TEST_BE_REASONIX"

func TestMain(m *testing.M) {
	if sandbox.Helper(os.Args) {
		return
	}
	if os.Getenv(beReasonix) != "" {
		os.Exit(commands.Main("v0.0.0-test", os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		atTheEnd()
		os.Exit(code)
	}))
}

// checkMessage is called with every message an agent sends and, for a response,
// the method of its request.
var checkMessage = func(t testing.TB, method string, m rpc) {}

// atTheEnd is called behind the last test.
var atTheEnd = func() {}

// rpc is any JSON-RPC message.
type rpc struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int
		Message string
		Data    map[string]any
	} `json:"error"`
	raw string
}

// update is what a session/update says.
type update struct {
	SessionID string
	Update    struct {
		SessionUpdate, MessageID, ToolCallID, Title, Name, Kind, Status string

		Content, RawInput, RawOutput any
		Locations                    []struct{ Path string }
	}
}

func (m rpc) update(t testing.TB) (u update) {
	t.Helper()
	decode(t, m.Params, &u)
	return u
}

func decode(t testing.TB, data []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
}

// client is the other side of a server: it keeps every message and answers none.
type client struct {
	t  testing.TB
	in io.WriteCloser // the server's input

	patience time.Duration // for one message

	mu      sync.Mutex
	heard   []rpc
	news    chan struct{}     // closed with every message
	seen    int               // messages next has passed
	methods map[string]string // by id
	nextID  int
	ended   chan struct{} // closed when the server's output has ended
}

func newClient(t testing.TB, in io.WriteCloser, out io.Reader) *client {
	c := &client{t: t, in: in, patience: 10 * time.Second, methods: map[string]string{}, news: make(chan struct{}), ended: make(chan struct{})}
	go c.listen(out)
	return c
}

// listen holds every line to be JSON-RPC.
func (c *client) listen(out io.Reader) {
	defer close(c.ended)
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			if len(line) > 0 {
				c.t.Errorf("half a line: %s", line)
			}
			return
		}
		m := rpc{raw: string(bytes.TrimSpace(line))}
		strict := json.NewDecoder(bytes.NewReader(line))
		strict.DisallowUnknownFields()
		if err := strict.Decode(&m); err != nil || m.Version != "2.0" {
			c.t.Errorf("not a JSON-RPC message: %v in %s", err, line)
			continue
		}
		c.mu.Lock()
		c.heard = append(c.heard, m)
		close(c.news)
		c.news = make(chan struct{})
		method := m.Method
		if method == "" {
			method = c.methods[string(m.ID)]
		}
		c.mu.Unlock()
		checkMessage(c.t, method, m)
	}
}

func (c *client) write(lines ...any) {
	c.t.Helper()
	var all []byte
	for _, line := range lines {
		data, err := json.Marshal(line)
		if err != nil {
			c.t.Fatal(err)
		}
		all = append(append(all, data...), '\n')
	}
	if _, err := c.in.Write(all); err != nil {
		c.t.Fatal(err)
	}
}

type object = map[string]any

// request makes a request without sending it.
func (c *client) request(method string, params any) (id string, line object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nextID++
	id = fmt.Sprint(c.nextID)
	c.methods[id] = method
	return id, object{"jsonrpc": "2.0", "id": c.nextID, "method": method, "params": params}
}

// sends notes what a request is about whose id the test has chosen.
func (c *client) sends(id, method string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.methods[id] = method
}

func (c *client) send(method string, params any) (id string) {
	c.t.Helper()
	id, line := c.request(method, params)
	c.write(line)
	return id
}

func notification(method string, params any) object {
	return object{"jsonrpc": "2.0", "method": method, "params": params}
}

func (c *client) reply(to rpc, result any) {
	c.t.Helper()
	c.write(object{"jsonrpc": "2.0", "id": to.ID, "result": result})
}

// find waits for a message that matches, at or behind the given place.
func (c *client) find(from int, what string, match func(rpc) bool) (m rpc, at int) {
	c.t.Helper()
	late := time.After(c.patience)
	for {
		c.mu.Lock()
		for i, got := range c.heard[min(from, len(c.heard)):] {
			if match(got) {
				c.mu.Unlock()
				return got, from + i
			}
		}
		news := c.news
		c.mu.Unlock()
		select {
		case <-news:
		case <-late:
			c.t.Fatalf("waited in vain until %s", what)
		}
	}
}

// next waits for the next message that matches and passes it.
func (c *client) next(what string, match func(rpc) bool) rpc {
	c.t.Helper()
	m, at := c.find(c.seen, what, match)
	c.seen = at + 1
	return m
}

func (c *client) response(id string) rpc {
	c.t.Helper()
	m, _ := c.find(0, "request "+id+" is answered", func(m rpc) bool { return m.Method == "" && string(m.ID) == id })
	return m
}

func (c *client) call(method string, params any) rpc {
	c.t.Helper()
	return c.response(c.send(method, params))
}

// result is call for what must succeed.
func (c *client) result(method string, params, result any) {
	c.t.Helper()
	m := c.call(method, params)
	if m.Error != nil {
		c.t.Fatalf("%s: %s", method, m.raw)
	}
	decode(c.t, m.Result, result)
}

func (c *client) open(cwd string) (session string) {
	c.t.Helper()
	var r struct{ SessionID string }
	c.result("session/new", object{"cwd": cwd, "mcpServers": []any{}}, &r)
	return r.SessionID
}

// prompt starts a turn and returns its request's id.
func (c *client) prompt(session, text string) string {
	c.t.Helper()
	return c.send("session/prompt", said(session, text))
}

func said(session, text string) object {
	return object{"sessionId": session, "prompt": []object{{"type": "text", "text": text}}}
}

// stopped waits for the end of a turn and returns its stop reason.
func (c *client) stopped(id string) string {
	c.t.Helper()
	m := c.response(id)
	if m.Error != nil {
		c.t.Fatalf("the turn failed: %s", m.raw)
	}
	var r struct{ StopReason string }
	decode(c.t, m.Result, &r)
	return r.StopReason
}

// asked waits for the next permission request.
func (c *client) asked() rpc {
	c.t.Helper()
	return c.next("a permission is asked", func(m rpc) bool { return m.Method == "session/request_permission" })
}

func selected(option string) object {
	return object{"outcome": object{"outcome": "selected", "optionId": option}}
}

var cancelled = object{"outcome": object{"outcome": "cancelled"}}

// all is everything that was heard so far.
func (c *client) all() []rpc {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.heard)
}

// text is all text of a session so far.
func (c *client) text(session string) string {
	text := ""
	for _, m := range c.all() {
		if m.Method != "session/update" {
			continue
		}
		if u := m.update(c.t); u.SessionID == session && u.Update.SessionUpdate == "agent_message_chunk" {
			text += u.Update.Content.(object)["text"].(string)
		}
	}
	return text
}

// served is a server without an engine behind it.
type served struct {
	*client
	fake *protocoltest.Fake
	out  *io.PipeReader
	done chan error // Serve's result
	stop context.CancelFunc
}

// serve starts a server over pipes; it ends with the test.
func serve(t *testing.T, fake *protocoltest.Fake) *served {
	t.Helper()
	return serveHost(t, fake, protocol.Host{Opener: fake})
}

func serveHost(t *testing.T, fake *protocoltest.Fake, host protocol.Host) *served {
	t.Helper()
	return serveWith(t, fake, host, acp.Options{Version: "v1.2.3", Spec: protocol.Spec{Model: "a/b"}})
}

func serveWith(t *testing.T, fake *protocoltest.Fake, host protocol.Host, opts acp.Options) *served {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	s := &served{client: newClient(t, inW, outR), fake: fake, out: outR, done: make(chan error, 1), stop: stop}
	go func() {
		defer stop()
		err := acp.Serve(ctx, host, opts, inR, outW)
		outW.Close()
		s.done <- err
	}()
	t.Cleanup(func() {
		inW.Close()
		if err := <-s.done; err != nil {
			t.Errorf("serve: %v", err)
		}
		<-s.ended
	})
	return s
}

// ends waits for the end of Serve.
func (s *served) ends() error {
	s.t.Helper()
	select {
	case err := <-s.done:
		s.done <- nil // for the clean-up
		return err
	case <-time.After(10 * time.Second):
		s.t.Fatal("the server does not end")
		return nil
	}
}

func asking(kinds ...string) func(string) []event.Question {
	return func(string) []event.Question {
		q := event.Question{ID: "q", Kind: event.AskPermission, Call: "c1", Title: "make all", Reason: "to build"}
		for i, kind := range kinds {
			q.Options = append(q.Options, event.Option{ID: fmt.Sprint("o", i), Label: "Option " + kind, Kind: kind})
		}
		return []event.Question{q}
	}
}

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
