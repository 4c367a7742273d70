package config

import (
	"fmt"
	"slices"
	"strings"
)

// Model is one model with its settings resolved. Provider is shared with the
// Config: do not modify it.
type Model struct {
	Provider *Provider
	Name     string
	Ref      string // provider/model
	Default  bool   // what default_model stands for

	ContextWindow     int // tokens, 0: unknown, no compaction
	MaxOutputTokens   int // 0: not sent
	Price             *Price
	Efforts           []string // that can be chosen; empty: none
	DefaultEffort     string
	Effort            string // the one to use; "": not sent
	ReasoningProtocol string
	Vision            bool
}

// UnknownModelError says that no model is meant by Ref, or that several are.
type UnknownModelError struct {
	Ref       string
	Ambiguous bool
	Near      string   // the most similar ref; may be empty
	Refs      []string // all candidates, or all models
	Why       string   // more to say; may be empty
}

func (e *UnknownModelError) Error() string {
	list := strings.Join(e.Refs, ", ")
	if e.Ambiguous {
		return fmt.Sprintf("model %q is offered by several providers: say which of %s", e.Ref, list)
	}
	text := fmt.Sprintf("unknown model %q", e.Ref)
	if e.Near != "" {
		text += fmt.Sprintf(" (did you mean %s?)", e.Near)
	}
	if e.Why != "" {
		text += ": " + e.Why
	}
	if list == "" {
		return text + "; no models are configured: run `reasonix setup`"
	}
	return text + "; available: " + list
}

// ExitCode is that of configuration.
func (*UnknownModelError) ExitCode() int { return exitConfig }

// IncompleteError says what a provider needs before it can be used.
type IncompleteError struct{ Provider, Missing string }

func (e *IncompleteError) Error() string {
	return fmt.Sprintf("provider %s is incomplete: add %s", e.Provider, e.Missing)
}

// ExitCode is that of configuration.
func (*IncompleteError) ExitCode() int { return exitConfig }

// ResolveModel finds the model ref means: provider/model where the provider
// exists, then a provider's name, then a bare model name. A model's name may
// hold slashes. The empty ref is the default model, and demo the built-in demo
// model. Errors are *UnknownModelError and *IncompleteError.
func (c *Config) ResolveModel(ref string) (Model, error) {
	if ref == "" {
		ref = c.DefaultModel
	}
	if c.isDemo(ref) {
		return c.demo(), nil
	}
	switch found, name := c.meant(ref); len(found) {
	case 0:
		return Model{}, c.unknownModel(ref)
	case 1:
		return c.model(found[0], name)
	default:
		e := &UnknownModelError{Ref: ref, Ambiguous: true}
		for _, p := range found {
			e.Refs = append(e.Refs, p.Name+"/"+ref)
		}
		return Model{}, e
	}
}

// meant lists the providers that ref can mean, and the name of the model: more than
// one only for a bare name. What the user's own providers have a name for means that, or a
// project could have the user's words mean its own.
func (c *Config) meant(ref string) ([]*Provider, string) {
	if found, name := c.own().named(ref); len(found) > 0 {
		for i := range found {
			found[i] = c.provider(found[i].Name)
		}
		return found, name
	}
	return c.named(ref)
}

// own is c with the user's own providers alone.
func (c *Config) own() *Config {
	return &Config{Providers: slices.DeleteFunc(slices.Clone(c.Providers), func(p Provider) bool { return p.FromProject })}
}

// named is meant among all providers alike.
func (c *Config) named(ref string) ([]*Provider, string) {
	if name, model, ok := strings.Cut(ref, "/"); ok {
		if p := c.provider(name); p != nil && slices.Contains(p.models(), model) {
			return []*Provider{p}, model
		}
	}
	if p := c.provider(ref); p != nil {
		return []*Provider{p}, p.defaultModel()
	}
	return c.offering(ref), ref
}

// offering lists the providers that offer a model of that name.
func (c *Config) offering(model string) []*Provider {
	var found []*Provider
	for i := range c.Providers {
		if slices.Contains(c.Providers[i].models(), model) {
			found = append(found, &c.Providers[i])
		}
	}
	return found
}

func (c *Config) unknownModel(ref string) error {
	e := &UnknownModelError{Ref: ref}
	var names []string
	for i := range c.Providers {
		p := &c.Providers[i]
		names = append(names, p.Name)
		for _, m := range p.models() {
			e.Refs = append(e.Refs, p.Name+"/"+m)
			names = append(names, m, p.Name+"/"+m)
		}
	}
	e.Near = closest(ref, names)
	if c.presetHidden && presetOffers(ref) {
		e.Why = fmt.Sprintf("the built-in provider deepseek is replaced by the [[providers]] of %s (copy its block from reasonix.example.toml to have both)", c.UserFile)
	}
	return e
}

