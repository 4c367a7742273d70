package acp_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/integrations/acp"
)

// rounds is how many rounds of races are run: few by default, as many as the variable
// says where there is time.
func rounds(t *testing.T, variable string, few int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return few
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

// racer is a client whose requests race each other. It answers what it is asked and
// counts the answers to what it asked.
type racer struct {
	t   *testing.T
	dir string

	write sync.Mutex
	in    io.WriteCloser
	left  bool // it has closed its end
	next  int

	mu        sync.Mutex
	asked     map[string]string // request id: method
	answers   map[string]int
	lines     []string // both ways
	results   map[string]chan rpc
	behaviour *rand.Rand
}

// send sends a request, or nothing when the client has left; answered closes with the
// answer.
func (r *racer) send(method string, params any) (id string, answer <-chan rpc) {
	r.write.Lock()
	defer r.write.Unlock()
	c := make(chan rpc, 1)
	if r.left {
		close(c)
		return "", c
	}
	r.next++
	id = strconv.Itoa(r.next)
	r.mu.Lock()
	r.asked[id], r.results[id] = method, c
	r.mu.Unlock()
	r.line(object{"jsonrpc": "2.0", "id": r.next, "method": method, "params": params})
	return id, c
}

func (r *racer) tell(line object) {
	r.write.Lock()
	defer r.write.Unlock()
	if !r.left {
		r.line(line)
	}
}

func (r *racer) line(line object) {
	data, err := json.Marshal(line)
	if err != nil {
		r.t.Error(err)
		return
	}
	r.keep("> " + string(data))
	if _, err := r.in.Write(append(data, '\n')); err != nil {
		r.t.Errorf("write: %v", err)
	}
}

func (r *racer) keep(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, line)
}

func (r *racer) log() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.lines, "\n")
}

func (r *racer) leave() {
	r.write.Lock()
	defer r.write.Unlock()
	if !r.left {
		r.left = true
		r.in.Close()
	}
}

// listen reads until the server's output ends.
func (r *racer) listen(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			if err != io.EOF || len(line) > 0 {
				r.t.Errorf("the output ends with %q, %v", line, err)
			}
			return
		}
		r.keep("< " + strings.TrimSpace(string(line)))
		var m rpc
		if err := json.Unmarshal(line, &m); err != nil {
			r.t.Errorf("%v: %s", err, line)
		}
		m.raw = strings.TrimSpace(string(line))
		r.mu.Lock()
		method := r.asked[string(m.ID)]
		r.mu.Unlock()
		checkMessage(r.t, cmp.Or(m.Method, method), m)
		if m.Error != nil && m.Error.Code == -32603 {
			r.t.Errorf("an internal error: %s", line)
		}
		r.hear(m)
	}
}

func (r *racer) hear(m rpc) {
	switch {
	case m.Method == "session/request_permission":
		r.mu.Lock()
		how := r.behaviour.IntN(4)
		r.mu.Unlock()
		var result any = selected("o0")
		switch how {
		case 0:
			return // never
		case 1:
			result = cancelled
		}
		go r.tell(object{"jsonrpc": "2.0", "id": m.ID, "result": result})
	case m.Method == "":
		id := string(m.ID)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.answers[id]++; r.answers[id] == 1 && r.results[id] != nil {
			r.results[id] <- m
		}
	}
}

// race runs one round: everything that can end a turn, at once, and then the client goes.
func race(t *testing.T, host protocol.Host, release func(), dir string, seed uint64) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 7))
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	r := &racer{
		t: t, dir: dir, in: inW, asked: map[string]string{}, answers: map[string]int{}, results: map[string]chan rpc{},
		behaviour: rand.New(rand.NewPCG(seed, 8)),
	}
	done := make(chan error, 1)
	go func() {
		done <- acp.Serve(t.Context(), host, acp.Options{}, inR, outW)
		outW.Close()
	}()
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		r.listen(outR)
	}()
	_, opened := r.send("session/new", object{"cwd": dir, "mcpServers": []any{}})
	var session struct{ SessionID string }
	m := <-opened
	decode(t, m.Result, &session)
	id := session.SessionID
	text := []string{"say", "ask"}[random.IntN(2)]
	prompt, ended := r.send("session/prompt", said(id, text))

	moves := []func(){
		func() { r.tell(notification("session/cancel", object{"sessionId": id})) },
		func() { r.tell(notification("$/cancel_request", object{"requestId": json.RawMessage(prompt)})) },
		func() { r.send("session/close", object{"sessionId": id}) },
		func() { r.send("_reasonix.io/session/steer", said(id, "more")) },
		func() { r.send("session/prompt", said(id, "again")) },
		func() { r.send("_reasonix.io/session/status", object{"sessionId": id}) },
		func() { r.send("session/set_mode", object{"sessionId": id, "modeId": "normal"}) },
		func() { r.send("session/load", object{"sessionId": id, "cwd": dir, "mcpServers": []any{}}) },
		func() { r.send("session/resume", object{"sessionId": id, "cwd": dir}) },
		func() { r.send("session/delete", object{"sessionId": id}) },
		release,
		r.leave,
	}
	random.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
	var racing sync.WaitGroup
	for _, move := range moves[:2+random.IntN(len(moves)-2)] {
		racing.Go(move)
	}
	racing.Wait()
	if random.IntN(2) == 0 { // the turn may end by itself, or not before the client goes
		release()
		r.tell(notification("session/cancel", object{"sessionId": id}))
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			t.Fatalf("seed %d: the prompt is not answered\n%s", seed, r.log())
		}
	}
	r.leave()
	release()
	if err := <-done; err != nil {
		t.Errorf("seed %d: serve: %v", seed, err)
	}
	<-heard
	for id, method := range r.asked {
		if n := r.answers[id]; n != 1 {
			t.Errorf("seed %d: %s (%s) is answered %d times", seed, method, id, n)
		}
	}
	if len(r.answers) != len(r.asked) {
		t.Errorf("seed %d: %d answers to %d requests", seed, len(r.answers), len(r.asked))
	}
}

// Cancels, ends of turns, open permissions, closes and disconnects race: every request
// is answered once, and nothing is left.
func TestRaceEveryRequestIsAnsweredOnce(t *testing.T) {
	begun := time.Now()
	n := rounds(t, "ACP_RACE_ROUNDS", 300)
	dir := t.TempDir()
	for seed := range uint64(n) {
		fake := &protocoltest.Fake{Questions: func(text string) []event.Question {
			if text == "ask" {
				return asking(event.AllowOnce)("")
			}
			return nil
		}}
		race(t, protocol.Host{Opener: fake, Library: fake}, fake.Hold(), dir, seed)
		if t.Failed() {
			return
		}
	}
	t.Logf("%d rounds in %v", n, time.Since(begun).Round(time.Millisecond))
}
