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

	drawn     event.Seq // of the newest durable event that was drawn
	shown     shown
	calls     map[string]*call // announced and not finished
	denials   []string
	questions map[event.RequestID]*asked
	foreseen  map[event.PromptID]bool // what the client saw before the model did
	folding   string                  // id of the compaction under way
	folds     int
	jobs      map[event.JobID]string // titles
	broken    []event.JobEnded       // that failed, and nobody told the model
	named     bool                   // it has a title, its first prompt at least

	// As the client knows them, the last two encoded.
	used                           event.ContextUsed
	title, mode, commands, options string
}

func newDrawing() drawing {
	return drawing{
		calls: map[string]*call{}, questions: map[event.RequestID]*asked{}, foreseen: map[event.PromptID]bool{}, jobs: map[event.JobID]string{},
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
		s.shown.end()
		s.retrying(p)
	case event.UserSaid:
		s.heard(ctx, p)
	case event.Asked:
		s.ask(ctx, p.Question)
	case event.Answered:
		s.answered(p.ID)
	case event.TurnEnded:
		delete(s.foreseen, p.Prompt)
		if s.status.now().Running == "" { // a prompt that waited may end while another's turn runs
			s.shown.end()
		}
		s.drawState(e)
		s.ended(ctx, s.attention(p))
	default:
		if !s.drawCall(ctx, e) {
			s.drawState(e)
		}
	}
}

// drawCall draws what happens to tool calls; false of any other event.
func (s *session) drawCall(ctx context.Context, e event.Envelope) bool {
	switch p := e.Payload.(type) {
	case event.ToolStarted:
		s.started(p)
	case event.ToolOutput:
		s.output(e.Time, p)
	case event.ToolProgress:
		s.progress(p)
	case event.ToolFinished:
		s.finished(ctx, p)
	case event.JobStarted:
		s.jobs[p.Job] = p.Title
	case event.JobEnded:
		s.jobEnded(p)
	default:
		return false
	}
	return true
}

// chunk sends a text of the conversation, in several pieces when it is long.
func (s *session) chunk(kind string, id message.ID, text string) {
	for piece := range pieces(text) {
		// What is sent more often than all else writes itself. When the client is gone, the
		// server ends.
		_ = s.conn.Notify("session/update", &acpwire.ChunkUpdate{
			SessionID: string(s.ID()), Chunk: acpwire.Chunk{SessionUpdate: kind, MessageID: string(id), Content: acpwire.TextBlock(piece)},
		})
	}
}

// replied brings what deltas did not, and announces the calls.
func (s *session) replied(p event.Replied) {
	m := p.Message
	thought, text := s.shown.rest(m)
	s.shown.end()
	s.chunk(acpwire.AgentThought, m.ID, thought)
	s.chunk(acpwire.AgentMessage, m.ID, text)
	for _, c := range m.ToolCalls {
		s.announce(c)
	}
	if p.Cost != nil {
		s.usage()
	}
}

// heard notes what the model was told. What this client neither sent nor was shown, a
// prompt that an earlier process accepted for example, it is shown.
func (s *session) heard(ctx context.Context, p event.UserSaid) {
	s.attended(p.Sources)
	known := s.turns.read(p.Prompt) || s.foreseen[p.Prompt]
	delete(s.foreseen, p.Prompt)
	if p.Prompt == "" {
		return
	}
	if !known {
		s.saidBefore(ctx, p.Message.ID, p.Display, p.Message.Attachments)
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

// shown is what of the reply in flight the client was sent. A slow reader may be owed
// deltas it never gets: text goes on where it was as soon as the whole is there.
type shown struct {
	message         message.ID
	texts, thoughts []byte
	over            message.ID // the reply before: nothing more of it is sent
}

// begin makes id the reply in flight; false when it is over.
func (s *shown) begin(id message.ID) bool {
	if s.message != id && s.over != id {
		*s = shown{message: id, over: s.over}
	}
	return s.message == id
}

// end lets go of the reply in flight: it is whole, or nothing will become of it.
func (s *shown) end() {
	if s.message != "" {
		*s = shown{over: s.message}
	}
}

func (s *shown) text(id message.ID, offset int, text string) string {
	if !s.begin(id) {
		return ""
	}
	return further(&s.texts, offset, text)
}

func (s *shown) thought(id message.ID, offset int, text string) string {
	if !s.begin(id) {
		return ""
	}
	return further(&s.thoughts, offset, text)
}

// rest is what of a whole reply was not sent. Its reasoning comes too late once text was.
func (s *shown) rest(m message.Message) (thought, text string) {
	if s.begin(m.ID) && len(s.texts) == 0 {
		var all strings.Builder
		for _, r := range m.Reasoning {
			all.WriteString(r.Text)
		}
		thought = s.thought(m.ID, 0, all.String())
	}
	return thought, s.text(m.ID, 0, m.Content)
}

// further is the part of text, which lies at offset, behind what was sent, and adds it to
// that. It is empty when bytes between them are missing.
func further(sent *[]byte, offset int, text string) string {
	skip := len(*sent) - offset
	if skip < 0 || skip >= len(text) {
		return ""
	}
	*sent = append(*sent, text[skip:]...)
	return text[skip:]
}
