package config

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/viper"
)

var errFileOnly = errors.New("want it in the user's own config.toml: no flag sets it")

// delimiter never occurs in a key, so that Viper sees every key as one flat name.
const delimiter = "::"

// resolve lays the layers over each other and decodes the result.
func (l *loader) resolve() (*Config, error) {
	c := &Config{
		UserFile: userFile(l.in), ProjectFile: projectFile(l.in), EnvFile: envFile(l.in),
		workspace: l.in.Workspace, environ: l.environ, project: l.project, jsonLines: map[string]int{},
		origins: map[string][]Origin{}, names: map[string][]string{},
		Warnings: slices.Clone(l.in.Warnings),
	}
	merged := map[string]any{}
	own, _ := l.layers[0].values["providers"].([]any)
	if c.presetHidden = len(own) > 0; !c.presetHidden {
		merged["providers"] = []any{preset()}
		c.notePreset()
	}
	for _, share := range l.layers {
		merge(merged, share.values)
		c.Warnings = append(c.Warnings, share.warnings...)
		for path, o := range share.origins {
			c.origins[path] = slices.Insert(c.origins[path], 0, o)
			c.names[path] = share.names[path]
		}
	}
	c.addServers(merged, l.json)
	l.decide(merged)
	c.accumulate(merged)
	if err := decode(merged, c); err != nil {
		return nil, fmt.Errorf("decode configuration: %w", err)
	}
	c.fillIn(l.environ)
	return c, nil
}

// addServers adds those of .mcp.json, and gives all of them what is true unless it
// is said.
func (c *Config) addServers(merged map[string]any, json []server) {
	list, _ := merged["plugins"].([]any)
	for _, e := range json {
		list = append(list, clone(e.block))
		c.jsonLines[e.name] = e.line
	}
	for _, v := range list {
		m := v.(map[string]any)
		for _, field := range []string{"enabled", "sandbox"} {
			if _, said := m[field]; !said {
				m[field] = true
			}
		}
	}
	if len(list) > 0 {
		merged["plugins"] = list
	}
}

// decide lets Viper pick the value of every fixed key. Tables whose names are
// the user's stay out of it, because Viper folds the case of names.
func (l *loader) decide(merged map[string]any) {
	v := viper.NewWithOptions(viper.KeyDelimiter(delimiter))
	for _, k := range fixedKeys() {
		if k.Default != nil {
			v.SetDefault(k.Path, k.Default)
		}
	}
	for i, share := range l.layers {
		flat := map[string]any{}
		for _, k := range fixedKeys() {
			if value, ok := at(share.values, strings.Split(k.Path, ".")); ok {
				flat[k.Path] = value
			}
		}
		if l.kinds[i] != LayerFlag {
			_ = v.MergeConfigMap(flat) // its error is always nil
			continue
		}
		for path, value := range flat {
			v.Set(path, value)
		}
	}
	for _, k := range fixedKeys() {
		if value := v.Get(k.Path); value != nil {
			put(merged, strings.Split(k.Path, "."), value)
		}
	}
}

// fixedKeys are the keys without a name of the user's in path or value.
func fixedKeys() []Key {
	var keys []Key
	for _, k := range Keys() {
		if !strings.Contains(k.Path, "<") && !k.Kind.isTable() {
			keys = append(keys, k)
		}
	}
	return keys
}

// accumulate puts in the lists to which every layer adds.
func (c *Config) accumulate(merged map[string]any) {
	for _, k := range fixedKeys() {
		if !k.Accumulate {
			continue
		}
		if list := accumulated(c.Origins(k.Path)); list != nil {
			put(merged, strings.Split(k.Path, "."), list)
		}
	}
}

func decode(merged map[string]any, c *Config) error {
	text, err := toml.Marshal(merged)
	if err != nil {
		return err
	}
	return toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(c)
}

// notePreset gives the preset's keys an origin, so that they can be explained.
func (c *Config) notePreset() {
	p := preset()
	var note func(path []string, v any)
	note = func(path []string, v any) {
		if m, ok := v.(map[string]any); ok {
			for name, e := range m {
				note(append(slices.Clone(path), name), e)
			}
			return
		}
		name := JoinPath(path)
		c.origins[name] = []Origin{{Layer: LayerDefault, Name: "built-in provider", Value: v}}
		c.names[name] = path
	}
	note([]string{"providers", p["name"].(string)}, p)
}

// fillIn gives what is still empty the values that depend on the rest.
func (c *Config) fillIn(environ map[string]string) {
	c.fillLanguage(environ)
	for i := range c.Providers {
		p := &c.Providers[i]
		p.Kind = orElse(p.Kind, "openai")
		p.ReasoningProtocol = orElse(p.ReasoningProtocol, "auto")
		if p.Price != nil {
			p.Price.Currency = orElse(p.Price.Currency, "USD")
		}
		for model, price := range p.Prices {
			price.Currency = orElse(price.Currency, "USD")
			p.Prices[model] = price
		}
	}
	for i := range c.Plugins {
		p := &c.Plugins[i]
		switch {
		case p.Type == "streamable-http", p.Type == "" && p.Command == "" && p.URL != "":
			p.Type = "http"
		case p.Type == "":
			p.Type = "stdio"
		}
		p.ApprovalsReviewer = orElse(p.ApprovalsReviewer, "user")
	}
	_, set := c.origins["default_model"]
	if !set && c.presetHidden && c.provider(c.DefaultModel) == nil && len(c.Providers) > 0 {
		c.DefaultModel = c.Providers[0].Name
		c.origins["default_model"] = []Origin{{Layer: LayerDefault, Name: "the first provider", Value: c.DefaultModel}}
	}
}

// fillLanguage asks REASONIX_LANG, then LANG, when no layer sets a language.
func (c *Config) fillLanguage(environ map[string]string) {
	if c.Language != "" {
		return
	}
	for _, name := range []string{"REASONIX_LANG", "LANG"} {
		if tag := languageTag(environ[name]); tag != "" {
			c.Language = tag
			c.origins["language"] = []Origin{{Layer: LayerDefault, Name: "from $" + name, Value: tag}}
			return
		}
	}
}

// languageTag turns a locale, zh_CN.UTF-8, into a tag, zh-CN.
func languageTag(locale string) string {
	locale, _, _ = strings.Cut(locale, ".")
	locale, _, _ = strings.Cut(locale, "@")
	if locale == "C" || locale == "POSIX" {
		return ""
	}
	return strings.ReplaceAll(locale, "_", "-")
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func (c *Config) provider(name string) *Provider {
	for i := range c.Providers {
		if c.Providers[i].Name == name {
			return &c.Providers[i]
		}
	}
	return nil
}
