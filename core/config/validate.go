package config

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// validate checks the rules that hold between keys and names every key in them.
func (c *Config) validate() []error {
	var errs []error
	rule := func(ok bool, want string, keys ...string) {
		if !ok {
			errs = append(errs, c.broken(want, keys))
		}
	}
	a := c.Agent
	rule(a.ToolResultSnipRatio > 0, "want more than 0", "agent.tool_result_snip_ratio")
	rule(a.CompactSoftRatio > 0, "want more than 0", "agent.compact_soft_ratio")
	rule(a.CompactSoftRatio <= a.ToolResultSnipRatio || c.Origin("agent.compact_soft_ratio").Layer == LayerDefault, "want the first no larger than the second", "agent.compact_soft_ratio", "agent.tool_result_snip_ratio")
	rule(a.ToolResultSnipRatio < a.CompactRatio, "want the first below the second", "agent.tool_result_snip_ratio", "agent.compact_ratio")
	rule(a.CompactRatio < a.CompactForceRatio, "want the first below the second", "agent.compact_ratio", "agent.compact_force_ratio")
	rule(a.MaxParallelWriters <= a.MaxSubagentConcurrency, "want the first no larger than the second", "agent.max_parallel_writers", "agent.max_subagent_concurrency")
	for i := range c.Providers {
		errs = append(errs, c.checkProvider(&c.Providers[i])...)
	}
	errs = append(errs, c.checkHooks()...)
	return errs
}

// broken is the error of a rule, placed where the strongest layer sets one of
// its keys, because that is the one to change.
func (c *Config) broken(want string, keys []string) *Error {
	var said []string
	var where Origin
	for _, key := range keys {
		o := c.Origin(key)
		said = append(said, fmt.Sprintf("%s = %v (%s)", key, o.Value, o))
		if where.Layer == "" || slices.Index(strength, o.Layer) < slices.Index(strength, where.Layer) {
			where = o
		}
	}
	return &Error{File: orElse(where.Name, string(where.Layer)), Line: where.Line, Column: where.Column, Key: strings.Join(keys, ", "), Text: strings.Join(said, ", "), Want: want}
}

func (c *Config) checkProvider(p *Provider) []error {
	var errs []error
	key := func(field string) string { return JoinPath([]string{"providers", p.Name, field}) }
	for field, text := range map[string]string{"base_url": p.BaseURL, "chat_url": p.ChatURL, "models_url": p.ModelsURL} {
		if u, err := url.Parse(text); text != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
			errs = append(errs, c.broken("want a URL that starts with http:// or https://", []string{key(field)}))
		}
	}
	if models := p.models(); p.Default != "" && len(models) > 0 && !slices.Contains(models, p.Default) {
		errs = append(errs, c.broken("want one of the provider's models: "+strings.Join(models, ", "), []string{key("default")}))
	}
	if p.APIKeyEnv != nil && *p.APIKeyEnv != "" && !variableName(*p.APIKeyEnv) {
		e := c.broken("want the name of a variable, not a key: store the key with `reasonix setup key NAME`", []string{key("api_key_env")})
		e.Text = "" // somebody may have written the key itself here
		errs = append(errs, e)
	}
	return append(errs, c.checkEfforts(p)...)
}

func (c *Config) checkEfforts(p *Provider) []error {
	var errs []error
	check := func(path []string, efforts []string, chosen string) {
		if chosen != "" && len(efforts) > 0 && !slices.Contains(efforts, chosen) {
			errs = append(errs, c.broken("want one of "+strings.Join(efforts, ", "), []string{JoinPath(path)}))
		}
	}
	at := []string{"providers", p.Name}
	check(append(slices.Clone(at), "effort"), p.SupportedEfforts, p.Effort)
	check(append(slices.Clone(at), "default_effort"), p.SupportedEfforts, p.DefaultEffort)
	for model, o := range p.ModelOverrides {
		efforts := o.SupportedEfforts
		if len(efforts) == 0 {
			efforts = p.SupportedEfforts
		}
		path := append(slices.Clone(at), "model_overrides", model)
		check(append(slices.Clone(path), "effort"), efforts, o.Effort)
		check(append(slices.Clone(path), "default_effort"), efforts, o.DefaultEffort)
	}
	return errs
}

// markTrust marks the providers that must not be used, and the servers and hooks
// that a project's file has a hand in.
func (c *Config) markTrust(l *loader) {
	project := l.layers[1]
	for _, name := range project.untrusted {
		if p := c.provider(name); p != nil {
			p.Untrusted = true
		}
	}
	providers, _ := project.values["providers"].([]any)
	ours := ownProviders(l.layers[0].values)
	for i := range c.Providers {
		p := &c.Providers[i]
		p.FromProject = indexOf(providers, p.Name) >= 0 && indexOf(ours, p.Name) < 0
	}
	servers, _ := project.values["plugins"].([]any)
	for i := range c.Plugins {
		p := &c.Plugins[i]
		p.FromProject = indexOf(servers, p.Name) >= 0 || c.jsonLines[p.Name] > 0
		if p.FromProject { // also where the user's own block of that name says otherwise
			p.Sandbox, p.Sampling = true, false
		}
	}
	hooks, _ := project.values["hooks"].([]any)
	for i := range c.Hooks {
		c.Hooks[i].FromProject = indexOf(hooks, c.Hooks[i].Name) >= 0
	}
}

// tellParts lists the parts of the project's files, and warns once of those that
// do not count.
func (c *Config) tellParts(l *loader) {
	c.Granted, c.Ungranted = l.granted, l.ungranted
	for _, parts := range [][]Part{c.Granted, c.Ungranted} {
		slices.SortStableFunc(parts, func(a, b Part) int {
			return cmp.Or(strings.Compare(b.File, a.File), a.Line-b.Line, a.Column-b.Column)
		})
	}
	if len(c.Ungranted) > 0 {
		c.Warnings = append(c.Warnings, offWarning(c.Ungranted))
	}
}

// inspect warns of what would only fail when it is used.
func (c *Config) inspect() {
	for i := range c.Providers {
		p := &c.Providers[i]
		if err := c.complete(p); err != nil {
			o := c.Origin(JoinPath([]string{"providers", p.Name, "name"}))
			c.Warnings = append(c.Warnings, Warning{Code: WarnIncomplete, File: o.Name, Line: o.Line, Column: o.Column, Keys: []string{"providers." + quoteKey(p.Name)}, Text: err.Error()})
		}
	}
	o := c.Origin("default_model")
	if _, err := c.ResolveModel(c.DefaultModel); err != nil && len(c.Providers) > 0 {
		c.Warnings = append(c.Warnings, Warning{Code: WarnUnknownModel, File: orElse(o.Name, "default"), Line: o.Line, Column: o.Column, Keys: []string{"default_model"}, Text: "default_model: " + err.Error()})
	}
}
