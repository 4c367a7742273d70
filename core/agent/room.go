package agent

import (
	"context"
	"fmt"

	"reasonix/core/compaction"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/provider"
)

// Folder is a Runner that can make its conversation smaller because the user wants
// it to. It says by a Notice when there was nothing to do.
type Folder interface {
	Fold(ctx context.Context, in Input, focus string) error
}

// lend fills in what the Compactor has of the Agent.
func (a *Agent) lend(c *Compactor) {
	if c == nil {
		return
	}
	c.Provider, c.Replace, c.Scale = a.Provider, a.replace, a.meter.Scale
	if c.Record == nil {
		c.Record = a.recordFold
	}
	if c.Begin == nil {
		c.Begin = func(s compaction.Step) error {
			return a.Emit(event.Phase{Name: event.PhaseCompacting, Detail: string(s)})
		}
	}
	if c.Before == nil {
		c.Before = a.beforeCompact
	}
	if c.NewID == nil {
		c.NewID = a.NewID
	}
	if c.Now == nil {
		c.Now = a.Now
	}
	if c.Redact == nil {
		c.Redact = a.Redact
	}
	if c.Retry.Base == 0 {
		c.Retry.Base, c.Retry.Max = a.Retry.Base, a.Retry.Max
	}
}

// Fold compacts between turns.
func (a *Agent) Fold(ctx context.Context, in Input, focus string) error {
	if _, err := a.begin(in); err != nil {
		return err
	}
	return a.fold(ctx, focus)
}

// compactAsked does what the user asked for since the last step.
func (a *Agent) compactAsked(ctx context.Context) error {
	if a.Compact == nil {
		return nil
	}
	focus, asked := a.Compact()
	if !asked {
		return nil
	}
	return a.fold(ctx, focus)
}

func (a *Agent) fold(ctx context.Context, focus string) error {
	if a.Compactor == nil || a.Compactor.Settings.Window <= 0 {
		return a.Emit(event.Notice{
			Level: event.LevelInfo, Code: "compact_off", Args: []string{a.Model},
			Text: "compaction is off, because no context_window is configured for " + a.Model,
		})
	}
	if err := a.encode(); err != nil {
		return err
	}
	told := a.Compactor.told
	changed, err := a.Compactor.Compact(ctx, a.prompt(), focus)
	if err != nil || changed || a.Compactor.told > told {
		return err
	}
	return a.Emit(event.Notice{Level: event.LevelInfo, Code: "compact_nothing", Text: "nothing to compact: what could be folded is too little"})
}

// makeRoom compacts before a request when the window fills up.
func (a *Agent) makeRoom(ctx context.Context) error {
	if a.Compactor == nil {
		return nil
	}
	p := a.prompt()
	if a.Compactor.Soft(p.Tokens) {
		share := fmt.Sprintf("%d%%", p.Tokens*100/a.Compactor.Settings.Window)
		err := a.Emit(event.Notice{
			Level: event.LevelInfo, Code: NoticeFilling, Args: []string{share},
			Text: share + " of the context window is used; older tool results and work will be folded when it fills up",
		})
		if err != nil {
			return err
		}
	}
	return a.Compactor.Check(ctx, p)
}

// NoticeFilling is the code of the notice that the window is filling up.
const NoticeFilling = "context_filling"

// refused compacts because the endpoint refused the prompt as too long.
func (a *Agent) refused(ctx context.Context, f *provider.Failure) error {
	if err := a.Compactor.Refused(ctx, a.prompt(), f); err != nil {
		return err
	}
	return a.Emit(event.Phase{Name: event.PhaseModel, Detail: a.Model})
}

// recordFold journals a stage, with what its summary cost.
func (a *Agent) recordFold(f Folded) error {
	p := event.Folded{
		Stage: string(f.Stage), Trigger: string(f.Trigger), Archive: f.Archive,
		Before: f.Before, After: f.After, Lost: f.Lost, Usage: f.Usage, Failure: f.Failure,
	}
	for _, e := range f.Edits {
		p.Edits = append(p.Edits, event.Edit(e))
	}
	if f.Usage != (message.Usage{}) {
		p.Model = a.Model
		if a.Price != nil {
			p.Cost = &event.Money{Currency: a.Price.Currency, Amount: a.Price.Cost(f.Usage)}
			a.turn.cost += p.Cost.Amount
		}
	}
	return a.Emit(p)
}

// prompt is the next request as it stands. The conversation must be encoded.
func (a *Agent) prompt() Prompt {
	return Prompt{Messages: a.msgs, Tokens: a.counter.Tokens(a.estimated(), a.meter.Scale)}
}

// estimated is the next request by estimate.
func (a *Agent) estimated() int { return a.wire.Tokens() + provider.EstimateTools(a.turn.in.Tools) }

// counted learns from the endpoint's count of the prompt as it stands.
func (a *Agent) counted(tokens int) {
	estimated := a.estimated()
	a.meter.Observe(estimated, tokens)
	a.counter.Counted(tokens, estimated)
}

// replace makes ms the conversation after a compaction.
func (a *Agent) replace(ms []message.Message) (int, error) {
	if a.turn.in.Break == nil {
		a.turn.in.Break = foldBreak()
	}
	a.turn.in.Counted = 0 // it was of another conversation
	if err := a.sync(ms); err != nil {
		return 0, err
	}
	if err := a.encode(); err != nil {
		return 0, err
	}
	tokens := a.prompt().Tokens
	return tokens, a.Emit(event.ContextUsed{Tokens: tokens, Window: a.Window, Estimated: true})
}
