package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"reasonix/core/message"
)

// Completion is one whole reply of text.
type Completion struct {
	Text   string
	Finish Finish
	Usage  *message.Usage // nil: the endpoint did not say
}

// What Complete refuses a reply for.
var (
	ErrTooLong = errors.New("the reply is too long")
	ErrCalled  = errors.New("the model called a tool that it was not offered")
)

// Complete sends one request without tools and waits for the whole reply, of at most
// limit bytes. After the end of ctx the error is its cause.
func Complete(ctx context.Context, p Provider, req Request, limit int) (Completion, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	chunks, err := p.Stream(ctx, req)
	if err != nil {
		return Completion{}, causeOf(ctx, err)
	}
	var b strings.Builder
	for {
		select {
		case c, open := <-chunks:
			switch {
			case !open:
				return Completion{}, causeOf(ctx, fmt.Errorf("provider %s closed its stream without an end", p.Name()))
			case c.Type == ChunkText:
				b.WriteString(c.Text)
				if b.Len() > limit {
					return Completion{}, ErrTooLong
				}
			case c.Type == ChunkCall, c.Type == ChunkProgress:
				return Completion{}, ErrCalled
			case c.Type == ChunkError:
				return Completion{}, causeOf(ctx, c.Err)
			case c.Type == ChunkDone:
				return Completion{Text: b.String(), Finish: c.Finish, Usage: c.Usage}, nil
			}
		case <-ctx.Done():
			return Completion{}, context.Cause(ctx)
		}
	}
}

// causeOf is why a request failed: the end of its time, if that came first.
func causeOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
