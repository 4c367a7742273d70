package wire

import (
	"sync"
	"time"

	"reasonix/core/agent"
	"reasonix/core/config"
	"reasonix/core/engine"
	"reasonix/core/event"
	"reasonix/core/tool"
	"reasonix/core/workspace"
)

// loops makes the loops of one session, one for each set of tools and each
// configuration that it has.
type loops struct {
	cfg      *config.Config
	home     home
	now      func() time.Time
	services engine.Services
	models   *models
	files    *workspace.FS
	foresee  func() // called when a command is likely to run soon; nil: nothing to do
}

// of makes the loop with these tools, for the model and the limits of a configuration.
func (l loops) of(tools *tool.Registry) func(event.Configured) (agent.Runner, error) {
	s, secrets := l.services, l.cfg.SecretValues()
	return func(c event.Configured) (agent.Runner, error) {
		m, err := l.models.of(c)
		if err != nil {
			return nil, err
		}
		return agent.New(agent.Parts{
			Provider: m.provider, Model: m.Ref, Price: m.price, Window: m.ContextWindow,
			Tools: tools, Gate: s.Gate, Emit: foreseeing(s.Emit, l.foresee), Writing: s.Writing, Steer: s.Steer, Save: s.Save, Hooks: s.Hooks,
			Compactor: l.compactor(m), Compact: s.Compact,
			Limits: c.Limits, NewID: newID, Now: l.now,
			Redact: redactor(secrets), SecretLen: longest(secrets),
			Sights: func() []event.Sight { return fresh(l.files) },
		}), nil
	}
}

// foreseeing calls foresee once when the model begins to write a command, so that the
// sandbox is there when the command is.
func foreseeing(emit func(event.Payload) error, foresee func()) func(event.Payload) error {
	if foresee == nil {
		return emit
	}
	var once sync.Once
	return func(p event.Payload) error {
		if d, ok := p.(event.CallDelta); ok && d.Name == "bash" {
			once.Do(foresee)
		}
		return emit(p)
	}
}
