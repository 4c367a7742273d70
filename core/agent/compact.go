package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"reasonix/core/compaction"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/provider"
)

// Compactor carries out what core/compaction plans: it archives the originals,
// asks the model for summaries, has every stage recorded and then replaces the
// conversation. It belongs to one Agent and, as that, is not safe for concurrent
// use. All fields but Failed, Before, Begin, Noticed, Redact and Retry are required.
type Compactor struct {
	Provider provider.Provider
	Settings compaction.Settings
	Archive  Archive
	// Record journals one stage before it is made. An error means that it was not
	// stored; the conversation stays as it is.
	Record func(Folded) error
	// Replace makes ms the conversation and returns the tokens of the next request,
	// tool schemas included.
	Replace func(ms []message.Message) (tokens int, err error)
	// Scale turns an estimate into the endpoint's tokens.
	Scale func(estimated int) int
	NewID func() string
	Now   func() time.Time

	// Failed reports tool results that are errors though their text does not say so.
	Failed func(*message.Message) bool
	// Before is told before the first step of a run and returns what its summaries
	// must keep: focus and more.
	Before func(ctx context.Context, t compaction.Trigger, focus string) (string, error)
	// Begin is told before each step; a front end shows it as a phase.
	Begin func(compaction.Step) error
	// Noticed says that the user was told already that the window is filling up.
	Noticed bool
	// Redact takes secrets out of a summary.
	Redact func(string) string
	// Retry is for summaries; its zero value sends a request three times.
	Retry provider.Retry

	told     int             // stages recorded
	deferred int             // tokens when the last run ended with Defer
	refused  *compaction.Run // since the last prompt the endpoint took
}

// Archive keeps what compaction takes out of a conversation.
type Archive interface {
	// Next names the archive that is written next, as the model may be told.
	Next() string
	// Write keeps ms under the name Next gave. After an error there is no such
	// archive.
	Write(name string, ms []message.Message) error
}

// Folded is one stage of a compaction, or, without edits, one that failed.
type Folded struct {
	Stage   compaction.Stage
	Trigger compaction.Trigger
	Edits   []compaction.Edit
	Archive string // name; empty when nothing was taken out
	Before  int    // tokens of the next request
	After   int
	Lost    int           // tokens the endpoint's cache no longer has
	Usage   message.Usage // of the requests for a summary
	Failure *event.Failure
}

// Prompt is the next request as it stands.
type Prompt struct {
	Messages []message.Message
	Tokens   int // tool schemas included
}

// Soft reports, once until the prompt is small again, that the window is filling
// up.
func (c *Compactor) Soft(tokens int) bool {
	level := c.Settings.Level(tokens)
	if level < compaction.Soft {
		c.Noticed = false
	}
	if level != compaction.Soft || c.Noticed {
		return false
	}
	c.Noticed = true
	return true
}

// Check compacts before a request when a threshold is reached. It returns a *Stop
// when the prompt does not fit whatever is done.
func (c *Compactor) Check(ctx context.Context, p Prompt) error {
	r, err := c.run(p, "").follow(ctx, compaction.Begin(c.Settings, compaction.Automatic, p.Tokens, c.deferred))
	if err != nil {
		return err
	}
	return c.fits(r, nil)
}

// Compact is what the user asked for; focus is what the summary must keep. It
// reports whether anything changed: nothing does when there is nothing to fold,
// when compaction is off, and when no summary could be had, which was recorded.
func (c *Compactor) Compact(ctx context.Context, p Prompt, focus string) (changed bool, err error) {
	w := c.run(p, focus)
	_, err = w.follow(ctx, compaction.Begin(c.Settings, compaction.Manual, p.Tokens, 0))
	return w.changed, err
}

