package wire

import (
	"sync/atomic"

	"reasonix/core/config"
	"reasonix/core/event"
)

// models are those that one session can work with: the one it began with, and those
// that it can be changed to. Safe for concurrent use.
type models struct {
	endpoints
	first model
	now   atomic.Pointer[model]
}

func newModels(e endpoints, first model) *models {
	m := &models{endpoints: e, first: first}
	m.now.Store(&first)
	return m
}

// of is the model of a configuration.
func (m *models) of(c event.Configured) (model, error) {
	if c.Model == m.first.Ref && c.Effort == m.first.Effort {
		return m.first, nil
	}
	return m.choose(c.Model, c.Effort, event.Configured{})
}

// follow is told what the session works with from now on.
func (m *models) follow(c event.Configured) {
	if next, err := m.of(c); err == nil {
		m.now.Store(&next)
	}
}

// current is the model that the session works with.
func (m *models) current() *model { return m.now.Load() }

// choosable are the models of the configuration, and the session's own where that has
// none.
func (m *models) choosable() []config.Model {
	all := m.cfg.Models()
	if m.first.Ref == "" {
		return all
	}
	for _, known := range all {
		if known.Ref == m.first.Ref {
			return all
		}
	}
	return append([]config.Model{m.first.Model}, all...)
}
