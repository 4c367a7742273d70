package run

import (
	"slices"
	"strings"
	"time"

	"reasonix/commands/cmdutil"
	"reasonix/core/event"
)

// printer shows one run in one format. Its methods are called from one
// goroutine.
type printer interface {
	begin(dir string, at event.CaughtUp)
	draw(env event.Envelope)
	end(ended event.TurnEnded)
	// failed is called instead of end when there was no turn, or it was lost.
	failed(err error)
	// warn shows something about the configuration.
	warn(text string)
}

func (o *options) printer(app *cmdutil.App) printer {
	l := ledger{began: app.Now(), now: app.Now}
	switch *o.format {
	case formatJSON:
		return &jsonPrinter{out: app.Out, ledger: l}
	case formatStream:
		return &jsonPrinter{out: app.Out, ledger: l, stream: true}
	case formatEvents:
		return &eventPrinter{out: app.Out, partial: o.partial, now: app.Now}
	}
	return newTextPrinter(app, o, l)
}

// modelAssumption is how the ask tool marks an answer that is nobody's.
const modelAssumption = "[model assumption]"

// ledger adds up what the final object and the receipt say.
type ledger struct {
	began   time.Time
	now     func() time.Time
	session event.SessionID
	model   string
	replies int
	answer  string // text of the last reply
	denials []denial
	assumed []string          // questions of the ask tool that nobody heard
	held    map[string]string // what confines a call, by its id
	helds   []string          // each once
	folds   []fold
	// warnings are about the configuration and standard input.
	warnings []string
}

type denial struct {
	Tool    string `json:"tool"`
	Subject string `json:"subject"`
	Rule    string `json:"rule"`
	Reason  string `json:"reason"`
}

func (l *ledger) begin(at event.CaughtUp) {
	l.session, l.model = at.Session, at.Configured.Model
}

func (l *ledger) add(p event.Payload) {
	switch p := p.(type) {
	case event.Replied:
		l.replies++
		l.model = p.Model
		if p.Message.Content != "" {
			l.answer = p.Message.Content
		}
	case event.Notice:
		if p.Code == event.NoticeReport {
			l.answer = p.Text
		}
	case event.Folded:
		l.folds = append(l.folds, foldOf(p))
	case event.ToolStarted:
		l.confined(p.Call, p.Held)
	case event.ToolFinished:
		if p.Message.Name == "ask" && strings.Contains(p.Message.Content, modelAssumption) {
			l.assumed = append(l.assumed, p.Title)
		}
		if p.Status == event.StatusDenied {
			l.denials = append(l.denials, denial{Tool: p.Message.Name, Subject: p.Title, Rule: p.Rule, Reason: p.Reason})
		}
	default: // counts for nothing
	}
}

func (l *ledger) confined(call, by string) {
	if by == "" {
		return
	}
	if l.held == nil {
		l.held = map[string]string{}
	}
	l.held[call] = by
	if !slices.Contains(l.helds, by) {
		l.helds = append(l.helds, by)
	}
}
