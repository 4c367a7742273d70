//go:build unix

package acp_test

import (
	"fmt"
	"strings"
	"testing"

	"reasonix/core/provider/providertest"
)

// Sixteen sessions of one process stream at once: each has its own words, whole and in
// order, and its answer behind them.
func TestSixteenSessionsStreamAtOnceInOrder(t *testing.T) {
	const sessions, words = 16, 400
	p := start(t)
	all := make(chan struct{})
	arrived := make(chan struct{}, sessions)
	p.model.Respond(func(r *providertest.Received) providertest.Reply {
		var text strings.Builder
		for i := range words {
			fmt.Fprintf(&text, "%s word %d, ", r.Last().Content, i)
		}
		arrived <- struct{}{}
		return providertest.Text(text.String()).GateAt(1, all)
	})
	ids, prompts := make([]string, sessions), make([]string, sessions)
	for i := range ids {
		ids[i] = p.open(t.TempDir())
		prompts[i] = p.prompt(ids[i], fmt.Sprint("session ", i))
	}
	for range ids {
		<-arrived
	}
	close(all)
	for i, id := range ids {
		if got := p.stopped(prompts[i]); got != "end_turn" {
			t.Errorf("session %d stopped with %s", i, got)
		}
		_, end := p.find(0, "the answer", func(m rpc) bool { return m.Method == "" && string(m.ID) == prompts[i] })
		text, next := p.text(id), 0
		for part := range strings.SplitSeq(strings.TrimSuffix(text, ", "), ", ") {
			if want := fmt.Sprintf("session %d word %d", i, next); part != want {
				t.Fatalf("session %d says %q, want %q", i, part, want)
			}
			next++
		}
		if next != words {
			t.Errorf("session %d said %d words", i, next)
		}
		for _, m := range p.all()[end:] {
			if m.Method == "session/update" && m.update(t).SessionID == id {
				t.Errorf("behind its answer: %s", m.raw)
			}
		}
	}
	p.in.Close()
	p.ends("")
}
