package wire

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"reasonix/core/config"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/provider"
)

// model is a configured model, ready to be asked.
type model struct {
	config.Model
	provider provider.Provider
	price    *provider.Price
}

// endpoints makes models of a configuration ready to be asked. It sends nothing.
type endpoints struct {
	cfg  *config.Config
	http *http.Client                      // nil: the providers' own
	blob func(hash string) ([]byte, error) // bytes of images; nil: there are none
}

// choose resolves what was asked for and refuses, before any request, what
// could not work: an unknown model or effort, a missing key. The effort of a
// resumed session goes on only with its model, and only if that still has it.
func (e endpoints) choose(ref, effort string, before event.Configured) (model, error) {
	chosen, err := e.cfg.ResolveModel(ref)
	if err != nil {
		return model{}, &ConfigError{err}
	}
	key, err := e.cfg.Key(chosen.Provider)
	if err != nil {
		return model{}, &ConfigError{err}
	}
	switch stored := before.Effort; {
	case effort == effortAuto && !slices.Contains(chosen.Efforts, effort): // the model's own, whatever was stored
	case effort != "" && !slices.Contains(chosen.Efforts, effort):
		return model{}, &UsageError{effortError(chosen, effort)}
	case effort != "":
		chosen.Effort = effort
	case chosen.Ref == before.Model && slices.Contains(chosen.Efforts, stored):
		chosen.Effort = stored
	}
	m := model{Model: chosen}
	if p := chosen.Price; p != nil {
		m.price = &provider.Price{Input: p.Input, Output: p.Output, CacheHit: p.CacheHit, Currency: p.Currency}
	}
	m.provider, err = e.provider(chosen, key)
	return m, err
}

// effortAuto stands for the model's own effort where none of them has that name.
const effortAuto = "auto"

func effortError(m config.Model, effort string) error {
	if len(m.Efforts) == 0 {
		return fmt.Errorf("model %s has no reasoning efforts to choose from (supported_efforts of provider %s)", m.Ref, m.Provider.Name)
	}
	return fmt.Errorf("model %s has no reasoning effort %q; it has %s", m.Ref, effort, strings.Join(m.Efforts, ", "))
}

// provider is the provider of m with key.
func (e endpoints) provider(m config.Model, key string) (provider.Provider, error) {
	p := m.Provider
	made, err := provider.New(p.Kind, provider.Config{
		Name: p.Name, BaseURL: p.BaseURL, Model: m.Name, APIKey: key, HTTP: e.http, Blob: e.blob,
		Options: provider.Options{
			ChatURL: p.ChatURL, ModelsURL: p.ModelsURL, Headers: p.Headers, ExtraBody: p.ExtraBody,
			MaxOutputTokens: m.MaxOutputTokens, Temperature: e.cfg.Agent.Temperature,
			ReasoningProtocol: m.ReasoningProtocol, Effort: m.Effort, Vision: m.Vision,
			Connect: seconds(p.ConnectTimeoutSeconds), FirstByte: seconds(p.FirstByteTimeoutSeconds), Idle: seconds(p.IdleTimeoutSeconds),
		},
	})
	if err != nil {
		return nil, &ConfigError{err}
	}
	return made, nil
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// without is the model ref of a session that cannot ask it because of err. One that was
// just named and that nobody knows is a mistake all the same.
func without(cfg *config.Config, ref string, named bool, err error) (model, error) {
	m, unknown := cfg.ResolveModel(ref)
	if unknown != nil && named {
		return model{}, err
	}
	if unknown != nil {
		m = config.Model{Ref: ref, Provider: &config.Provider{}}
	}
	return model{Model: m, provider: unusable{err}}, nil
}

// unusable is the provider of a model that cannot be asked.
type unusable struct{ err error }

func (unusable) Name() string { return "unusable" }

func (u unusable) Encode([]byte, []message.Message) ([]byte, error) { return nil, u.err }

func (u unusable) Stream(context.Context, provider.Request) (<-chan provider.Chunk, error) {
	return nil, u.err
}

// foreignEndpoint says where a conversation goes when a project's file decided it:
// the user did not choose that address.
func foreignEndpoint(cfg *config.Config, m config.Model) []event.Notice {
	for _, key := range []string{"base_url", "chat_url"} {
		if cfg.Origin(config.JoinPath([]string{"providers", m.Provider.Name, key})).Layer != config.LayerProject {
			continue
		}
		url := cmp.Or(m.Provider.ChatURL, m.Provider.BaseURL)
		return []event.Notice{{
			Level: event.LevelWarning, Code: "project_endpoint", Args: []string{m.Ref, url},
			Text: fmt.Sprintf("this project's configuration chose %s at %s: the conversation goes there", m.Ref, url),
		}}
	}
	return nil
}

// checkCost refuses a cost limit that nobody could keep.
func (m model) checkCost(l *event.Limits) error {
	if l.Cost == nil {
		return nil
	}
	if m.price == nil {
		return &UsageError{fmt.Errorf("--max-cost: the price of %s is not known, so its cost cannot be counted; add price or prices to provider %s", m.Ref, m.Provider.Name)}
	}
	cost := *l.Cost
	cost.Currency = m.price.Currency
	l.Cost = &cost
	return nil
}
