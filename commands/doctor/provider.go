package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
	"reasonix/core/doctor"
	"reasonix/core/provider"
)

// providers adds a check of every provider's block and key, and with --online one
// that asks it.
func (x *examination) providers() {
	if !hasProvider(x.cfg) {
		x.configuration("providers", func(context.Context) doctor.Finding {
			return doctor.Finding{Status: doctor.Warn, Detail: "none is configured", Fix: "reasonix setup"}
		})
	}
	for i := range x.cfg.Providers {
		p := &x.cfg.Providers[i]
		x.configuration("provider "+p.Name, func(context.Context) doctor.Finding { return x.provider(p) })
		if x.online {
			x.add("online "+p.Name, func(ctx context.Context) doctor.Finding { return x.probe(ctx, p) })
		}
	}
}

// provider says whether a provider could be asked: its block is complete and its
// key is there. One that is not the default may wait for its key.
func (x *examination) provider(p *config.Provider) doctor.Finding {
	bad := doctor.Warn
	if isDefault(x.cfg, p) {
		bad = doctor.Fail
	}
	m, err := x.cfg.ResolveModel(p.Name)
	if err != nil {
		return doctor.Finding{Status: bad, Detail: about(p, err), Fix: "complete its [[providers]] block"}
	}
	detail := p.Kind
	if p.BaseURL != "" {
		detail += ", " + p.BaseURL
	}
	detail += ", " + m.Name
	var missing *config.MissingKeyError
	_, err = x.cfg.Key(p)
	switch {
	case errors.As(err, &missing):
		return doctor.Finding{Status: bad, Detail: about(p, err), Fix: keyFix(missing)}
	case err != nil:
		return doctor.Finding{Status: bad, Detail: about(p, err), Fix: "reasonix setup"}
	case x.cfg.KeySource(p) == "":
		detail += ", no key needed"
	default:
		detail += ", key " + *p.APIKeyEnv + " from " + slash(x.cfg.KeySource(p))
	}
	return doctor.Finding{Status: doctor.OK, Detail: detail}
}

// about is err without the name of the provider, which the check has already.
func about(p *config.Provider, err error) string {
	return strings.TrimLeft(strings.TrimPrefix(slash(err.Error()), "provider "+p.Name), ": ")
}

func keyFix(e *config.MissingKeyError) string {
	switch {
	case e.Project != "":
		return "see what it asks for and grant it with: reasonix permissions trust"
	case e.Name == "":
		return "name its key in its [[providers]] block"
	}
	return "reasonix setup key " + e.Name
}

// probe asks a provider the cheapest thing there is.
func (x *examination) probe(ctx context.Context, p *config.Provider) doctor.Finding {
	m, err := x.cfg.ResolveModel(p.Name)
	if err != nil {
		return doctor.Finding{Status: doctor.Warn, Detail: "not asked: its block is incomplete"}
	}
	key, err := x.cfg.Key(p)
	if err != nil {
		return doctor.Finding{Status: doctor.Warn, Detail: "not asked: it has no key"}
	}
	start := x.app.Now()
	probed, err := x.world.Probe(ctx, x.cfg, m, key)
	if err != nil {
		return unanswered(err)
	}
	detail := fmt.Sprintf("answers in %d ms, lists %s", x.app.Now().Sub(start).Milliseconds(), cmdutil.Count(len(probed.Models), "model"))
	if probed.Chat {
		detail = fmt.Sprintf("answers in %d ms, lists no models", x.app.Now().Sub(start).Milliseconds())
	}
	return doctor.Finding{Status: doctor.OK, Detail: detail}
}

// unanswered says in which phase and with which status a probe failed.
func unanswered(err error) doctor.Finding {
	f := doctor.Finding{Status: doctor.Fail, Detail: err.Error(), Fix: "look at its base_url, and whether this machine reaches it"}
	var failure *provider.Failure
	if !errors.As(err, &failure) {
		return f
	}
	f.Detail += " (" + strings.ReplaceAll(failure.Phase, "_", " ") + ")"
	switch failure.Kind {
	case provider.KindAuth:
		f.Fix = "store a good key with reasonix setup, or reasonix setup key NAME"
	case provider.KindRateLimit, provider.KindOverloaded:
		f.Fix = "try again later"
	}
	return f
}
