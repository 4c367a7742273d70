package wire

import (
	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/tool"
)

// runnerOf makes the loop of a session with these tools.
func (b *assembly) runnerOf(tools *tool.Registry) func(event.Configured) (agent.Runner, error) {
	s, secrets := b.services, b.cfg.SecretValues()
	return func(event.Configured) (agent.Runner, error) {
		return agent.New(agent.Parts{
			Provider: b.model.provider, Model: b.model.Ref, Price: b.model.price, Window: b.model.ContextWindow,
			Tools: tools, Gate: s.Gate, Emit: s.Emit, Writing: s.Writing, Steer: s.Steer, Save: s.Save, Hooks: s.Hooks,
			Compactor: b.compactor(b.cfg, b.model, s), Compact: s.Compact,
			Limits: b.limits, NewID: newID, Now: b.Now,
			Redact: redactor(secrets), SecretLen: longest(secrets),
			Sights: func() []event.Sight { return fresh(b.env.Files) },
		}), nil
	}
}
