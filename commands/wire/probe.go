package wire

import (
	"context"
	"errors"

	"reasonix/core/config"
	"reasonix/core/message"
	"reasonix/core/provider"
)

// Provider makes the provider of m as a session would have it, with World.HTTP as
// its client. It sends nothing.
func (w World) Provider(cfg *config.Config, m config.Model, key string) (provider.Provider, error) {
	return endpoints{cfg: cfg, http: w.HTTP}.provider(m, key)
}

// Probed is what an endpoint said to a probe.
type Probed struct {
	Models []string // the ids it lists, in its order; nil when it lists none
	Chat   bool     // it was asked for one token, because it lists no models
}

// Probe asks m's endpoint the cheapest thing that proves that it is there and
// takes the key: its list of models, which costs nothing, else one token. It
// sends at most two requests and tries none again. The time limit is ctx's. What
// the endpoint or the network did wrong is a *provider.Failure.
func (w World) Probe(ctx context.Context, cfg *config.Config, m config.Model, key string) (Probed, error) {
	models, err := w.ListModels(ctx, cfg, m, key)
	if err == nil && len(models) > 0 || !listless(err) {
		return Probed{Models: models}, err
	}
	return Probed{Chat: true}, w.ProbeChat(ctx, cfg, m, key)
}

// ListModels asks m's endpoint which models it has.
func (w World) ListModels(ctx context.Context, cfg *config.Config, m config.Model, key string) ([]string, error) {
	p, err := w.Provider(cfg, m, key)
	if err != nil {
		return nil, err
	}
	lister, ok := p.(provider.Lister)
	if !ok {
		return nil, errNoList
	}
	return lister.Models(ctx)
}

// errNoList says that a provider cannot list its models.
var errNoList = errors.New("the provider lists no models")

// listless reports whether err says no more than that there is no list, so that
// the endpoint may still answer a chat request.
func listless(err error) bool {
	var f *provider.Failure
	if errors.As(err, &f) {
		return f.Kind == provider.KindRequest
	}
	var broken *ConfigError
	return !errors.As(err, &broken) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}

// ProbeChat asks m for one token.
func (w World) ProbeChat(ctx context.Context, cfg *config.Config, m config.Model, key string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p, err := w.Provider(cfg, m, key)
	if err != nil {
		return err
	}
	chunks, err := p.Stream(ctx, provider.Request{
		Messages:  []message.Message{{Role: message.User, Content: "Say ok."}},
		MaxTokens: 1,
	})
	if err != nil {
		return err
	}
	for c := range chunks {
		if c.Type == provider.ChunkError && !answered(c.Err) {
			err = c.Err
		}
	}
	return err
}

// answered reports whether a failure proves that the endpoint took the request:
// one token of reasoning leaves nothing to show.
func answered(err error) bool {
	var f *provider.Failure
	return errors.As(err, &f) && f.Kind == provider.KindEmptyReply
}
