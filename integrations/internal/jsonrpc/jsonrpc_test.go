package jsonrpc_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"reasonix/integrations/internal/jsonrpc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// peer is the other side of a connection, speaking in lines.
type peer struct {
	*jsonrpc.Conn
	t      *testing.T
	in     *io.PipeWriter // what the connection reads
	out    *bufio.Reader  // what it writes
	outEnd *io.PipeReader
	served chan error
}

func connect(t *testing.T, handle func(*jsonrpc.Request)) *peer {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p := &peer{t: t, in: inW, out: bufio.NewReader(outR), outEnd: outR, served: make(chan error, 1)}
	p.Conn = jsonrpc.New(inR, outW, handle)
	go func() { p.served <- p.Serve() }()
	t.Cleanup(func() {
		inW.Close()
		outR.Close()
		if err := <-p.served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return p
}

func (p *peer) say(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) hear() string {
	p.t.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n")
}

func (p *peer) expect(said, want string) {
	p.t.Helper()
	p.say(said)
	if got := p.hear(); got != want {
		p.t.Errorf("%.200s\n got %s\nwant %s", said, got, want)
	}
}

// echo answers with the params, or an empty object.
func echo(r *jsonrpc.Request) {
	if r.Params == nil {
		r.Reply(nil, nil)
		return
	}
	r.Reply(r.Params, nil)
}

func TestWhatIsNoMessageIsAnsweredAndTheConnectionLives(t *testing.T) {
	p := connect(t, echo)
	for said, want := range map[string]string{
		`{"id":1,`:                             `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: unexpected end of JSON input"}}`,
		`nonsense`:                             `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: invalid character 'o' in literal null (expecting 'u')"}}`,
		`[{"id":1,"method":"a"}]`:              `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: a message cannot be a JSON array"}}`,
		`"text"`:                               `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: a message cannot be a JSON string"}}`,
		`{"jsonrpc":"2.0","id":7,"method":5}`:  `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"invalid request: method cannot be a JSON number"}}`,
		`{"jsonrpc":"2.0","id":8,"method":""}`: `{"jsonrpc":"2.0","id":8,"error":{"code":-32600,"message":"invalid request: method must not be empty"}}`,
		`{"id":"a","method":null}`:             `{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"invalid request: method must not be empty"}}`,
		`{"method":{}}`:                        `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: method cannot be a JSON object"}}`,
	} {
		p.expect(said, want)
	}
	p.expect(`{"id":2,"method":"m","params":[1]}`, `{"jsonrpc":"2.0","id":2,"result":[1]}`)
}

func TestEveryIDIsEchoedAsItWasWritten(t *testing.T) {
	p := connect(t, echo)
	for _, id := range []string{`0`, `-3`, `1.50`, `12345678901234567890`, `1e3`, `"a\u00e9<b>"`, `""`, `null`, `true`, `[1,"x"]`, `{"k":1}`} {
		p.expect(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"m"}`, id), fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, id))
	}
}

func TestWhatNeedsNoAnswerGetsNone(t *testing.T) {
	var methods []string
	p := connect(t, func(r *jsonrpc.Request) {
		methods = append(methods, r.Method)
		r.Reply("told", nil)
		r.Reply("told twice", errors.New("x"))
	})
	p.say(`{"jsonrpc":"2.0","method":"note","params":{}}`)
	p.say(``)
	p.say("  \t\r")
	p.say(`{"jsonrpc":"2.0","id":99,"result":{}}`)
	p.say(`{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}`)
	p.say(`{"jsonrpc":"2.0","id":1,"error":"not an object"}`)
	p.say(`{"jsonrpc":"2.0","id":5}`)
	p.say(`{}`)
	p.say(`null`)
	p.expect(`{"id":1,"method":"ask"}`+"\r", `{"jsonrpc":"2.0","id":1,"result":"told"}`)
	if diff := cmp.Diff(methods, []string{"note", "ask"}); diff != "" {
		t.Error(diff)
	}
}

func TestRepliesAreErrorsOrResults(t *testing.T) {
	for want, reply := range map[string]func(*jsonrpc.Request){
		`"result":{}`:  func(r *jsonrpc.Request) { r.Reply(nil, nil) },
		`"result":"<"`: func(r *jsonrpc.Request) { r.Reply("<", nil) },
		`"error":{"code":-32603,"message":"broken"}`: func(r *jsonrpc.Request) { r.Reply(1, errors.New("broken")) },
		`"error":{"code":-1,"message":"mine","data":{"k":1}}`: func(r *jsonrpc.Request) {
			r.Reply(nil, fmt.Errorf("wrapped: %w", &jsonrpc.Error{Code: -1, Message: "mine", Data: map[string]int{"k": 1}}))
		},
		`"error":{"code":-32603,"message":"encode message: json: unsupported type: chan int"}`: func(r *jsonrpc.Request) { r.Reply(make(chan int), nil) },
	} {
		connect(t, reply).expect(`{"id":1,"method":"m"}`, `{"jsonrpc":"2.0","id":1,`+want+`}`)
	}
}

func TestBindNamesTheField(t *testing.T) {
	type params struct {
		Cwd    string
		Inside struct{ Count int }
	}
	for said, want := range map[string]string{
		`{"cwd":5}`:                `cwd`,
		`{"inside":{"count":"x"}}`: `inside.count`,
		`{"inside":{"count":1.5}}`: `inside.count`,
		`[]`:                       `params`,
		`"x"`:                      `params`,
	} {
		r := &jsonrpc.Request{Method: "m", Params: json.RawMessage(said)}
		var e *jsonrpc.Error
		err := r.Bind(&params{})
		if !errors.As(err, &e) || e.Code != jsonrpc.CodeInvalidParams || !strings.EqualFold(e.Data.(map[string]string)["field"], want) || !strings.HasPrefix(e.Message, "m: ") {
			t.Errorf("%s: %+v, want field %s", said, err, want)
		}
	}
	for _, fine := range []string{``, `null`, `{}`, `{"other":1}`} {
		if err := (&jsonrpc.Request{Params: json.RawMessage(fine)}).Bind(&params{}); err != nil {
			t.Errorf("%q: %v", fine, err)
		}
	}
}

func TestCallIsAnswered(t *testing.T) {
	p := connect(t, nil)
	for i, c := range []struct{ answer, result, err string }{
		{`"result":{"n":3}`, "map[n:3]", "<nil>"},
		{`"error":{"code":-5,"message":"no","data":1}`, "map[]", "no (-5)"},
		{`"error":7`, "map[]", "an answer with an unreadable error (-32603)"},
		{`"result":[]`, "map[]", "answer to ask: json: cannot unmarshal array into Go value of type map[string]int"},
		{`"x":1`, "map[]", "answer to ask: unexpected end of JSON input"},
	} {
		answered := make(chan string)
		go func() {
			call, err := p.Call("ask", map[string]int{"q": 1})
			var result map[string]int
			if err == nil {
				err = call.Wait(t.Context(), &result)
			}
			answered <- fmt.Sprint(result, " ", err)
		}()
		if got, want := p.hear(), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ask","params":{"q":1}}`, i+1); got != want {
			t.Fatalf("sent %s, want %s", got, want)
		}
		p.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, i+1, c.answer))
		if got, want := <-answered, c.result+" "+c.err; got != want {
			t.Errorf("%s: got %s, want %s", c.answer, got, want)
		}
	}
}

