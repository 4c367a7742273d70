package engine

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/message"
)

// history is what a journal says, folded: the conversation in the order of the
// calls, whatever order results were stored in, and what a resume needs.
type history struct {
	now        standing
	configured event.Configured
	prefix     *event.PrefixSet
	messages   []message.Message   // without the system message
	open       reply               // the reply whose results are not complete
	orphans    []message.ID        // results that answer no call
	started    map[string]bool     // calls that began to run
	closed     []string            // calls given a result because the journal lost theirs
	told       map[string][]string // references by kind of source, oldest first
	prompts    map[event.PromptID]bool
	jobs       map[event.JobID]event.JobStarted
	untold     []event.JobEnded       // the model was not told that they ended
	seen       map[string]event.Sight // of files, by path
	grants     []string
	model      string       // of the last reply
	broken     *event.Break // why the next request cannot extend the last one
	unclosed   bool         // the last writer did not say that it closed the session
	words      string       // the text of the turn's last reply
	planner    event.SessionID
	dir        string // where the next command starts
	compacted
	rewinding
}

// reply is an assistant message and the results it has so far.
type reply struct {
	calls   []message.ToolCall
	results map[string]message.Message
}

func (h *history) apply(env event.Envelope) {
	h.at = env.Seq
	h.now.apply(env)
	if endsIntent(env.Payload) {
		h.intent = nil
	}
	switch p := env.Payload.(type) {
	case event.Opened:
		h.opened(p)
	case event.Ended:
		h.unclosed = false
	case event.Configured:
		h.configured = p
	case event.PrefixSet:
		if h.prefix != nil {
			h.depart()
			h.broken = &event.Break{Part: "tools", Cause: "the prefix was set anew: " + p.Reason}
		}
		h.prefix = &p
	case event.PromptQueued:
		if h.prompts == nil {
			h.prompts = map[event.PromptID]bool{}
		}
		h.prompts[p.ID] = true
	case event.UserSaid:
		h.said(p)
	case event.Replied:
		h.replied(p)
	case event.Folded:
		h.fold(p)
	case event.ChildStarted:
		if p.Profile == event.ProfilePlanner {
			h.planner = p.Session
		}
	case event.TurnStarted:
		h.words = ""
	case event.FilesChanged:
		h.filesChanged(p)
	case event.Rewinding:
		h.intent = &p
	case event.Rewound:
		h.rewound(p)
	case event.Notice:
		h.filling = h.filling || p.Code == agent.NoticeFilling
	case event.ToolStarted:
		if h.started == nil {
			h.started = map[string]bool{}
		}
		h.started[p.Call] = true
		h.mayWrite(p)
	case event.ToolFinished:
		h.finished(p)
	case event.Repaired:
		h.orphans = slices.DeleteFunc(h.orphans, func(id message.ID) bool { return slices.Contains(p.Dropped, id) })
		h.closed = slices.DeleteFunc(h.closed, func(id string) bool { return slices.Contains(p.Answered, id) })
	case event.JobStarted:
		if h.jobs == nil {
			h.jobs = map[event.JobID]event.JobStarted{}
		}
		h.jobs[p.Job] = p
	case event.JobEnded:
		if untold(p) {
			h.untold = append(h.untold, p)
		}
	case event.Granted:
		if p.Scope == scopeSession || p.Scope == "" { // others stand in a file
			h.grants = append(h.grants, p.Rule)
		}
	default: // the rest changes nothing that a resume needs
	}
}

// opened begins a writer's life.
func (h *history) opened(p event.Opened) {
	h.unclosed = true
	h.cutOff()
	if p.Reason == event.OpenedForked {
		h.planner = ""                                                           // it plans for the parent
		h.parents, h.changes, h.gaps = append(h.parents, h.changes...), nil, nil // kept for the parent
	}
}

func (h *history) said(p event.UserSaid) {
	h.closeReply()
	h.leave(p.Message.ID)
	h.messages = append(h.messages, p.Message)
	for _, src := range p.Sources {
		if h.told == nil {
			h.told = map[string][]string{}
		}
		h.told[src.Kind] = append(h.told[src.Kind], src.Ref)
		if src.Kind == sourceJob {
			h.untold = slices.DeleteFunc(h.untold, func(j event.JobEnded) bool { return string(j.Job) == src.Ref })
		}
	}
}

func (h *history) replied(p event.Replied) {
	h.model, h.broken, h.words = p.Model, nil, p.Message.Content
	h.closeReply()
	h.requested(p.Usage)
	if p.Message.Content == "" && len(p.Message.ToolCalls) == 0 {
		return // nothing of it is sent back
	}
	h.messages = append(h.messages, p.Message)
	h.open = reply{calls: p.Message.ToolCalls, results: map[string]message.Message{}}
}

func (h *history) finished(p event.ToolFinished) {
	delete(h.writes, p.Call)
	h.dir = cmp.Or(p.Dir, h.dir)
	for _, s := range p.Seen {
		if h.seen == nil {
			h.seen = map[string]event.Sight{}
		}
		h.seen[s.Path] = s
	}
	if p.Status != event.StatusOK {
		h.fail(p.Message.ID)
	}
	known := slices.ContainsFunc(h.open.calls, func(c message.ToolCall) bool { return c.ID == p.Call })
	_, twice := h.open.results[p.Call]
	if !known || twice {
		h.orphans = append(h.orphans, p.Message.ID)
		return
	}
	h.open.results[p.Call] = p.Message
	if len(h.open.results) == len(h.open.calls) {
		h.closeReply()
	}
}

// closeReply takes the results of the open reply into the conversation, in the
// order of its calls. A call whose result the journal lost gets one that depends
// on nothing but the journal, so that every fold gives the same conversation.
func (h *history) closeReply() {
	for _, c := range h.open.calls {
		m, ok := h.open.results[c.ID]
		if !ok {
			m = interruptedResult(message.ID("lost-"+c.ID), c, h.started[c.ID]).Message
			h.closed = append(h.closed, c.ID)
		}
		h.messages = append(h.messages, m)
	}
	h.open, h.started = reply{}, nil
}

// unanswered are the calls of the last reply that have no result.
func (h *history) unanswered() []message.ToolCall {
	var calls []message.ToolCall
	for _, c := range h.open.calls {
		if _, ok := h.open.results[c.ID]; !ok {
			calls = append(calls, c)
		}
	}
	return calls
}

// conversation is the stored system message and everything said since.
func (h *history) conversation() []message.Message {
	ms := make([]message.Message, 0, len(h.messages)+1)
	if h.prefix != nil {
		ms = append(ms, message.Message{ID: "system", Role: message.System, Content: h.prefix.System})
	}
	return append(ms, h.messages...)
}

func prefixSet(system string, tools []message.ToolSchema, reason string) event.PrefixSet {
	sum := sha256.New()
	sum.Write([]byte(system))
	for _, t := range tools {
		sum.Write([]byte("\x00" + t.Name + "\x00" + t.Description + "\x00"))
		sum.Write(t.Parameters)
	}
	return event.PrefixSet{System: system, Tools: tools, Hash: hex.EncodeToString(sum.Sum(nil)), Reason: reason}
}
