package engine

import (
	"context"
	"errors"

	"reasonix/core/agent"
	"reasonix/core/compaction"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/protocol"
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
func (s *sess) failed(m *message.Message) (failed bool) {
	s.j.with(func(h *history) { failed = h.failed[m.ID] })
	return failed
}

// compact serves the Op: now when nothing runs, before the next request otherwise.
func (l *looper) compact(op protocol.Compact) {
	if l.turn != nil {
		l.mail.compact(op)
		return
	}
	l.startCompact(op.Focus)
}

// startCompact compacts in the place of a turn: prompts wait, Cancel stops it.
func (l *looper) startCompact(focus string) {
	ctx, cancel := context.WithCancelCause(context.Background())
	l.turn = &running{cancel: cancel, ended: make(chan error, 1)}
	go func(ended chan<- error) { ended <- l.runCompact(ctx, focus) }(l.turn.ended)
}

func (s *sess) runCompact(ctx context.Context, focus string) error {
	return safely(s.id, "a compaction", func() error { return s.foldNow(ctx, focus) })
}

func (s *sess) foldNow(ctx context.Context, focus string) error {
	if err := s.rewinder.giveUp(); err != nil {
		return err
	}
	runner, in, err := s.input()
	if err != nil {
		return err
	}
	folder, ok := runner.(agent.Folder)
	if !ok || len(in.Messages) < 2 || s.j.unwritten() {
		return s.rec.emit(event.Notice{Level: event.LevelInfo, Code: "compact_nothing", Text: "nothing to compact: what could be folded is too little"})
	}
	return folder.Fold(ctx, in, focus)
}

// finishCompact says how a compaction ended that did not end well. A turn is none:
// there is no TurnEnded.
func (l *looper) finishCompact(err error) {
	l.turn = nil
	var stop *agent.Stop
	switch {
	case errors.As(err, &stop) && stop.Outcome == event.Cancelled:
		err = l.j.emit(event.Notice{Level: event.LevelInfo, Code: "compact_cancelled", Text: "the compaction was cancelled; the conversation is as it was"})
	case err != nil:
		l.j.warn(compactFailed(err))
		err = nil
	}
	if err == nil {
		err = l.j.sync()
	}
	if err != nil {
		l.j.warn(compactFailed(err))
	}
	_ = l.rec.emit(event.Phase{Name: event.PhaseIdle}) // not stored
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
