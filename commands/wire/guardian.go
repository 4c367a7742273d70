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
)

// reviewer is the model that reviews calls of MCP servers where the configuration wants
// one; nil: none does. One that cannot be had is told: a person is asked then.
func reviewer(cfg *config.Config, models *models) (engine.Guardian, []event.Notice) {
	if !slices.ContainsFunc(cfg.Plugins, func(p config.Plugin) bool { return p.ApprovalsReviewer == permission.AutoReview }) {
		return nil, nil
	}
	g := guardian{models: models, secrets: cfg.SecretValues}
	if ref := cfg.Agent.GuardianModel; ref != "" {
		m, err := models.choose(ref, "", event.Configured{})
		if err != nil {
			return nil, []event.Notice{{
				Level: event.LevelWarning, Code: "guardian_failed", Args: []string{ref, err.Error()},
				Text: fmt.Sprintf("calls are not reviewed by %s, so they need you: %v", ref, err),
			}}
		}
		g.own = &m
	}
	return g, nil
}

// guardian reviews with its own model, or with the session's.
type guardian struct {
	models  *models
	own     *model // nil: the session's
	secrets func() []string
}

// Review implements engine.Guardian.
func (g guardian) Review(ctx context.Context, c agent.Case) agent.Review {
	m := g.own
	if m == nil {
		m = g.models.current()
	}
	by := agent.Guardian{Provider: m.provider, Model: m.Ref, Price: m.price, Redact: redactor(g.secrets())}
	return by.Review(ctx, c)
}
