package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
)

// archive keeps what compactions take out.
type archive struct {
	mu   sync.Mutex
	n    int
	kept []message.Message
	err  error
}

func (a *archive) Next() string { return fmt.Sprintf("archive-%d.jsonl", a.n+1) }

func (a *archive) Write(_ string, ms []message.Message) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err != nil {
		return a.err
	}
	a.n++
	a.kept = append(a.kept, ms...)
	return nil
}

// dump is a tool that prints n bytes.
func dump(n int) fn {
	text := strings.Repeat("0123456789 words and more of them\n", n/34+1)[:n]
	return fn{"dump", true, func(context.Context) (string, error) { return text, nil }}
}

// summary reports whether a request asks for a summary.
func summary(r *providertest.Received) bool { return len(r.Tools) == 0 }

// worker calls the tool once for every prompt, and counts prompts by their bytes.
func worker(calls ...providertest.Call) func(r *providertest.Received) providertest.Reply {
	return func(r *providertest.Received) providertest.Reply {
		reply := providertest.Text("ok")
		switch {
		case summary(r):
			reply = providertest.Text("Aim: the user counts turns. Done so far: a few dumps.")
		case r.Last().Role == "user":
			reply = providertest.Calls(calls...)
		}
		return reply.Usage(len(r.Body)/4, 0, 10)
	}
}

// folds are the compactions that changed something.
func folds(events []event.Envelope) (done, failed []event.Folded) {
	for _, f := range protocoltest.Payloads[event.Folded](events) {
		if f.Failure != nil {
			failed = append(failed, f)
		} else {
			done = append(done, f)
		}
	}
	return done, failed
}

// checkRequests fails unless every request extends the last one, but for those
// whose reply says that a compaction came between. It returns how many did.
func checkRequests(t *testing.T, requests []*providertest.Received, events []event.Envelope) (breaks int) {
	t.Helper()
	replies := protocoltest.Payloads[event.Replied](events)
	var last *providertest.Received
	i := 0
	for _, r := range requests {
		if summary(r) || !r.Accepted {
			continue
		}
		if i == len(replies) {
			t.Fatalf("request %d has no reply", r.Index)
		}
		b := replies[i].Break
		i++
		switch at := strings.Index(string(r.Body), `"messages":[`) + len(`"messages":[`); {
		case last == nil:
			if b != nil {
				t.Errorf("the first request breaks: %+v", b)
			}
		case b == nil:
			if before := bytes.TrimSuffix(last.Body, []byte("]}")); !bytes.HasPrefix(r.Body, before) {
				t.Fatalf("request %d is no extension, and nobody says so", r.Index)
			}
		case b.Part != "messages" || b.Cause != "compaction":
			t.Errorf("request %d: %+v", r.Index, b)
		default:
			breaks++
			end := min(at+b.At, len(last.Body), len(r.Body))
			if !bytes.Equal(last.Body[:end], r.Body[:end]) || end < len(last.Body) && end < len(r.Body) && last.Body[end] == r.Body[end] {
				t.Errorf("request %d does not depart from the last at byte %d of the messages", r.Index, b.At)
			}
		}
		last = r
	}
	return breaks
}

// users are what the user said in a request.
func users(r *providertest.Received) string {
	var said []string
	for _, m := range r.Messages {
		if m.Role == "user" {
			said = append(said, m.Content)
		}
	}
	return strings.Join(said, "\n")
}

func prompt(t *testing.T, c *protocoltest.Client, text string) event.TurnEnded {
	t.Helper()
	id := event.PromptID("id of " + text)
	if err := c.Session.Submit(t.Context(), protocol.Prompt{ID: id, Text: text, Queue: true}); err != nil {
		t.Fatal(err)
	}
	return c.Ended(id)
}

// compactNow has an idle session compacted and waits until that is told.
func compactNow(t *testing.T, c *protocoltest.Client, focus string) {
	t.Helper()
	said := func() int {
		n := 0
		for _, e := range c.Durable() {
			switch p := e.Payload.(type) {
			case event.Folded:
				n++
			case event.Notice:
				if strings.HasPrefix(p.Code, "compact_") {
					n++
				}
			default:
			}
		}
		return n
	}
	before := said()
	if err := c.Session.Submit(t.Context(), protocol.Compact{Focus: focus}); err != nil {
		t.Fatal(err)
	}
	protocoltest.Until(t, "the compaction is told", func() bool { return said() > before })
}

// cached says how much of the prompts an endpoint has in its cache at best: what the
// request before began with.
func cached(requests []*providertest.Received) string {
	var all, hit, forSummaries, summaries int
	var last []byte
	for _, r := range requests {
		if summary(r) {
			summaries++
			forSummaries += len(r.Body)
			continue
		}
		n := 0
		for n < min(len(last), len(r.Body)) && last[n] == r.Body[n] {
			n++
		}
		all, hit, last = all+len(r.Body), hit+n, r.Body
	}
	return fmt.Sprintf("%d%% of the prompts' bytes were sent before, %d summaries read %d%% of what the prompts do", hit*100/all, summaries, forSummaries*100/all)
}
