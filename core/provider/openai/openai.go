// Package openai speaks to OpenAI-compatible /chat/completions endpoints: the
// provider kind "openai". Vendors are configuration; what they send differently in
// spite of the name is understood here whoever sends it, and what they want sent
// differently is in the table of provider.Profiles.
//
// A request is a head, the conversation as the agent keeps it encoded, and a
// tail; most stable first, and the conversation is never copied. A reply is read
// by a hand-written parser that allocates for the text it keeps and little else:
// sse finds the events, delta.go reads one, calls.go, think.go and reasoning.go
// put together what comes in pieces, reply.go decides how it ended. A stream
// that was cut is never a success, and calls are given out only by one that was
// not. The package refuses to decide about retries; it says what a Failure is
// worth, and the agent decides.
//
// The engine's composition root imports it for its registration.
package openai

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"reasonix/core/provider"
)

func init() {
	provider.Register("openai", func(cfg provider.Config) (provider.Provider, error) { return New(cfg) })
}

// Provider is one endpoint with one model. It is safe for concurrent use.
type Provider struct {
	name, model string
	baseURL     *url.URL // nil with chat_url alone
	chatURL     *url.URL
	modelsURL   *url.URL // nil when nothing says where it is
	key         string   // in habits
	header      http.Header
	secrets     []string
	profile     provider.Profile
	proto       protocol
	static      []param
	maxTokens   int
	vision      bool
	blob        func(hash string) ([]byte, error)
	limits      limits
	client      *http.Client
}

// New checks cfg and returns its provider. It sends nothing. Everything in
// cfg.Options is understood; cfg.Extra is not used.
func New(cfg provider.Config) (*Provider, error) {
	p := &Provider{
		name:      cfg.Name,
		model:     cfg.Model,
		maxTokens: cfg.Options.MaxOutputTokens,
		vision:    cfg.Options.Vision,
		blob:      cfg.Blob,
		limits:    limitsOf(cfg.Options),
		client:    clientFor(cfg.HTTP),
	}
	if err := p.configure(cfg); err != nil {
		return nil, fmt.Errorf("provider %s: %w", cfg.Name, err)
	}
	return p, nil
}

func (p *Provider) configure(cfg provider.Config) error {
	if cfg.Model == "" {
		return errors.New("no model")
	}
	if err := p.setURLs(cfg); err != nil {
		return err
	}
	if err := p.setHeader(cfg); err != nil {
		return err
	}
	p.profile = provider.ProfileOf(p.chatURL)
	var err error
	if p.proto, err = protocolOf(cfg.Options.ReasoningProtocol, p.profile); err != nil {
		return err
	}
	if p.static, err = staticParams(cfg.Options, p.proto, p.profile.Drop); err != nil {
		return err
	}
	p.key = strings.Join([]string{p.name, p.chatURL.String(), p.model}, "\n")
	return nil
}

// Name is the instance's name.
func (p *Provider) Name() string { return p.name }

const (
	chatPath   = "/chat/completions"
	modelsPath = "/models"
)

func (p *Provider) setURLs(cfg provider.Config) error {
	base, chat, models := cfg.BaseURL, cfg.Options.ChatURL, cfg.Options.ModelsURL
	if base == "" && chat == "" {
		return errors.New("no base_url")
	}
	var err error
	if base != "" {
		if p.baseURL, err = endpoint(base); err != nil {
			return err
		}
		p.chatURL, p.modelsURL = under(p.baseURL, chatPath), under(p.baseURL, modelsPath)
	}
	if chat != "" {
		if p.chatURL, err = endpoint(chat); err != nil {
			return err
		}
	}
	if before, ok := strings.CutSuffix(p.chatURL.Path, chatPath); ok && base == "" {
		u := *p.chatURL
		u.Path, u.RawPath = before, ""
		p.modelsURL = under(&u, modelsPath)
	}
	if models != "" {
		p.modelsURL, err = endpoint(models)
	}
	return err
}

