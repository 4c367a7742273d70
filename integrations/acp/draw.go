package acp

import (
	"context"
	"strings"
	"time"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/integrations/internal/acpwire"
)

// drawing is what the updates of a session are made with. Only follow's goroutine
// touches it.
type drawing struct {
	can  acpwire.ClientCapabilities
	lang string  // of people; empty is English
	lent *lender // what the client lends; nil: nothing

	shown     shown
	calls     map[string]*call // announced and not finished
	denials   []string
	questions map[event.RequestID]context.CancelFunc
	folding   string // id of the compaction under way
	folds     int
	jobs      map[event.JobID]string // titles
	broken    []event.JobEnded       // that failed, and nobody told the model
	title     string                 // as the client knows it
	named     bool                   // it has a title, its first prompt at least
	mode      string                 // likewise
	commands  string                 // likewise, encoded
	options   string                 // likewise
	used      event.ContextUsed
}

func newDrawing() drawing {
	return drawing{
		calls: map[string]*call{}, questions: map[event.RequestID]context.CancelFunc{}, jobs: map[event.JobID]string{},
	}
}

// undraw gives up what waits for the client: the session is closed.
func (s *session) undraw() {
	for id := range s.questions {
		s.answered(id)
	}
}

// draw turns one event of a session whose client knows it into updates.
func (s *session) draw(ctx context.Context, e event.Envelope) {
	switch p := e.Payload.(type) {
	case event.TextDelta:
		s.chunk(acpwire.AgentMessage, p.Message, s.shown.text(p.Message, p.Offset, p.Text))
	case event.ReasoningDelta:
		s.chunk(acpwire.AgentThought, p.Message, s.shown.thought(p.Message, p.Offset, p.Text))
	case event.Replied:
		s.replied(p)
	case event.Retrying:
		s.retrying(p)
	case event.UserSaid:
		s.heard(p)
	case event.Asked:
		s.ask(ctx, p.Question)
	case event.Answered:
		s.answered(p.ID)
	case event.TurnEnded:
		s.drawState(e)
		s.ended(ctx, s.attention(p))
	default:
		if !s.drawCall(e) {
			s.drawState(e)
		}
	}
}

// drawCall draws what happens to tool calls; false of any other event.
func (s *session) drawCall(e event.Envelope) bool {
	switch p := e.Payload.(type) {
	case event.ToolStarted:
		s.started(p)
	case event.ToolOutput:
		s.output(e.Time, p)
	case event.ToolProgress:
		s.progress(p)
	case event.ToolFinished:
		s.finished(p)
	case event.JobStarted:
		s.jobs[p.Job] = p.Title
	case event.JobEnded:
		s.jobEnded(p)
	default:
		return false
	}
	return true
}

func (s *session) chunk(kind string, id message.ID, text string) {
	if text == "" {
		return
	}
	// What is sent more often than all else writes itself. When the client is gone, the
	// server ends.
	_ = s.conn.Notify("session/update", &acpwire.ChunkUpdate{
		SessionID: string(s.ID()), Chunk: acpwire.Chunk{SessionUpdate: kind, MessageID: string(id), Content: acpwire.TextBlock(text)},
	})
}

// replied brings what deltas did not, and announces the calls.
func (s *session) replied(p event.Replied) {
	m := p.Message
	s.chunk(acpwire.AgentThought, m.ID, s.shown.restOfThought(m))
	s.chunk(acpwire.AgentMessage, m.ID, s.shown.rest(m))
	for _, c := range m.ToolCalls {
		s.announce(c)
	}
	if p.Cost != nil {
		s.usage()
	}
}

// heard notes what the model was told. What this client did not send, a prompt that an
// earlier process accepted for example, it is shown.
func (s *session) heard(p event.UserSaid) {
	s.attended(p.Sources)
	ours := s.turns.read(p.Prompt)
	if p.Prompt == "" {
		return
	}
	if !ours {
		s.saidBefore(p.Message.ID, p.Display, p.Message.Attachments)
	}
	if !s.named {
		s.entitle(titleOf(p.Display), time.Time{})
	}
}

// maxTitle bounds a title that is made of a prompt, in characters.
const maxTitle = 80

// titleOf is the title of a session nobody named: its first prompt.
func titleOf(text string) string {
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) <= maxTitle {
		return string(line)
	}
	return string(line[:maxTitle-1]) + "…"
}

// shown is how much of a reply the client was sent. A slow reader may be owed
// deltas it never gets: text goes on where it was as soon as the whole is there.
type shown struct {
	message       message.ID
	texts, thinks int // bytes
}

func (s *shown) begin(id message.ID) {
	if s.message != id {
		*s = shown{message: id}
	}
}

func (s *shown) text(id message.ID, offset int, text string) string {
	s.begin(id)
	return further(&s.texts, offset, text)
}

func (s *shown) thought(id message.ID, offset int, text string) string {
	s.begin(id)
	return further(&s.thinks, offset, text)
}

// rest is what of a whole reply's text was not sent.
func (s *shown) rest(m message.Message) string {
	s.begin(m.ID)
	return further(&s.texts, 0, m.Content)
}

// restOfThought is rest for the reasoning. It comes too late once text was sent.
func (s *shown) restOfThought(m message.Message) string {
	s.begin(m.ID)
	if s.texts > 0 {
		return ""
	}
	var all strings.Builder
	for _, r := range m.Reasoning {
		all.WriteString(r.Text)
	}
	return further(&s.thinks, 0, all.String())
}

// further is the part of text, which lies at offset, behind the first *sent
// bytes. It is empty when bytes between them are missing.
func further(sent *int, offset int, text string) string {
	skip := *sent - offset
	if skip < 0 || skip >= len(text) {
		return ""
	}
	*sent = offset + len(text)
	return text[skip:]
}
