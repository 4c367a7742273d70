package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"reasonix/core/config"
	"reasonix/core/provider"
)

// connect asks for the key and tries it by asking for the list of models, until
// it works or the user has had enough. It returns what can be chosen from, and
// whether there is nothing left to try.
func (w *wizard) connect(ctx context.Context, e entry) (models []string, tried bool, err error) {
	for {
		if err := w.askKey(ctx, e); err != nil {
			return nil, false, err
		}
		if e.keyEnv != "" && w.key == "" && !w.keyless() {
			w.say("no_key", e.keyEnv)
			return w.offered(), true, nil
		}
		models, failure, err := w.listAt(ctx)
		switch {
		case err != nil:
			return nil, false, err
		case failure == nil && len(models) > 0 && !e.openList:
			w.say("works")
			return models, true, nil
		case failure == nil && len(models) > 0:
			return models, false, nil // the model is asked, once it is chosen
		case failure == nil || noList(failure):
			w.say("no_list")
			return w.offered(), false, nil
		}
		again, err := w.afterFailure(ctx, failure)
		if err != nil || !again {
			return w.offered(), true, err
		}
	}
}

// listAt asks for the models. Where there is no list and the URL of an endpoint of
// the user's own may lack its version, it says so and asks for another one.
// failure is the endpoint's, err the user's wish to stop.
func (w *wizard) listAt(ctx context.Context) (models []string, failure, err error) {
	const keep = "k"
	for {
		w.say("testing", w.endpoint())
		models, failure = w.list(ctx)
		better := versioned(w.provider.BaseURL)
		if w.known != nil || w.provider.DisplayName != "" || better == "" || !noList(failure) {
			return models, failure, nil
		}
		w.say("failed", describe(failure))
		base, err := w.baseURL(ctx, w.text("url_version", better, w.provider.BaseURL), "", keep)
		if err != nil || base == keep {
			return nil, failure, err
		}
		w.provider.BaseURL = cmp.Or(base, better)
	}
}

// versioned is base with the version it lacks; "" when it has one.
func versioned(base string) string {
	u, err := url.Parse(base)
	if err != nil || u.RawQuery != "" {
		return ""
	}
	for part := range strings.SplitSeq(u.Path, "/") {
		if len(part) > 1 && part[0] == 'v' && part[1] >= '0' && part[1] <= '9' {
			return ""
		}
	}
	return base + "/v1"
}

// askKey asks for the key unless the provider wants none.
func (w *wizard) askKey(ctx context.Context, e entry) error {
	w.key, w.store = "", false
	if e.keyEnv == "" {
		return nil
	}
	prompt := w.text("key")
	stored, source := w.storedKey()
	switch {
	case stored != "":
		prompt = w.text("key_keep", slash(source))
	case e.display == "" && w.known == nil:
		prompt = w.text("key_none")
	}
	for {
		key, err := w.console.hidden(ctx, prompt)
		if err != nil {
			return err
		}
		if !oneLine(key) {
			w.say("bad_key")
			continue
		}
		w.useKey(e, key, stored)
		return nil
	}
}

// useKey notes an answer: an empty one means the stored key, or, for an endpoint
// of the user's own, that it wants none.
func (w *wizard) useKey(e entry, key, stored string) {
	w.key, w.store = key, key != ""
	if key == "" {
		w.key = stored
	}
	if e.display == "" && w.known == nil {
		w.provider.APIKeyEnv = new("")
		if w.key != "" {
			w.provider.APIKeyEnv = new(e.keyEnv)
		}
	}
}

// storedKey is the key the provider has, and where.
func (w *wizard) storedKey() (key, source string) {
	p := w.known
	if p == nil {
		p = &w.provider
	}
	key, err := w.cfg.Key(p)
	if err != nil {
		return "", ""
	}
	return key, w.cfg.KeySource(p)
}

// keyless reports whether the endpoint wants no key.
func (w *wizard) keyless() bool { return *w.provider.APIKeyEnv == "" }

// afterFailure says what went wrong and asks what to do; again means to ask for
// the key and try again.
func (w *wizard) afterFailure(ctx context.Context, failure error) (again bool, err error) {
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	w.say(failureText(failure), describe(failure))
	question := "retry_keep_skip"
	if w.key == "" {
		question = "retry_keep"
	}
	for {
		word, err := w.line(ctx, question)
		if err != nil {
			return false, err
		}
		switch strings.ToLower(word) {
		case "r", "":
			return true, nil
		case "k":
			return false, nil
		case "s":
			if w.key == "" {
				continue
			}
			w.store = false
			w.say("no_key", *w.provider.APIKeyEnv)
			return false, nil
		}
	}
}

// failureText is the sentence for a kind of failure.
func failureText(err error) string {
	var f *provider.Failure
	if errors.As(err, &f) && f.Kind == provider.KindAuth {
		return "refused"
	}
	return "failed"
}

// describe is the error with the phase of the request it happened in.
func describe(err error) string {
	var f *provider.Failure
	if errors.As(err, &f) && f.Phase != "" {
		return fmt.Sprintf("%v (%s)", err, strings.ReplaceAll(f.Phase, "_", " "))
	}
	return err.Error()
}

// noList reports whether the endpoint is there and has no list of models.
func noList(err error) bool {
	var f *provider.Failure
	return errors.As(err, &f) && f.Kind == provider.KindRequest
}

// tryModel asks the chosen model for one token, until it works or the user has
// had enough.
func (w *wizard) tryModel(ctx context.Context) error {
	for {
		w.say("testing", w.ref())
		err := w.chat(ctx)
		if err == nil {
			w.say("works")
			return nil
		}
		again, err := w.afterFailure(ctx, err)
		if err != nil || !again {
			return err
		}
		e := entry{name: w.provider.Name, display: w.provider.DisplayName, keyEnv: *w.provider.APIKeyEnv}
		if err := w.askKey(ctx, e); err != nil {
			return err
		}
	}
}

func (w *wizard) list(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	return w.world.ListModels(ctx, w.cfg, w.asked(anyModel), w.key)
}

func (w *wizard) chat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	return w.world.ProbeChat(ctx, w.cfg, w.asked(w.model), w.key)
}

// asked is a model of the chosen provider, as it is configured or as it will be.
func (w *wizard) asked(model string) config.Model {
	p := w.known
	if p == nil {
		p = &w.provider
	}
	return config.Model{Provider: p, Name: model, ReasoningProtocol: p.ReasoningProtocol}
}

// endpoint is where requests go, as the user may see it.
func (w *wizard) endpoint() string {
	if w.known != nil && w.known.BaseURL != "" {
		return w.known.BaseURL
	}
	return w.provider.BaseURL
}

// offered lists the models the configuration knows of the provider.
func (w *wizard) offered() []string {
	if w.known == nil {
		return nil
	}
	return modelsOf(w.known)
}