func endpoint(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is not an http or https URL", beforeQuery(s))
	}
	return u, nil
}

// under is base with path behind its own. A query stays: gateways have versions
// there.
func under(base *url.URL, path string) *url.URL {
	u := *base
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/")+path, ""
	return &u
}

func beforeQuery(s string) string {
	s, _, _ = strings.Cut(s, "?")
	return s
}

func (p *Provider) setHeader(cfg provider.Config) error {
	p.header = http.Header{
		"Content-Type": {"application/json"},
		"Accept":       {"text/event-stream"},
		"User-Agent":   {"reasonix"},
	}
	if cfg.APIKey != "" {
		if strings.ContainsFunc(cfg.APIKey, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
			return errors.New("the API key has a blank or a line end in it")
		}
		p.header.Set("Authorization", "Bearer "+cfg.APIKey)
		if len(cfg.APIKey) >= shortestKey {
			p.secrets = append(p.secrets, cfg.APIKey)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Options.Headers)) {
		value := cfg.Options.Headers[name]
		if name == "" || strings.ContainsAny(name, " \r\n:") || strings.ContainsAny(value, "\r\n") {
			return fmt.Errorf("header %q is not one", name)
		}
		p.header.Set(name, value)
		if len(value) >= shortestSecret {
			p.secrets = append(p.secrets, value)
		}
	}
	p.secrets = append(p.secrets, urlSecrets(p.chatURL)...)
	// The longest first, so that no part of one is left.
	slices.SortFunc(p.secrets, func(a, b string) int { return len(b) - len(a) })
	return nil
}

// shortestKey is the length below which a key is none worth hiding, such as the "x" of
// an endpoint that wants any: it would take letters out of every word.
const shortestKey = 4

// shortestSecret keeps header values such as "true" out of what is redacted.
const shortestSecret = 8

func urlSecrets(u *url.URL) []string {
	var out []string
	if password, ok := u.User.Password(); ok && len(password) >= shortestSecret {
		out = append(out, password)
	}
	for _, values := range u.Query() {
		for _, v := range values {
			if len(v) >= shortestSecret {
				out = append(out, v)
			}
		}
	}
	return out
}

// versioned finds the version in a path such as /v1 or /api/paas/v4.
var versioned = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/v\d+[a-z0-9]*(/|$)`) })

// unversioned is base_url with the version it may lack, or nothing.
func (p *Provider) unversioned() string {
	if p.baseURL == nil || p.chatURL.Path != under(p.baseURL, chatPath).Path || versioned().MatchString(p.chatURL.Path) {
		return ""
	}
	return safeURL(under(p.baseURL, "/v1"))
}

// transport is the one every instance shares, so that connections outlive a
// session and a planner on the same host is not greeted anew.
var transport = sync.OnceValue(func() http.RoundTripper {
	base, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	t := base.Clone()
	t.DialContext = (&net.Dialer{}).DialContext // a watch limits it
	t.TLSHandshakeTimeout = 0
	t.MaxIdleConnsPerHost = 16
	t.ReadBufferSize = 32 << 10
	t.WriteBufferSize = 64 << 10
	return t
})

// clientFor is given without a time limit of its own: a stream may take as long
// as it speaks.
func clientFor(given *http.Client) *http.Client {
	c := http.Client{Transport: transport()}
	if given != nil {
		c = *given
	}
	c.Timeout = 0
	c.CheckRedirect = sameHost
	return &c
}

// sameHost follows redirects that keep host, scheme and method. Any other would
// carry the conversation to a place nobody configured, or lose it.
func sameHost(req *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > 3 || req.Method != first.Method || req.URL.Host != first.URL.Host || req.URL.Scheme != first.URL.Scheme {
		return http.ErrUseLastResponse
	}
	return nil
}

// withCause is ctx's error, with the reason it was given.
func withCause(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == nil || errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}
