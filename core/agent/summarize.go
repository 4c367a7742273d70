package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"reasonix/core/compaction"
	"reasonix/core/message"
	"reasonix/core/provider"
)

// summaryTries is how often a request for a summary is sent in total.
const summaryTries = 3

// maxSummary is how many bytes a reply may have to be read to its end. What makes the
// conversation no smaller is refused far below.
const maxSummary = 1 << 20

// errSummaryRefused is a model that would not summarize.
var errSummaryRefused = errors.New("the model or a content filter refused to summarize")

// summarize asks for the summary of each piece, without tools, and joins them.
func (w *compacting) summarize(ctx context.Context, requests [][]message.Message) (string, error) {
	var parts []string
	for i, ms := range requests {
		text, err := w.summarizeOne(ctx, ms)
		if err != nil {
			return "", fmt.Errorf("summary %d of %d: %w", i+1, len(requests), err)
		}
		parts = append(parts, text)
	}
	text := compaction.Join(parts)
	if w.Redact != nil {
		text = w.Redact(text)
	}
	return text, nil
}

// summarizeOne repeats a request that failed for a passing reason. Between the
// tries it waits in real time; the context ends that.
func (w *compacting) summarizeOne(ctx context.Context, ms []message.Message) (string, error) {
	retry := w.Retry
	retry.Tries = cmp.Or(retry.Tries, summaryTries)
	begun := w.Now()
	for attempt := 1; ; attempt++ {
		text, err := w.ask(ctx, ms)
		var f *provider.Failure
		if err == nil || !errors.As(err, &f) || ctx.Err() != nil {
			return text, err
		}
		wait, again := retry.Next(attempt, f, w.Now().Sub(begun))
		if !again {
			return "", err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return "", context.Cause(ctx)
		}
	}
}

// ask asks for one summary.
func (w *compacting) ask(ctx context.Context, ms []message.Message) (string, error) {
	got, err := provider.Complete(ctx, w.Provider, provider.Request{Messages: ms}, maxSummary)
	switch {
	case errors.Is(err, provider.ErrTooLong):
		return "", fmt.Errorf("%w: %w", compaction.ErrLongSummary, err)
	case errors.Is(err, provider.ErrCalled): // and says nothing that can be sent back
		return "", fmt.Errorf("%w: %w", compaction.ErrEmptySummary, err)
	case err != nil:
		return "", err
	}
	if got.Usage != nil {
		w.usage = w.usage.Add(*got.Usage)
	}
	if got.Finish == provider.FinishRefusal {
		return "", errSummaryRefused
	}
	return got.Text, nil
}