func presetOffers(ref string) bool {
	p := preset()
	name := p["name"].(string)
	bare := strings.TrimPrefix(ref, name+"/")
	return ref == name || slices.Contains(p["models"].([]any), any(bare))
}

// complete says what p lacks.
func (c *Config) complete(p *Provider) error {
	switch {
	case p.defaultModel() == "":
		return &IncompleteError{p.Name, `model = "..." or models = ["...", "..."]`}
	case p.Kind != "demo" && p.BaseURL == "" && p.ChatURL == "":
		return &IncompleteError{p.Name, `base_url = "https://..."`}
	case p.Kind != "demo" && p.APIKeyEnv == nil:
		return &IncompleteError{p.Name, `api_key_env = "` + keyName(p.Name) + `" (or api_key_env = "" when it wants no key)`}
	default:
		return nil
	}
}

// keyName is the customary variable for a provider's key.
func keyName(provider string) string {
	upper := strings.Map(func(r rune) rune {
		if bareKeyRune(r) && r != '-' {
			return r
		}
		return '_'
	}, strings.ToUpper(provider))
	if upper != "" && upper[0] >= '0' && upper[0] <= '9' {
		upper = "_" + upper
	}
	return upper + "_API_KEY"
}

func (c *Config) model(p *Provider, name string) (Model, error) {
	if err := c.complete(p); err != nil {
		return Model{}, err
	}
	m := resolved(p, name)
	m.Default = c.isDefault(p, name)
	return m, nil
}

// resolved puts a provider's settings and those of one model together.
func resolved(p *Provider, name string) Model {
	o := p.ModelOverrides[name]
	m := Model{
		Provider: p, Name: name, Ref: p.Name + "/" + name,
		ContextWindow:     p.ContextWindow,
		MaxOutputTokens:   p.MaxOutputTokens,
		ReasoningProtocol: orElse(o.ReasoningProtocol, p.ReasoningProtocol),
		Efforts:           p.SupportedEfforts,
		DefaultEffort:     orElse(o.DefaultEffort, p.DefaultEffort),
		Price:             p.Price,
		Vision:            p.Vision || slices.Contains(p.VisionModels, name),
	}
	if o.ContextWindow > 0 {
		m.ContextWindow = o.ContextWindow
	}
	if o.MaxOutputTokens > 0 {
		m.MaxOutputTokens = o.MaxOutputTokens
	}
	if len(o.SupportedEfforts) > 0 {
		m.Efforts = o.SupportedEfforts
		if !slices.Contains(m.Efforts, m.DefaultEffort) {
			m.DefaultEffort = ""
		}
	}
	if o.Vision != nil {
		m.Vision = *o.Vision
	}
	if price, ok := p.Prices[name]; ok {
		m.Price = &price
	}
	m.Effort = orElse(orElse(o.Effort, p.Effort), m.DefaultEffort)
	if len(m.Efforts) > 0 && !slices.Contains(m.Efforts, m.Effort) {
		m.Effort = m.DefaultEffort
	}
	return m
}

func (c *Config) isDefault(p *Provider, name string) bool {
	ref := c.DefaultModel
	if ref == p.Name {
		return name == p.defaultModel()
	}
	return ref == p.Name+"/"+name || ref == name && c.provider(ref) == nil
}

// Models lists every model of every provider, incomplete ones included, in the
// order of the files.
func (c *Config) Models() []Model {
	var all []Model
	for i := range c.Providers {
		p := &c.Providers[i]
		for _, name := range p.models() {
			m := resolved(p, name)
			m.Default = c.isDefault(p, name)
			all = append(all, m)
		}
	}
	return all
}

// WithEffort is m with another reasoning effort. One the model does not list is
// an error with those it does.
func (m Model) WithEffort(effort string) (Model, error) {
	if effort == "" {
		return m, nil
	}
	if !slices.Contains(m.Efforts, effort) {
		if len(m.Efforts) == 0 {
			return m, fmt.Errorf("model %s: no reasoning efforts are configured (supported_efforts)", m.Ref)
		}
		return m, fmt.Errorf("model %s: effort %q: want one of %s", m.Ref, effort, strings.Join(m.Efforts, ", "))
	}
	m.Effort = effort
	return m, nil
}
