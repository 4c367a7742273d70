package models

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/config"
	"reasonix/core/message"
	"reasonix/core/provider"
	"reasonix/core/provider/trial"
)

// tried is what a trial of the endpoint found.
type tried struct {
	Checks       []line   `json:"checks"`
	Reasoning    []string `json:"reasoning_fields"`
	Replay       string   `json:"reasoning_replay"`
	Usage        string   `json:"usage"`
	Cache        []string `json:"cache_fields"`
	Refused      []string `json:"refused_parameters"`
	Parallel     bool     `json:"parallel_calls"`
	Window       int      `json:"context_window"` // as its list says; 0 when it does not
	Differs      []string `json:"differs_from_profile"`
	Requests     int      `json:"requests"`
	InputTokens  int      `json:"input_tokens"`
	OutputTokens int      `json:"output_tokens"`
	Cost         *float64 `json:"cost"`
	Currency     string   `json:"currency,omitempty"`
}

// try asks the endpoint and adds what it said to r.
func (c *checker) try(ctx context.Context, r *checked, m config.Model, key string) error {
	rate := rateOf(m)
	c.announce(m, rate)
	w := wire.World{Home: c.app.Home, Version: c.app.Version, Environ: c.app.Environ, Now: c.app.Now}
	r.Online = &tried{Checks: []line{}}
	result, err := trial.Run(ctx, trial.Subject{
		Profile: r.Profile.providerSays, Model: m.Name, Transport: c.reach,
		Open: func(client *http.Client) (provider.Provider, error) {
			w.HTTP = client
			return w.Provider(c.cfg, m, key)
		},
		Progress: func(k trial.Check) {
			l := line{k.Name, string(k.Status), k.Detail}
			r.Online.Checks = append(r.Online.Checks, l)
			c.progress(l)
		},
	})
	if err != nil {
		return err
	}
	r.Online.fill(result, rate)
	r.Online.Differs = differences(r.Profile, result.Found)
	r.Config = append(r.Config, advice(m, result.Found)...)
	r.code = codeOf(result.Failed())
	c.found(*r)
	return nil
}

func codeOf(failed error) int {
	var f *provider.Failure
	switch {
	case failed == nil:
		return cmdutil.CodeOK
	case errors.As(failed, &f) && f.Kind == provider.KindAuth:
		return cmdutil.CodeConfig
	}
	return cmdutil.CodeProvider
}

func (t *tried) fill(r trial.Result, rate *provider.Price) {
	f := r.Found
	t.Reasoning, t.Replay, t.Usage, t.Cache = some(f.Reasoning), f.Replay, f.Usage, some(f.Cache)
	t.Refused, t.Parallel, t.Window = some(f.Refused), f.Parallel, f.Window
	t.Requests, t.InputTokens, t.OutputTokens = r.Requests, r.Usage.Prompt(), r.Usage.Output
	if rate != nil {
		cost := rate.Cost(r.Usage)
		t.Cost, t.Currency = &cost, rate.Currency
	}
}

func rateOf(m config.Model) *provider.Price {
	if m.Price == nil {
		return nil
	}
	p := m.Price
	return &provider.Price{Input: p.Input, Output: p.Output, CacheHit: p.CacheHit, Currency: p.Currency}
}

// dearest is what a trial may cost at most, about.
func dearest(rate *provider.Price) float64 {
	return rate.Cost(message.Usage{Input: trial.MaxRequests * trial.MaxInput, Output: trial.MaxRequests * trial.MaxOutput})
}

// differences says where the endpoint is not as its vendor's profile says. The
// generic profile says nothing that could be wrong.
func differences(p *profile, f trial.Found) []string {
	out := []string{}
	if p.Name == provider.Generic().Name {
		return out
	}
	if f.Usage != "" && !strings.HasPrefix(p.Usage, f.Usage) {
		out = append(out, fmt.Sprintf("the token counts are in: %s; expected: %s", f.Usage, p.Usage))
	}
	for _, field := range f.Cache {
		if !slices.Contains(p.Cache, field) {
			out = append(out, "cache hits are counted in "+field)
		}
	}
	for _, field := range f.Reasoning {
		if !slices.Contains(p.Reasoning, field) {
			out = append(out, "reasoning comes in "+field)
		}
	}
	if f.Replay == "refused" || f.Replay == "missed" {
		out = append(out, "reasoning that is sent back: "+f.Replay+"; expected: "+p.Replay)
	}
	for _, name := range f.Refused {
		out = append(out, name+" is refused")
	}
	if f.Renamed != "" {
		out = append(out, "the output limit is called "+f.Renamed)
	}
	return out
}

// advice is what to set in the block of m's provider.
func advice(m config.Model, f trial.Found) []string {
	var out []string
	if f.Window > 0 && m.ContextWindow == 0 {
		out = append(out, fmt.Sprintf("context_window = %d", f.Window))
	}
	switch {
	case f.Replay == "refused":
		out = append(out, `reasoning_protocol = "openai"`)
	case f.Replay == "missed" && slices.Contains(f.Reasoning, "reasoning_content"):
		out = append(out, `reasoning_protocol = "deepseek"`)
	}
	return out
}
