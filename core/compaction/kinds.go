package compaction

import (
	"strings"

	"reasonix/core/message"
)

// kind is what a message is to compaction.
type kind int

const (
	system kind = iota
	turn        // the user's own words
	digest      // of work folded earlier
	note        // the host's words in the user's name
	work        // the assistant's words and calls, and tool results
)

// HostMark begins what the host says in the user's name. It belongs to the work:
// it is no user turn and folds.
const HostMark = "[host]"

func kindOf(m *message.Message) kind {
	switch {
	case m.Role == message.System:
		return system
	case m.Role != message.User:
		return work
	case IsDigest(m):
		return digest
	case strings.HasPrefix(m.Content, HostMark):
		return note
	}
	return turn
}

// What happened to a message is the end of its id: text could be anybody's.
const (
	snipped  = ".snip"
	pruned   = ".prune"
	squeezed = ".squeeze"
	stubbed  = ".stub"
	dropped  = ".drop"
)

func is(m *message.Message, state string) bool { return strings.HasSuffix(string(m.ID), state) }

// original is the id a message had before it was shortened.
func original(id message.ID) message.ID {
	for _, state := range []string{snipped, pruned, squeezed, stubbed} {
		if base, ok := strings.CutSuffix(string(id), state); ok {
			return message.ID(base)
		}
	}
	return id
}

func becomes(m *message.Message, state string) message.ID { return original(m.ID) + message.ID(state) }

// IsError reports whether a tool result says that its call failed, was denied or
// was interrupted, or that the command it ran did.
func IsError(m *message.Message) bool {
	if m.Role != message.ToolRole {
		return false
	}
	for _, begin := range []string{"error: ", "denied: ", "interrupted", "not run: "} {
		if strings.HasPrefix(m.Content, begin) {
			return true
		}
	}
	return failedCommand(m.Content)
}

// failedCommand looks at how a command ended, which is said in its last lines.
func failedCommand(text string) bool {
	for line := range strings.Lines(text[max(0, len(text)-ending):]) {
		line = strings.TrimRight(line, "\r\n")
		code, ended := strings.CutPrefix(line, "exit code ")
		if ended && code != "0" || strings.HasPrefix(line, "ended by signal: ") || strings.HasPrefix(line, "interrupted") {
			return true
		}
	}
	return false
}

// ending is how many bytes from its end a command's fate is looked for.
const ending = 400

func (in *Input) failed(m *message.Message) bool {
	return IsError(m) || in.Failed != nil && in.Failed(m)
}

// body is the part of the conversation behind the system messages and before the
// recent tail.
func (in *Input) body(s Settings) (start, end int) {
	for start < len(in.History) && in.History[start].Role == message.System {
		start++
	}
	return start, in.tail(s, start)
}

// tail is where the recent tail begins: the last user turns or a share of the
// window, whichever is smaller, at least the last message, and never between a
// call and its result.
func (in *Input) tail(s Settings, start int) int {
	budget, turns := s.share(s.TailShare), s.TailTurns
	at := len(in.History)
	for at > start && turns > 0 {
		m := &in.History[at-1]
		budget -= in.Estimate(m)
		if budget < 0 && at < len(in.History) {
			break
		}
		at--
		if kindOf(m) == turn {
			turns--
		}
	}
	for at > start && at < len(in.History) && in.orphaned(at) {
		at--
	}
	return at
}

// orphaned reports whether a result stands behind at whose call stands before it.
func (in *Input) orphaned(at int) bool {
	for i := at; i < len(in.History); i++ {
		switch in.History[i].Role {
		case message.ToolRole:
			return true
		case message.Assistant:
			return false
		case message.System, message.User:
		}
	}
	return false
}
