package wire

import (
	"reasonix/core/config"
	"reasonix/core/provider"
)

// Provider makes the provider of m as a session would have it, with World.HTTP as
// its client. It sends nothing.
func (w World) Provider(cfg *config.Config, m config.Model, key string) (provider.Provider, error) {
	p, err := provider.New(m.Provider.Kind, w.providerConfig(cfg, m, key, nil))
	if err != nil {
		return nil, &ConfigError{err}
	}
	return p, nil
}
