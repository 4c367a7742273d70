package setup

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"reasonix/core/config"
)

// custom is the word for an endpoint that is not in the catalogue.
const custom = "custom"

// chooseProvider asks for an entry of the catalogue, a configured provider or a
// custom endpoint, and notes it in the answers.
func (w *wizard) chooseProvider(ctx context.Context) (entry, error) {
	w.addConfigured()
	found := running(ctx, w.world, w.cfg, w.entries)
	names := w.printEntries(found)
	for {
		word, err := w.line(ctx, "provider")
		if err != nil {
			return entry{}, err
		}
		i := pick(word, names)
		switch {
		case i < 0:
			w.say("no_provider", strconv.Quote(word), len(names))
		case i == len(w.entries):
			return w.customEntry(ctx)
		default:
			return w.take(w.entries[i]), nil
		}
	}
}

// take notes the choice of e. What the configuration says about it comes first.
func (w *wizard) take(e entry) entry {
	w.known = w.configured(e.name)
	if w.known != nil && w.known.APIKeyEnv != nil {
		e.keyEnv = *w.known.APIKeyEnv
	}
	w.provider = e.provider()
	return e
}

// addConfigured puts the user's own providers into the list, so that they can be
// given a key or a new default as well.
func (w *wizard) addConfigured() {
	for i := range w.cfg.Providers {
		p := &w.cfg.Providers[i]
		known := slices.ContainsFunc(w.entries, func(e entry) bool { return e.name == p.Name })
		if known || p.Kind != "openai" || p.BaseURL == "" && p.ChatURL == "" {
			continue
		}
		e := entry{name: p.Name, display: p.DisplayName, url: p.BaseURL, keyEnv: keyName(p.Name)}
		if p.APIKeyEnv != nil {
			e.keyEnv = *p.APIKeyEnv
		}
		w.entries = append(w.entries, e)
	}
}

// own reports whether p can be used as it is: the built-in provider and its block
// in a new file are there from the start, without a key.
func (w *wizard) own(p *config.Provider) bool {
	_, err := w.cfg.Key(p)
	return err == nil
}

func (w *wizard) configured(name string) *config.Provider {
	i := slices.IndexFunc(w.cfg.Providers, func(p config.Provider) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return &w.cfg.Providers[i]
}

// printEntries prints the list and returns the names in its order.
func (w *wizard) printEntries(found map[string][]string) []string {
	var names []string
	for i, e := range w.entries {
		var marks []string
		if models, ok := found[e.name]; ok {
			mark := w.text("running", len(models))
			if len(models) == 1 {
				mark = w.text("running_one")
			}
			marks = append(marks, mark)
		}
		if p := w.configured(e.name); p != nil && w.own(p) {
			marks = append(marks, w.text("configured"))
		}
		w.printEntry(i+1, e.name, strings.Join(append([]string{w.label(e)}, marks...), ", "))
		names = append(names, e.name)
	}
	w.printEntry(len(names)+1, custom, w.text("custom"))
	return append(names, custom)
}

// label tells a provider from others: what it is called, or where it is.
func (w *wizard) label(e entry) string {
	label := cmp.Or(e.display, e.url)
	if p := w.configured(e.name); label == "" && p != nil {
		label = p.ChatURL
	}
	return label
}

func (w *wizard) printEntry(number int, name, about string) {
	w.console.say(strings.TrimRight(fmt.Sprintf("%4d  %-12s %s", number, name, about), " "))
}

// pick finds a number from 1 or a name in a list; -1 when it is neither.
func pick(word string, names []string) int {
	if n, err := strconv.Atoi(word); err == nil && n >= 1 && n <= len(names) {
		return n - 1
	}
	return slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, word) })
}

// customEntry asks for what the catalogue knows of others.
func (w *wizard) customEntry(ctx context.Context) (entry, error) {
	base, err := w.baseURL(ctx, w.text("url"))
	if err != nil {
		return entry{}, err
	}
	name, err := w.customName(ctx, w.proposed(base))
	if err != nil {
		return entry{}, err
	}
	e := entry{name: name, url: base, keyEnv: keyName(name)}
	w.provider = e.provider()
	return e, nil
}

// baseURL asks until the answer is a URL that can be asked. It returns "" for one
// of the words.
func (w *wizard) baseURL(ctx context.Context, prompt string, words ...string) (string, error) {
	for {
		text, err := w.console.line(ctx, prompt)
		if err != nil || slices.Contains(words, text) {
			return text, err
		}
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
			w.say("bad_url")
			continue
		}
		return strings.TrimRight(text, "/"), nil
	}
}

// proposed is a name for the provider at base that no other has, from its host:
// the label that tells it from others.
func (w *wizard) proposed(base string) string {
	host := custom
	if u, err := url.Parse(base); err == nil {
		host = hostName(u.Hostname())
	}
	name := host
	for i := 2; ; i++ {
		taken := func(e entry) bool { return strings.EqualFold(e.name, name) }
		if !slices.ContainsFunc(w.entries, taken) && w.configured(name) == nil {
			return name
		}
		name = fmt.Sprintf("%s_%d", host, i)
	}
}

func hostName(host string) string {
	host = strings.ToLower(host)
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return "local"
	} else if ip != nil {
		return strings.Map(func(r rune) rune {
			if notInName(r) {
				return '-'
			}
			return r
		}, host)
	}
	labels := strings.Split(host, ".")
	for _, label := range labels[:max(1, len(labels)-1)] {
		if label != "" && label != "api" && label != "www" && strings.IndexFunc(label, notInName) < 0 {
			return label
		}
	}
	return custom
}

func (w *wizard) customName(ctx context.Context, preset string) (string, error) {
	for {
		name, err := w.line(ctx, "name", preset)
		if name == "" {
			name = preset
		}
		switch {
		case err != nil:
			return "", err
		case strings.IndexFunc(name, notInName) >= 0:
			w.say("bad_name")
		case w.configured(name) != nil:
			w.say("name_taken", name)
		default:
			return name, nil
		}
	}
}

func notInName(r rune) bool {
	return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

// shownModels is how many models are listed at once.
const shownModels = 20

// chooseModel asks for the default model: one of the list, or any name when
// there is no list.
func (w *wizard) chooseModel(ctx context.Context, models []string) error {
	if len(models) == 0 {
		return w.typeModel(ctx)
	}
	preset := models[0]
	if now, err := w.cfg.ResolveModel(w.provider.Name); err == nil && slices.Contains(models, now.Name) {
		preset = now.Name
	}
	w.printModels(models, models)
	for {
		word, err := w.line(ctx, "model", preset)
		if err != nil {
			return err
		}
		if word == "" {
			word = preset
		}
		if i := pick(word, models); i >= 0 {
			w.model = models[i]
			return nil
		}
		part := slices.DeleteFunc(slices.Clone(models), func(m string) bool {
			return !strings.Contains(strings.ToLower(m), strings.ToLower(word))
		})
		if len(part) == 0 {
			w.say("no_model", strconv.Quote(word))
			continue
		}
		w.printModels(part, models)
	}
}

// printModels prints some of all models, with their numbers in the whole list.
func (w *wizard) printModels(some, all []string) {
	for _, m := range some[:min(shownModels, len(some))] {
		w.console.say(fmt.Sprintf("%4d  %s", slices.Index(all, m)+1, m))
	}
	if more := len(some) - shownModels; more > 0 {
		w.say("more", more)
	}
}

func (w *wizard) typeModel(ctx context.Context) error {
	for {
		name, err := w.line(ctx, "model_name")
		if err != nil {
			return err
		}
		if name != "" {
			w.model = name
			return nil
		}
	}
}
