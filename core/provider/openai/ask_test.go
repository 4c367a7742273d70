package openai_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"reasonix/core/message"
	"reasonix/core/provider"
	"reasonix/core/provider/openai"
	pt "reasonix/core/provider/providertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// answer is a whole stream, put together.
type answer struct {
	Text     string
	Thoughts string             // reasoning shown to people
	Kept     *message.Reasoning // reasoning for the replay
	Calls    []message.ToolCall
	Finish   provider.Finish
	Usage    *message.Usage
	Notices  []string // their codes
	Err      error
}

// eachWay runs test against a server that flushes whole events, and against one
// that flushes one byte at a time.
func eachWay(t *testing.T, test func(t *testing.T, s *pt.Server)) {
	t.Helper()
	for _, way := range []struct {
		name  string
		bytes int
	}{{"whole", 0}, {"byte by byte", 1}} {
		t.Run(way.name, func(t *testing.T) {
			s := pt.New(t)
			s.SetChunkBytes(way.bytes)
			test(t, s)
		})
	}
}

// open makes a provider for s, changed by change.
func open(t *testing.T, s *pt.Server, change ...func(*provider.Config)) *openai.Provider {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	cfg := provider.Config{Name: "scripted", BaseURL: s.BaseURL(), Model: modelOf(s), HTTP: client}
	for _, f := range change {
		f(&cfg)
	}
	p, err := openai.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func options(change func(*provider.Options)) func(*provider.Config) {
	return func(c *provider.Config) { change(&c.Options) }
}

var hello = []message.Message{{Role: message.User, Content: "go on"}}

// ask plays reply and returns what a provider with defaults makes of it.
func ask(t *testing.T, s *pt.Server, reply pt.Reply, change ...func(*provider.Config)) answer {
	t.Helper()
	s.Add(reply)
	return stream(t, open(t, s, change...), provider.Request{Messages: hello})
}

func stream(t *testing.T, p provider.Provider, req provider.Request) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	chunks, err := p.Stream(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	return collect(t, chunks)
}

func collect(t *testing.T, chunks <-chan provider.Chunk) answer {
	t.Helper()
	var got answer
	ends := 0
	for c := range chunks {
		if ends > 0 {
			t.Errorf("chunk %+v behind the end", c)
		}
		switch c.Type {
		case provider.ChunkText:
			if len(got.Calls) > 0 {
				t.Error("text behind a call")
			}
			got.Text += c.Text
		case provider.ChunkReasoning:
			got.Thoughts += c.Text
			if c.Reasoning != nil {
				got.Kept = c.Reasoning
			}
		case provider.ChunkCall:
			got.Calls = append(got.Calls, *c.Call)
		case provider.ChunkNotice:
			got.Notices = append(got.Notices, c.Notice.Code+" "+strings.Join(c.Notice.Args, " "))
		case provider.ChunkProgress:
		case provider.ChunkDone:
			got.Finish, got.Usage = c.Finish, c.Usage
			ends++
		case provider.ChunkError:
			got.Err = c.Err
			ends++
		}
	}
	if ends != 1 {
		t.Errorf("got %d ends, want 1", ends)
	}
	return got
}

func same(t *testing.T, got, want answer) {
	t.Helper()
	if diff := cmp.Diff(got, want, cmpopts.EquateErrors()); diff != "" {
		t.Errorf("got - want +\n%s", diff)
	}
}

// failed wants got to have ended in a one-line failure.
func failed(t *testing.T, got answer) *provider.Failure {
	t.Helper()
	var f *provider.Failure
	if !errors.As(got.Err, &f) {
		t.Fatalf("got %+v, want a failure", got)
	}
	if strings.ContainsAny(f.Error(), "\r\n") || len([]rune(f.Text)) > 301 {
		t.Errorf("not one short line: %q", f.Error())
	}
	if len(got.Calls) > 0 {
		t.Errorf("a failed stream gave calls: %v", got.Calls)
	}
	return f
}

// called is the answer of calls alone.
func called(calls ...message.ToolCall) answer {
	return answer{Calls: calls, Finish: provider.FinishStop}
}

// callDelta is a chunk with one entry of tool_calls.
func callDelta(fields string) string { return pt.Delta(`"tool_calls":[{` + fields + `}]`) }

// ended closes a stream in the usual way, without usage.
var ended = pt.Finish("tool_calls") + pt.Done

// chunksOf is a raw reply with one flush an event.
func chunksOf(events string) pt.Reply {
	var chunks []string
	for e := range strings.SplitAfterSeq(events, "\n\n") {
		if e != "" {
			chunks = append(chunks, e)
		}
	}
	return pt.Raw(chunks...)
}

// models gives each server a model of its own: what the package remembers of an
// endpoint outlives a test, and the next server may get the last one's port.
var models struct {
	sync.Mutex
	of map[*pt.Server]string
}

func modelOf(s *pt.Server) string {
	models.Lock()
	defer models.Unlock()
	if models.of == nil {
		models.of = map[*pt.Server]string{}
	}
	if models.of[s] == "" {
		models.of[s] = fmt.Sprintf("scripted-%d", len(models.of)+1)
	}
	return models.of[s]
}
