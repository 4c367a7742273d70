package engine

import (
	"reasonix/core/compaction"
	"reasonix/core/event"
	"reasonix/core/message"
)

// compacted is what a history knows of compactions and of what the endpoint last
// read.
type compacted struct {
	read     int               // messages in the last request, without the system message
	usage    message.Usage     // as the endpoint counted them
	sent     []message.Message // the last request's conversation, once the present one is no extension of it
	archives int
	filling  bool                // the user was told that the window fills up
	failed   map[message.ID]bool // results of calls that did not end well
}

// requested notes what the request held whose reply has come.
func (h *history) requested(usage message.Usage) {
	h.read, h.usage, h.sent = len(h.messages), usage, nil
}

// depart keeps what was sent, because what follows is another conversation.
func (h *history) depart() {
	if h.sent != nil || h.read == 0 {
		return
	}
	all := h.conversation()
	h.sent = all[:len(all)-len(h.messages)+h.read]
}

// count is what the endpoint counted, and of how many messages. After a compaction
// it is what that left by estimate. Zero tokens are unknown, zero messages that
// there was no request.
func (h *history) count() (tokens, messages int) {
	if h.read == 0 {
		return 0, 0
	}
	return h.usage.Prompt(), len(h.conversation()) - len(h.messages) + h.read
}

// fold makes the edits of a compaction. A journal that lost records may have no
// place for some of them.
func (h *history) fold(p event.Folded) {
	if p.Archive != "" {
		h.archives++
	}
	if len(p.Edits) == 0 {
		return
	}
	h.closeReply()
	h.depart()
	edits := make([]compaction.Edit, len(p.Edits))
	for i, e := range p.Edits {
		edits[i] = compaction.Edit(e)
	}
	h.messages, _ = compaction.Replay(h.messages, edits)
	h.broken = &event.Break{Part: "messages", Cause: "compaction"}
	h.read, h.usage, h.filling = len(h.messages), message.Usage{Input: p.After}, false
}

func (h *history) fail(id message.ID) {
	if h.failed == nil {
		h.failed = map[message.ID]bool{}
	}
	h.failed[id] = true
}

// failed reports whether m is the result of a call that did not end well.
func (j *journal) failed(m *message.Message) (failed bool) {
	j.with(func(h *history) { failed = h.failed[m.ID] })
	return failed
}

func compactFailed(err error) event.Notice {
	return event.Notice{Level: event.LevelError, Code: "compact_failed", Args: []string{err.Error()}, Text: "the compaction failed: " + err.Error()}
}

// unwritten reports whether the session has no journal yet.
func (j *journal) unwritten() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.log == nil
}
