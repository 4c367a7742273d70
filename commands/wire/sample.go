package wire

import (
	"context"
	"fmt"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/provider"
	"reasonix/integrations/mcp"
)

// Limits of what an MCP server may ask the session's model for.
const (
	sampleTokens = 16_000
	sampleBytes  = 256 << 10
)

// sampler lets servers ask the session's model. What it costs is in the session's
// receipt.
type sampler struct {
	models *models
	emit   func(event.Payload) error
}

// sample is mcp.World.Sample.
func (p sampler) sample(ctx context.Context, r mcp.SampleRequest) (mcp.SampleReply, error) {
	var ms []message.Message
	if r.System != "" {
		ms = append(ms, message.Message{ID: "system", Role: message.System, Content: r.System})
	}
	for i, said := range r.Messages {
		role := message.User
		if said.Role == "assistant" {
			role = message.Assistant
		}
		ms = append(ms, message.Message{ID: message.ID(fmt.Sprintf("sample-%d", i)), Role: role, Content: said.Text})
	}
	m := p.models.current()
	tokens := sampleTokens
	if r.MaxTokens > 0 && r.MaxTokens < sampleTokens {
		tokens = int(r.MaxTokens)
	}
	got, err := provider.Complete(ctx, m.provider, provider.Request{Messages: ms, MaxTokens: tokens}, sampleBytes)
	if err != nil {
		return mcp.SampleReply{}, fmt.Errorf("ask %s for the MCP server %s: %w", m.Ref, r.Server, err)
	}
	spent := event.ChildEnded{Outcome: event.Completed}
	if got.Usage != nil {
		spent.Usage = *got.Usage
		if m.price != nil {
			spent.Cost = &event.Money{Currency: m.price.Currency, Amount: m.price.Cost(*got.Usage)}
		}
	}
	if err := p.emit(spent); err != nil {
		return mcp.SampleReply{}, err
	}
	reason := "endTurn"
	if got.Finish == provider.FinishLength {
		reason = "maxTokens"
	}
	return mcp.SampleReply{Text: got.Text, Model: m.Name, Reason: reason}, nil
}