// Refused compacts because the endpoint refused p as too long, with f. After nil
// the request is to be sent again; a *Stop says that nothing helps.
func (c *Compactor) Refused(ctx context.Context, p Prompt, f *provider.Failure) error {
	var r compaction.Run
	if c.refused == nil {
		r = compaction.Begin(c.Settings, compaction.Refused, p.Tokens, 0)
	} else {
		r = c.refused.Refuse(p.Tokens)
	}
	r, err := c.run(p, "").follow(ctx, r)
	if err != nil {
		return err
	}
	if c.refused = &r; r.Step == compaction.Stop {
		c.refused = nil // the next turn begins anew
	}
	return c.fits(r, f)
}

// Accepted says that the endpoint took the last prompt.
func (c *Compactor) Accepted() { c.refused = nil }

// fits is the *Stop of a run that ended without a prompt that can be sent.
func (c *Compactor) fits(r compaction.Run, f *provider.Failure) error {
	if r.Step != compaction.Stop {
		return nil
	}
	s := &Stop{Outcome: event.Limit, Reason: ReasonContext}
	s.Detail = fmt.Sprintf("the conversation (about %d tokens) does not fit the model's window, and compaction cannot make it smaller", r.Tokens)
	if c.Settings.Window <= 0 {
		s.Detail = "the conversation does not fit the model's window; compaction is off because context_window is 0"
	}
	if f != nil {
		s.Detail += ": " + f.Error()
		s.Failure = toldFailure(f)
	}
	return s
}

func (c *Compactor) run(p Prompt, focus string) *compacting {
	return &compacting{Compactor: c, prompt: p, focus: focus, before: p.Messages}
}

// compacting is one run.
type compacting struct {
	*Compactor
	prompt  Prompt
	focus   string
	before  []message.Message // the conversation as it was, for summaries
	changed bool
	usage   message.Usage    // of summaries not yet recorded
	input   compaction.Input // of the last step
}

func (w *compacting) follow(ctx context.Context, r compaction.Run) (compaction.Run, error) {
	if w.Before != nil && !r.Over() {
		var err error
		if w.focus, err = w.Before(ctx, r.Trigger, w.focus); err != nil {
			return r, err
		}
	}
	for !r.Over() {
		if w.Begin != nil {
			if err := w.Begin(r.Step); err != nil {
				return r, err
			}
		}
		how, err := w.step(ctx, r)
		var lost *archiveError
		switch {
		case errors.As(err, &lost):
			r = r.Abandon()
			err = w.failed(r, lost.stage, &event.Failure{Kind: "archive", Text: err.Error()})
		case err == nil:
			r = r.Next(how, w.prompt.Tokens)
		}
		if err != nil {
			return r, err
		}
	}
	w.deferred = 0
	if r.Step == compaction.Defer {
		w.deferred = w.prompt.Tokens
	}
	return r, nil
}

// step plans a step and carries it out. An error ends the turn; a summary that
// cannot be had is a result.
func (w *compacting) step(ctx context.Context, r compaction.Run) (compaction.Result, error) {
	w.input = compaction.Input{
		History: w.prompt.Messages, Tokens: w.prompt.Tokens, Estimate: w.estimate, Failed: w.Failed,
		Archive: w.Archive.Next(), Force: r.Force(), Goal: r.Goal(),
	}
	var p compaction.Plan
	switch s := r.Settings(); r.Step {
	case compaction.Send, compaction.Defer, compaction.Stop: // ends, no steps
	case compaction.StepSnip:
		p = compaction.Snip(w.input, s)
	case compaction.StepPrune:
		p = compaction.Prune(w.input, s)
	case compaction.StepSqueeze:
		p = compaction.Squeeze(w.input, s)
	case compaction.StepDrop:
		p = compaction.Drop(w.input, s)
	case compaction.StepSummary, compaction.StepPieces:
		var how compaction.Result
		var err error
		if p, how, err = w.summary(ctx, r); err != nil || how != compaction.Done {
			return how, err
		}
	}
	if len(p.Edits) == 0 {
		return compaction.Nothing, nil
	}
	return compaction.Done, w.apply(r, p)
}

