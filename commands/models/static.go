package models

import (
	"fmt"
	"net/url"
	"path/filepath"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
	"reasonix/core/provider"
)

// profile is a provider.Profile for a script.
type profile struct {
	Name         string   `json:"name"`
	Display      string   `json:"display"`
	Protocol     string   `json:"reasoning_protocol"` // that is in use
	Reasoning    []string `json:"reasoning_fields"`
	Replay       string   `json:"reasoning_replay"`
	Limit        string   `json:"output_limit_name"`
	Dropped      []string `json:"not_sent"`
	CallIDs      string   `json:"call_ids"`
	Usage        string   `json:"usage"`
	Cache        []string `json:"cache_fields"`
	Quirks       []string `json:"quirks"`
	endpoint     *url.URL
	byUser       bool // reasoning_protocol is set, so Reasoning and Replay are not the profile's
	providerSays provider.Profile
}

// profileOf is what is known of p's endpoint, nil when it has none.
func profileOf(p *config.Provider) *profile {
	address := p.ChatURL
	if address == "" {
		address = p.BaseURL
	}
	u, err := url.Parse(address)
	if p.Kind != "openai" || err != nil || u.Host == "" {
		return nil
	}
	known := provider.ProfileOf(u)
	d := &profile{
		Name: known.Name, Display: known.Display, Protocol: known.Protocol, Reasoning: some(known.Reasoning), Replay: string(known.Replay),
		Limit: known.LimitName, Dropped: some(known.Drop), CallIDs: string(known.CallIDs), Usage: known.Usage,
		Cache: some(known.Cache), Quirks: some(known.Quirks), endpoint: u, providerSays: known,
	}
	if set := p.ReasoningProtocol; set != "" && set != "auto" {
		d.Protocol, d.byUser = set, set != known.Protocol
	}
	return d
}

// some is list, or an empty one for a script.
func some(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// static checks what the configuration says, and returns the key. unresolved says
// why t names no usable model.
func (c *checker) static(r *checked, t target, m config.Model, unresolved error) (key string) {
	if unresolved != nil {
		c.add(r, "model", statusFailed, unresolved.Error())
		r.code = cmdutil.CodeConfig
		return ""
	}
	c.add(r, "model", statusOK, m.Ref)
	c.checkURL(r, t.p)
	key, err := c.cfg.Key(t.p)
	switch {
	case err == nil && key == "":
		c.add(r, "key", statusOK, "none needed")
	case err == nil:
		c.add(r, "key", statusOK, filepath.ToSlash(c.cfg.KeySource(t.p)))
	case t.wanted:
		c.add(r, "key", statusFailed, err.Error())
		r.code = cmdutil.CodeConfig
	default:
		c.add(r, "key", statusNote, err.Error())
	}
	if m.ContextWindow > 0 {
		c.add(r, "window", statusOK, fmt.Sprintf("%d tokens", m.ContextWindow))
	} else {
		c.add(r, "window", statusNote, "context_window is not set: nobody knows how full the context is")
	}
	if p := m.Price; p != nil {
		c.add(r, "price", statusOK, model{Price: &price{CacheHit: p.CacheHit, Input: p.Input, Output: p.Output, Currency: p.Currency}}.price())
	} else {
		c.add(r, "price", statusNote, "not set: receipts have no cost, and --max-cost is refused")
	}
	return key
}

func (c *checker) checkURL(r *checked, p *config.Provider) {
	switch known := r.Profile; {
	case p.Kind == "demo":
		c.add(r, "url", statusOK, "the demo model is built in")
	case known == nil:
		c.add(r, "url", statusFailed, "base_url is no http or https URL")
		r.code = cmdutil.CodeConfig
	case known.endpoint.Scheme == "http" && !onThisMachine(known.endpoint) && p.APIKeyEnv != nil && *p.APIKeyEnv != "":
		c.add(r, "url", statusNote, safeURL(known.endpoint)+": without TLS the key can be read on the way")
	default:
		c.add(r, "url", statusOK, safeURL(known.endpoint))
	}
}

func onThisMachine(u *url.URL) bool {
	host := u.Hostname()
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

// safeURL is u without user and query, where secrets are.
func safeURL(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
