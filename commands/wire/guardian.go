package wire

import (
	"context"
	"fmt"
	"slices"

	"reasonix/core/agent"
	"reasonix/core/config"
	"reasonix/core/engine"
	"reasonix/core/event"
	"reasonix/core/permission"
	"reasonix/core/protocol"
)

// addGuardian adds the model that reviews calls of MCP servers where the configuration
// wants one. One that cannot be had is told: a person is asked then.
func (b *assembly) addGuardian(o *engine.Organs) {
	if !slices.ContainsFunc(b.cfg.Plugins, func(p config.Plugin) bool { return p.ApprovalsReviewer == permission.AutoReview }) {
		return
	}
	g := guardian{b: b}
	if ref := b.cfg.Agent.GuardianModel; ref != "" {
		m, err := b.chooseModel(b.cfg, protocol.Spec{Model: ref}, engine.Services{})
		if err != nil {
			o.Notices = append(slices.Clip(o.Notices), event.Notice{
				Level: event.LevelWarning, Code: "guardian_failed", Args: []string{ref, err.Error()},
				Text: fmt.Sprintf("calls are not reviewed by %s, so they need you: %v", ref, err),
			})
			return
		}
		g.own = &m
	}
	o.Guardian = g
}

// guardian reviews with its own model, or with the session's.
type guardian struct {
	b   *assembly
	own *model // nil: the session's
}

// Review implements engine.Guardian.
func (g guardian) Review(ctx context.Context, c agent.Case) agent.Review {
	m := g.own
	if m == nil {
		m = g.b.now.Load()
	}
	by := agent.Guardian{Provider: m.provider, Model: m.Ref, Price: m.price, Redact: redactor(g.b.cfg.SecretValues())}
	return by.Review(ctx, c)
}