// apply archives, records and replaces, in this order: what fails leaves the
// conversation as it was.
func (w *compacting) apply(r compaction.Run, p compaction.Plan) error {
	gone, err := compaction.Originals(w.prompt.Messages, p.Edits)
	if err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	ms, err := compaction.Apply(w.prompt.Messages, p.Edits)
	if err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	if err := w.Archive.Write(w.input.Archive, gone); err != nil {
		return &archiveError{err: err, stage: p.Stage}
	}
	f := Folded{
		Stage: p.Stage, Trigger: r.Trigger, Edits: p.Edits, Archive: w.input.Archive,
		Before: w.prompt.Tokens, After: w.prompt.Tokens - p.Frees, Lost: p.Lost(w.input), Usage: w.usage,
	}
	if err := w.record(f); err != nil {
		return err
	}
	w.usage = message.Usage{}
	tokens, err := w.Replace(ms)
	if err != nil {
		return err
	}
	w.prompt, w.changed = Prompt{Messages: ms, Tokens: tokens}, true
	return nil
}

// summary asks the model to fold the work. That it failed is recorded as well.
func (w *compacting) summary(ctx context.Context, r compaction.Run) (compaction.Plan, compaction.Result, error) {
	f := compaction.PlanFold(w.input, r.Settings())
	if f.Empty() {
		return compaction.Plan{}, compaction.Nothing, nil
	}
	f.WithOriginals(w.before)
	text, err := w.summarize(ctx, f.Requests(w.focus, r.Piece))
	if ctx.Err() != nil {
		return compaction.Plan{}, compaction.Failed, stopped(ctx)
	}
	if err == nil {
		err = f.Check(text)
	}
	if err == nil {
		return f.Edits(text, message.ID(w.NewID())), compaction.Done, nil
	}
	how, told := judged(err)
	return compaction.Plan{}, how, w.failed(r, compaction.StageSummary, told)
}

// failed records a stage that changed nothing.
func (w *compacting) failed(r compaction.Run, s compaction.Stage, told *event.Failure) error {
	f := Folded{Stage: s, Trigger: r.Trigger, Before: w.prompt.Tokens, After: w.prompt.Tokens, Usage: w.usage, Failure: told}
	w.usage = message.Usage{}
	return w.record(f)
}

func (w *compacting) record(f Folded) error {
	w.told++
	return w.Record(f)
}

// archiveError is an archive that could not be written: nothing may be taken out.
type archiveError struct {
	err   error
	stage compaction.Stage
}

func (e *archiveError) Error() string { return "archive the originals: " + e.err.Error() }
func (e *archiveError) Unwrap() error { return e.err }

// judged says what an error means for the run, and how it is told.
func judged(err error) (compaction.Result, *event.Failure) {
	var f *provider.Failure
	switch {
	case errors.As(err, &f) && f.Kind == provider.KindContext:
		return compaction.TooLong, toldFailure(f)
	case errors.As(err, &f):
		return compaction.Failed, toldFailure(f)
	case errors.Is(err, compaction.ErrEmptySummary), errors.Is(err, compaction.ErrLongSummary):
		return compaction.Useless, &event.Failure{Kind: "summary", Text: err.Error()}
	}
	return compaction.Failed, &event.Failure{Kind: "summary", Text: err.Error()}
}

// estimate is the tokens of one message.
func (w *compacting) estimate(m *message.Message) int {
	const frame, image = 4, 1000
	n := frame + provider.Estimate(m.Content) + image*len(m.Attachments)
	for i := range m.ToolCalls {
		n += provider.Estimate(m.ToolCalls[i].Name) + provider.Estimate(m.ToolCalls[i].Arguments) + frame
	}
	for i := range m.Reasoning {
		if m.Reasoning[i].Kind != "" { // it is sent back
			n += provider.Estimate(m.Reasoning[i].Text)
		}
	}
	return w.Scale(n)
}
