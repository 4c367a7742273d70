package acp

import (
	"context"
	"strings"
	"time"

	"reasonix/core/event"
	"reasonix/core/protocol"
)

// drawing turns the events of a session into updates for its client. Only the goroutine
// that follows the session touches it. Each part draws one thing and remembers what the
// client knows of that.
type drawing struct {
	*updates
	of     protocol.Session
	status *status // as of the event that is drawn
	ended  func(context.Context, event.TurnEnded)

	drawn  event.Seq // of the newest durable event that was drawn
	speech speech
	calls  callBoard
	asking asking
	folds  folding
	jobs   failedJobs
	state  surroundings
}

// newDrawing makes the drawing of a session that nothing was drawn of. ended is called with
// the end of a turn when everything of it was told.
func newDrawing(s *session, ended func(context.Context, event.TurnEnded)) *drawing {
	to := &updates{client: s.client, id: string(s.ID()), conn: s.conn}
	album := album{host: s.host, of: s.ID(), lang: s.lang}
	d := &drawing{
		updates: to, of: s.Session, status: &s.status, ended: ended,
		speech: speech{updates: to, album: album, turns: &s.turns, foreseen: map[event.PromptID]bool{}},
		calls:  callBoard{updates: to, album: album, open: map[string]*call{}},
		folds:  folding{updates: to},
		jobs:   failedJobs{titles: map[event.JobID]string{}},
		state:  surroundings{updates: to, status: &s.status},
	}
	d.asking = asking{updates: to, of: s.Session, calls: &d.calls, beside: &s.followed, open: map[event.RequestID]*asked{}}
	return d
}

// draw turns one event of a session whose client knows it into updates.
func (d *drawing) draw(ctx context.Context, e event.Envelope) {
	switch p := e.Payload.(type) {
	case event.TextDelta:
		d.speech.wrote(p)
	case event.ReasoningDelta:
		d.speech.thought(p)
	case event.Replied:
		d.replied(p)
	case event.Retrying:
		d.speech.shown.end()
		d.retrying(p)
	case event.UserSaid:
		d.heard(ctx, p)
	case event.Asked:
		d.asking.ask(ctx, p.Question)
	case event.Answered:
		d.asking.answered(p.ID)
	case event.TurnEnded:
		d.turnEnded(ctx, e.Time, p)
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
		d.calls.started(p)
	case event.ToolOutput:
		d.calls.output(e.Time, p)
	case event.ToolProgress:
		d.calls.progress(p)
	case event.ToolFinished:
		d.calls.finished(ctx, p)
	case event.JobStarted:
		d.jobs.titles[p.Job] = p.Title
	case event.JobEnded:
		if d.running() {
			d.jobs.ended(p)
		}
	default:
		return false
	}
	return true
}

// drawState draws what changes beside the conversation.
func (d *drawing) drawState(e event.Envelope) {
	switch p := e.Payload.(type) {
	case event.CaughtUp:
		d.state.caughtUp(p)
		for _, n := range p.Notices {
			d.noticed(n)
		}
	case event.Configured:
		d.state.configured(p)
	case event.Offered:
		d.state.offered(p)
	case event.ServerChanged:
		d.serverChanged(p)
	case event.Notice:
		d.noticed(p)
	case event.Phase:
		d.phase(p)
	case event.Folded:
		d.folds.folded(p)
	case event.ContextUsed:
		d.state.contextUsed(p)
	case event.ChildEnded:
		d.state.usage()
	case event.Planned:
		d.update(planOf(p.Todos))
	default: // the rest has no word in this protocol
	}
}

// running reports whether a turn runs, as of the event that is drawn.
func (d *drawing) running() bool { return d.status.now().Running != "" }

// replied brings what deltas did not, and announces the calls.
func (d *drawing) replied(p event.Replied) {
	d.speech.replied(p.Message)
	for _, c := range p.Message.ToolCalls {
		d.calls.announce(c)
	}
	if p.Cost != nil {
		d.state.usage()
	}
}

func (d *drawing) heard(ctx context.Context, p event.UserSaid) {
	d.jobs.attended(p.Sources)
	d.speech.heard(ctx, p)
	if p.Prompt != "" && !d.state.named {
		d.state.entitle(titleOf(p.Display), time.Time{})
	}
}

func (d *drawing) turnEnded(ctx context.Context, at time.Time, p event.TurnEnded) {
	delete(d.speech.foreseen, p.Prompt)
	if !at.IsZero() {
		d.state.entitle("", at)
	}
	if !d.running() { // a prompt that waited may end while another's turn runs
		d.speech.shown.end()
		p = d.jobs.attention(p)
	}
	d.ended(ctx, p)
}

// denied are the calls that were denied in the turn that has ended, and belong into the
// answer to its prompt. That of a prompt that moved on to another turn comes later, and
// a prompt that only waited had no turn.
func (d *drawing) denied(moved bool) []string {
	if moved || d.running() {
		return nil
	}
	return d.calls.takeDenials()
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
