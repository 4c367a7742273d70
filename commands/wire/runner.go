package wire

import (
	"sync"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/tool"
	"reasonix/core/tool/shell"
)

// runnerOf makes the loop of a session with these tools, for the model and the limits
// of a configuration.
func (b *assembly) runnerOf(tools *tool.Registry) func(event.Configured) (agent.Runner, error) {
	s, secrets := b.services, b.cfg.SecretValues()
	return func(c event.Configured) (agent.Runner, error) {
		m, err := b.modelOf(c)
		if err != nil {
			return nil, err
		}
		return agent.New(agent.Parts{
			Provider: m.provider, Model: m.Ref, Price: m.price, Window: m.ContextWindow,
			Tools: tools, Gate: s.Gate, Emit: b.foreseeing(s.Emit), Writing: s.Writing, Steer: s.Steer, Save: s.Save, Hooks: s.Hooks,
			Compactor: b.compactor(b.cfg, m, s), Compact: s.Compact,
			Limits: c.Limits, NewID: newID, Now: b.Now,
			Redact: redactor(secrets), SecretLen: longest(secrets),
			Sights: func() []event.Sight { return fresh(b.env.Files) },
		}), nil
	}
}

// foreseeing starts the sandbox when the model begins to write a command, so that it
// is there when the command is.
func (b *assembly) foreseeing(emit func(event.Payload) error) func(event.Payload) error {
	var once sync.Once
	return func(p event.Payload) error {
		if d, ok := p.(event.CallDelta); ok && d.Name == "bash" && b.work != nil {
			once.Do(func() { b.work.start(func() { shell.Foresee(b.env) }) })
		}
		return emit(p)
	}
}

// modelOf is the model of a configuration: the one that the session began with, or
// another that it was changed to.
func (b *assembly) modelOf(c event.Configured) (model, error) {
	if c.Model == b.model.Ref && c.Effort == b.model.Effort {
		return b.model, nil
	}
	services := b.services
	services.Before = event.Configured{} // its effort was of another model
	return b.chooseModel(b.cfg, protocol.Spec{Model: c.Model, Effort: c.Effort}, services)
}
