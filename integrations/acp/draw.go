package acp

import (
	"context"
	"strings"
	"sync"
	"time"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/protocol"
	"reasonix/integrations/internal/acpwire"
	"reasonix/integrations/internal/jsonrpc"
)

// drawing turns the events of a session into updates for its client. Only the goroutine
// that follows the session touches it.
type drawing struct {
	client
	of     protocol.Session
	id     string // of it
	conn   *jsonrpc.Conn
	host   protocol.Host
	status *status         // as of the event that is drawn
	turns  *turns          // whose words the client knows
	beside *sync.WaitGroup // what waits for the client's user next to this goroutine
	ended  func(context.Context, event.TurnEnded)

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

// newDrawing makes the drawing of a session that nothing was drawn of. ended is called with
// the end of a turn when everything of it was told.
func newDrawing(s *session, ended func(context.Context, event.TurnEnded)) *drawing {
	return &drawing{
		client: s.client, of: s.Session, id: string(s.ID()), conn: s.conn, host: s.host, status: &s.status, turns: &s.turns,
		beside: &s.followed, ended: ended,
		calls: map[string]*call{}, questions: map[event.RequestID]*asked{}, foreseen: map[event.PromptID]bool{}, jobs: map[event.JobID]string{},
	}
}

// update sends one session/update. When the client is gone, the server ends.
func (d *drawing) update(u any) {
	_ = d.conn.Notify("session/update", acpwire.Update{SessionID: d.id, Update: u})
}

// undraw gives up what waits for the client: the session is closed.
func (d *drawing) undraw() {
	for id := range d.questions {
		d.answered(id)
	}
}

// draw turns one event of a session whose client knows it into updates.
func (d *drawing) draw(ctx context.Context, e event.Envelope) {
	switch p := e.Payload.(type) {
	case event.TextDelta:
		d.chunk(acpwire.AgentMessage, p.Message, d.shown.text(p.Message, p.Offset, p.Text))
	case event.ReasoningDelta:
		d.chunk(acpwire.AgentThought, p.Message, d.shown.thought(p.Message, p.Offset, p.Text))
	case event.Replied:
		d.replied(p)
	case event.Retrying:
		d.shown.end()
		d.retrying(p)
	case event.UserSaid:
		d.heard(ctx, p)
	case event.Asked:
		d.ask(ctx, p.Question)
	case event.Answered:
		d.answered(p.ID)
	case event.TurnEnded:
		delete(d.foreseen, p.Prompt)
		if d.status.now().Running == "" { // a prompt that waited may end while another's turn runs
			d.shown.end()
		}
		d.drawState(e)
		d.ended(ctx, d.attention(p))
	default:
		if !d.drawCall(ctx, e) {
			d.drawState(e)
		}
	}
}

// drawCall draws what happens to tool calls; false of any other event.
func (d *drawing) drawCall(ctx context.Context, e event.Envelope) bool {
	switch p := e.Payload.(type) {
	case event.ToolStarted:
		d.started(p)
	case event.ToolOutput:
		d.output(e.Time, p)
	case event.ToolProgress:
		d.progress(p)
	case event.ToolFinished:
		d.finished(ctx, p)
	case event.JobStarted:
		d.jobs[p.Job] = p.Title
	case event.JobEnded:
		d.jobEnded(p)
	default:
		return false
	}
	return true
}

// chunk sends a text of the conversation, in several pieces when it is long.
func (d *drawing) chunk(kind string, id message.ID, text string) {
	for piece := range pieces(text) {
		// What is sent more often than all else writes itself. When the client is gone, the
		// server ends.
		_ = d.conn.Notify("session/update", &acpwire.ChunkUpdate{
			SessionID: d.id, Chunk: acpwire.Chunk{SessionUpdate: kind, MessageID: string(id), Content: acpwire.TextBlock(piece)},
		})
	}
}

// replied brings what deltas did not, and announces the calls.
func (d *drawing) replied(p event.Replied) {
	m := p.Message
	thought, text := d.shown.rest(m)
	d.shown.end()
	d.chunk(acpwire.AgentThought, m.ID, thought)
	d.chunk(acpwire.AgentMessage, m.ID, text)
	for _, c := range m.ToolCalls {
		d.announce(c)
	}
	if p.Cost != nil {
		d.usage()
	}
}

// heard notes what the model was told. What this client neither sent nor was shown, a
// prompt that an earlier process accepted for example, it is shown.
func (d *drawing) heard(ctx context.Context, p event.UserSaid) {
	d.attended(p.Sources)
	known := d.turns.read(p.Prompt) || d.foreseen[p.Prompt]
	delete(d.foreseen, p.Prompt)
	if p.Prompt == "" {
		return
	}
	if !known {
		d.saidBefore(ctx, p.Message.ID, p.Display, p.Message.Attachments)
	}
	if !d.named {
		d.entitle(titleOf(p.Display), time.Time{})
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

// denied are the calls that were denied in the turn that has ended, and belong into the
// answer to its prompt. That of a prompt that moved on to another turn comes later, and
// a prompt that only waited had no turn.
func (d *drawing) denied(moved bool) []string {
	if moved || d.status.now().Running != "" {
		return nil
	}
	all := d.denials
	d.denials = nil
	return all
}
