package wire

import (
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
	m := b.model
	if ref := b.cfg.Agent.GuardianModel; ref != "" {
		var err error
		if m, err = b.chooseModel(b.cfg, protocol.Spec{Model: ref}, engine.Services{}); err != nil {
			o.Notices = append(slices.Clip(o.Notices), event.Notice{
				Level: event.LevelWarning, Code: "guardian_failed", Args: []string{ref, err.Error()},
				Text: fmt.Sprintf("calls are not reviewed by %s, so they need you: %v", ref, err),
			})
			return
		}
	}
	o.Guardian = &agent.Guardian{Provider: m.provider, Model: m.Ref, Price: m.price, Redact: redactor(b.cfg.SecretValues())}
}
