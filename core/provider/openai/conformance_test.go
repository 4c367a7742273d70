package openai_test

import (
	"testing"

	"reasonix/core/provider"
	"reasonix/core/provider/openai"
	"reasonix/core/provider/providertest"
)

func TestConformance(t *testing.T) {
	providertest.Run(t, func(t *testing.T, cfg provider.Config) provider.Provider {
		p, err := openai.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		return p
	})
}