func TestAbandonedCallIgnoresItsLateAnswer(t *testing.T) {
	p := connect(t, echo)
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() {
		call, err := p.Call("ask", nil)
		if err == nil {
			err = call.Wait(ctx, nil)
		}
		gone <- err
	}()
	p.hear()
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	p.say(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	p.expect(`{"id":2,"method":"m"}`, `{"jsonrpc":"2.0","id":2,"result":{}}`)
}

func TestEndOfInputEndsCallsAndLetsAnswersOut(t *testing.T) {
	held := make(chan *jsonrpc.Request, 1)
	p := connect(t, func(r *jsonrpc.Request) { held <- r })
	p.say(`{"id":1,"method":"slow"}`)
	r := <-held
	ended := make(chan error)
	for range 3 {
		go func() {
			call, err := p.Call("ask", nil)
			if err == nil {
				err = call.Wait(context.Background(), nil)
			}
			ended <- err
		}()
		p.hear()
	}
	p.in.Close()
	for range 3 {
		if err := <-ended; !errors.Is(err, jsonrpc.ErrClosed) {
			t.Errorf("got %v, want ErrClosed", err)
		}
	}
	if _, err := p.Call("ask", nil); !errors.Is(err, jsonrpc.ErrClosed) {
		t.Errorf("a call behind the end: %v, want ErrClosed", err)
	}
	go r.Reply("late", nil)
	if got, want := p.hear(), `{"jsonrpc":"2.0","id":1,"result":"late"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	p.Close()
	if err := p.Notify("n", nil); !errors.Is(err, jsonrpc.ErrClosed) {
		t.Errorf("a message behind Close: %v, want ErrClosed", err)
	}
}

func TestLastLineNeedsNoNewline(t *testing.T) {
	var out strings.Builder
	c := jsonrpc.New(strings.NewReader(`{"id":1,"method":"m"}`), &out, echo)
	if err := errors.Join(c.Serve(), c.Flush(t.Context())); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAnEndInTheMiddleOfALineIsNoMessage(t *testing.T) {
	var out strings.Builder
	c := jsonrpc.New(strings.NewReader(`{"id":1,"method":"m"}`+"\n"+`{"id":2,"met`), &out, echo)
	if err := errors.Join(c.Serve(), c.Flush(t.Context())); err != nil {
		t.Fatal(err)
	}
	answered, half, _ := strings.Cut(out.String(), "\n")
	if want := `{"jsonrpc":"2.0","id":1,"result":{}}`; answered != want {
		t.Errorf("got %s, want %s", answered, want)
	}
	if want := `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`; !strings.HasPrefix(half, want) {
		t.Errorf("got %s, want %s", half, want)
	}
}

func TestBrokenReaderIsAnError(t *testing.T) {
	r, w := io.Pipe()
	w.CloseWithError(errors.New("cable cut"))
	if err := jsonrpc.New(r, io.Discard, echo).Serve(); err == nil || err.Error() != "read message: cable cut" {
		t.Errorf("got %v", err)
	}
}

func TestFailedWriteIsLost(t *testing.T) {
	p := connect(t, echo)
	p.outEnd.Close()
	if err := p.Notify("n", nil); err != nil {
		t.Errorf("first: %v", err)
	}
	<-p.Lost()
	if err := p.Flush(t.Context()); err != nil {
		t.Errorf("flush: %v", err)
	}
	if err := p.Notify("n", nil); !errors.Is(err, jsonrpc.ErrClosed) {
		t.Errorf("second: %v, want ErrClosed", err)
	}
	if _, err := p.Call("n", nil); !errors.Is(err, jsonrpc.ErrClosed) {
		t.Errorf("call: %v, want ErrClosed", err)
	}
}

func TestCloseDoesNotWaitForASlowReader(t *testing.T) {
	out, w := io.Pipe()
	c := jsonrpc.New(strings.NewReader(""), w, nil)
	if err := c.Notify("n", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil { // in the middle of its line
		t.Fatal(err)
	}
	if err := c.Notify("n", nil); err != nil {
		t.Fatal(err)
	}
	c.Close()
	rest, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || rest != `"jsonrpc":"2.0","method":"n"}`+"\n" {
		t.Errorf("the line goes on with %q, %v", rest, err)
	}
	if err := c.Flush(t.Context()); err != nil {
		t.Errorf("flush: %v", err)
	}
	if err := c.Notify("n", nil); !errors.Is(err, jsonrpc.ErrClosed) {
		t.Errorf("behind Close: %v, want ErrClosed", err)
	}
}

// Who notifies a client that does not read waits, once a megabyte is ahead; answers go
// on, whoever gives a call up, and so does everything at the end.
func TestNotificationsWaitForASlowReaderAndAnswersDoNot(t *testing.T) {
	out, w := io.Pipe()
	in, say := io.Pipe()
	answered := make(chan struct{})
	c := jsonrpc.New(in, w, func(r *jsonrpc.Request) {
		r.Reply(nil, nil)
		close(answered)
	})
	served := make(chan error)
	go func() { served <- c.Serve() }()
	sent := make(chan int)
	go func() {
		defer close(sent)
		for i := range 64 {
			if err := c.Notify("n", strings.Repeat("x", 64<<10)); err != nil {
				t.Error(err)
			}
			sent <- i
		}
	}()
	for i := range sent {
		if i >= 16 { // the rest fits into no megabyte
			break
		}
	}
	if _, err := io.WriteString(say, `{"id":1,"method":"m"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	<-answered
	call, err := c.Call("m", nil)
	if err != nil {
		t.Fatal(err)
	}
	call.GiveUp()
	if err := c.Tell("n", nil); err != nil {
		t.Error(err)
	}
	c.Hurry()
	for range sent {
	}
	go func() {
		if _, err := io.Copy(io.Discard, out); err != nil {
			t.Error(err)
		}
	}()
	if err := c.Flush(t.Context()); err != nil {
		t.Error(err)
	}
	say.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
	w.Close()
}

func TestFlushIsNotForEver(t *testing.T) {
	out, w := io.Pipe()
	c := jsonrpc.New(strings.NewReader(""), w, nil)
	if err := c.Notify("n", nil); err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Flush(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	out.Close()
	if err := c.Flush(t.Context()); err != nil {
		t.Errorf("behind the end: %v", err)
	}
}

// halves writes in two pieces, so that unlocked writers would mix.
type halves struct{ w io.Writer }

func (h halves) Write(p []byte) (int, error) {
	n, err := h.w.Write(p[:len(p)/2])
	if err != nil {
		return n, err
	}
	m, err := h.w.Write(p[len(p)/2:])
	return n + m, err
}

func TestConcurrentWritersNeverMixLines(t *testing.T) {
	const writers, each = 8, 50
	out, w := io.Pipe()
	c := jsonrpc.New(strings.NewReader(""), halves{w}, nil)
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			for j := range each {
				if err := c.Notify("n", map[string]string{"text": strings.Repeat(fmt.Sprint(i), j*7)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	go func() {
		all.Wait()
		if err := c.Flush(context.Background()); err != nil {
			t.Error(err)
		}
		w.Close()
	}()
	lines := 0
	for scan := bufio.NewScanner(out); scan.Scan(); lines++ {
		if !json.Valid(scan.Bytes()) {
			t.Errorf("not JSON: %s", scan.Text())
		}
	}
	if lines != writers*each {
		t.Errorf("%d lines, want %d", lines, writers*each)
	}
}

func BenchmarkNotify(b *testing.B) {
	c := jsonrpc.New(strings.NewReader(""), io.Discard, nil)
	type chunk struct{ Session, Kind, Text string }
	b.ReportAllocs()
	for b.Loop() {
		if err := c.Notify("session/update", chunk{"s", "agent_message_chunk", "some words of a reply"}); err != nil {
			b.Fatal(err)
		}
	}
}

// words is a chunk that writes itself.
type words string

func (w words) AppendJSON(buf []byte) []byte {
	return append(append(append(buf, '"'), w...), '"')
}

func TestParamsMayWriteThemselves(t *testing.T) {
	var out strings.Builder
	c := jsonrpc.New(strings.NewReader(""), &out, nil)
	if err := errors.Join(c.Notify("a", words("b")), c.Flush(t.Context())); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), `{"jsonrpc":"2.0","method":"a","params":"b"}`+"\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func BenchmarkNotifyAppender(b *testing.B) {
	c := jsonrpc.New(strings.NewReader(""), io.Discard, nil)
	b.ReportAllocs()
	for b.Loop() {
		if err := c.Notify("session/update", words("some words of a reply")); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzDispatch(f *testing.F) {
	for _, line := range []string{`{"id":1,"method":"m"}`, `[`, `{"id":1,"error":{"code":1.5}}`, `{"method":{}}`, "null", `{"id":{},"method":"m","params":3}`} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var out strings.Builder
		c := jsonrpc.New(strings.NewReader(line), &out, echo)
		if err := errors.Join(c.Serve(), c.Flush(t.Context())); err != nil {
			t.Fatal(err)
		}
		for answer := range strings.Lines(out.String()) {
			if !json.Valid([]byte(answer)) {
				t.Errorf("%q is answered with %q", line, answer)
			}
		}
	})
}
