package agent

import (
	"bytes"

	"reasonix/core/event"
	"reasonix/core/provider"
)

// restart drops the encoded conversation, because it is not the beginning of the
// next one. What was sent of it is kept for comparison.
func (a *Agent) restart() {
	if a.sent > 0 && a.broken == nil {
		a.broken = bytes.Clone(a.wire.Bytes()[:a.sent])
	}
	a.wire.Truncate(0)
	a.msgs, a.added, a.sent = nil, nil, 0
}

// compare finds out before a request where it departs from the last one, for the
// reply to say so.
func (a *Agent) compare(t *turn) {
	before, now := a.before(t), a.wire.Bytes()
	at := common(before, now)
	switch {
	case at < len(before) && t.in.Break == nil:
		t.in.Break = &event.Break{Part: "messages", Cause: "the conversation is not the one that was sent before", At: at}
	case at < len(before):
		b := *t.in.Break
		b.At = at
		if b.Part != "messages" {
			b.At = 0
		}
		t.in.Break = &b
	case len(before) > 0 && t.in.Break != nil && t.in.Break.Part == "messages":
		t.in.Break = nil // only what was never sent changed
	}
	a.sent, a.broken, t.in.Sent, t.in.SentAt = len(now), nil, nil, 0
}

// before is the last request's messages as they were sent, when the next ones may
// be no extension of them.
func (a *Agent) before(t *turn) []byte {
	if a.broken != nil || len(t.in.Sent) == 0 || a.sent > 0 {
		return a.broken
	}
	old := &Agent{Parts: Parts{Provider: a.Provider}, wire: provider.NewWire(a.Provider), callIDs: map[string]struct{}{}, turn: &turn{}}
	if old.sync(t.in.Sent) != nil || old.encode() != nil {
		return nil // it cannot be compared
	}
	return old.wire.Bytes()
}

// common is how many bytes a and b begin with alike.
func common(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

func foldBreak() *event.Break {
	return &event.Break{Part: "messages", Cause: "compaction"}
}
