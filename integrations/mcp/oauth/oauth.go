// Package oauth logs in to MCP servers that ask for it: OAuth 2.1 with an
// authorisation code and PKCE, through the SDK's discovery and registration.
//
// What it adds is what an application must bring: a listener on the loopback
// interface that the browser comes back to, tokens in files of mode 0600, one for
// each server and identity, and their refresh, which is safe when several processes
// share a file. It opens no browser itself and never asks a person: without
// Options.Open a login is an error that says what to run. Where Options.Grant says so
// there is no person: the client shows a secret or signs with a key, or has the ID
// token of its user changed for a token. No error holds a token, a code or a secret.
// The client in integrations/mcp is who uses it.
package oauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"reasonix/integrations/mcp"
)

// ErrDenied is in the error of a login that the person, or the server on its own,
// refused.
var ErrDenied = errors.New("access was denied")

// ErrForeign is in the error of a login to which no answer came but one that belongs to
// another login: its state is not the one that was sent.
var ErrForeign = errors.New("the answer belongs to another login")

// Ways to have a token (Options.Grant).
const (
	GrantCode     = "authorization_code"
	GrantClient   = "client_credentials"
	GrantCrossApp = "cross_app_access"
)

// LoginError says that a server wants a login and nobody is there to give one.
type LoginError struct{ Server string }

func (e *LoginError) Error() string {
	return fmt.Sprintf("server %s wants a login: run \"reasonix mcp auth %s\"", e.Server, e.Server)
}

// Options describe one server. The zero value of every other field is sensible.
type Options struct {
	// Server is the configured name.
	Server string
	// Identity stands for what the server is: tokens of one identity are not used
	// for another. It should change with the server's URL.
	Identity string
	// Dir is where tokens are kept; it is made when needed.
	Dir string
	// Grant is how a token is had: GrantCode, GrantClient or GrantCrossApp; empty:
	// GrantCode.
	Grant string
	// Issuer is the only authorization server that a registered client's credentials
	// are shown to; empty: the one that the server names.
	Issuer string
	// ClientID is a client that was registered by hand, or the https URL of a
	// client metadata document. Empty: the client registers itself.
	ClientID     string
	ClientSecret string
	Key          mcp.OAuthKey // instead of ClientSecret; not for GrantCode
	IDP          mcp.OAuthIDP // for GrantCrossApp
	// Scopes are asked for instead of those the server advertises.
	Scopes []string
	// Port is where the browser comes back to on 127.0.0.1; 0: a free one.
	Port int
	// Open shows a URL to the person, in a browser or as text. It must return
	// without waiting for the login. nil: nobody is there.
	Open func(url string) error
	// HTTP is used for everything but the server itself; nil: one with a time-out
	// of 30 seconds a request.
	HTTP *http.Client
	// Patience is how long the browser may take; 0: five minutes.
	Patience time.Duration
	Now      func() time.Time // nil: time.Now
}

// Handler returns what StreamableClientTransport.OAuthHandler takes. Nothing is
// sent, read or listened to before the server asks for it. The handler is safe for
// concurrent use: one login serves all requests that wait for it. Its token source
// returns no token and no error once there is none that the server would take.
func Handler(o Options) (auth.OAuthHandler, error) {
	if o.Server == "" || o.Dir == "" {
		return nil, errors.New("log in: the server's name or the directory of tokens is missing")
	}
	if o.HTTP == nil {
		o.HTTP = &http.Client{Timeout: 30 * time.Second}
	}
	if o.Patience <= 0 {
		o.Patience = 5 * time.Minute
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	h := handler{o: o, store: fileOf(o.Dir, o.Server, o.Identity), turn: make(chan struct{}, 1)}
	switch o.Grant {
	case "", GrantCode:
		return &h, nil
	case GrantClient, GrantCrossApp:
		if o.ClientID == "" {
			return nil, fmt.Errorf("log in: %s wants a registered client", o.Grant)
		}
		return &machine{h}, nil
	}
	return nil, fmt.Errorf("log in: the grant %q is unknown", o.Grant)
}

// handler is one server's login. The file is its only memory, so that a login or
// a logout in another process is noticed.
type handler struct {
	o     Options
	store file
	turn  chan struct{} // held during a login
	// renewed is the token that a 401 made us fetch. Only read and written by
	// whoever holds turn.
	renewed string
}

// saved is the kept login of a person; nil: there is none.
func (h *handler) saved() (*record, error) {
	r, err := h.store.read()
	if r == nil || err != nil || r.Grant != "" {
		return nil, err
	}
	return r, nil
}

// TokenSource implements auth.OAuthHandler.
func (h *handler) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	saved, err := h.saved()
	if saved == nil || err != nil {
		return nil, err
	}
	return source{h, ctx}, nil
}

// Authorize implements auth.OAuthHandler.
func (h *handler) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	case <-ctx.Done():
		drop(resp)
		return context.Cause(ctx)
	}
	if h.another(ctx, req, resp) {
		drop(resp)
		return nil
	}
	if h.o.Open == nil {
		drop(resp)
		return &LoginError{h.o.Server}
	}
	return h.login(ctx, req, resp)
}

// another tells whether the request may simply be sent again: a login that ended
// meanwhile, or a refresh now, brought a token that it did not carry, or the server
// refuses for a reason that no login changes.
func (h *handler) another(ctx context.Context, req *http.Request, resp *http.Response) bool {
	challenges, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	narrow := tooNarrow(challenges)
	if resp.StatusCode == http.StatusForbidden && err == nil && !narrow {
		return true
	}
	saved, err := h.saved()
	if err != nil || saved == nil {
		return false
	}
	carried := strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")
	if carried != saved.AccessToken && !saved.expired(h.o.Now()) {
		return true
	}
	if narrow || saved.RefreshToken == "" || carried == h.renewed {
		return false
	}
	tok, err := h.refresh(ctx, carried, true)
	if err != nil || tok == nil {
		return false
	}
	h.renewed = tok.AccessToken
	return true
}

// login sends the person to the authorisation server and waits for the answer.
func (h *handler) login(ctx context.Context, req *http.Request, resp *http.Response) error {
	ctx, cancel := context.WithTimeout(ctx, h.o.Patience)
	defer cancel()
	back, err := listen(ctx, h.o.Port)
	if err != nil {
		drop(resp)
		return fmt.Errorf("log in to server %s: %w", h.o.Server, err)
	}
	defer back.close()
	flow := &flow{handler: h, back: back}
	if err := flow.authorize(ctx, req, resp); err != nil {
		return h.clean(err)
	}
	return nil
}

func drop(resp *http.Response) {
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	_ = resp.Body.Close()
}

// flow is one login.
type flow struct {
	*handler
	back     *callback
	resource string  // what the token is for
	sent     bool    // the person was sent to the authorization server
	old      *legacy // set where the server is of the old kind
}

func (f *flow) config(resp *http.Response) *auth.AuthorizationCodeHandlerConfig {
	cfg := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL:              f.back.url(),
		AuthorizationCodeFetcher: f.fetch,
		ScopeFilter:              f.scopes(resp),
		RequestRefreshToken:      true,
		Client:                   f.old.client(f.o.HTTP),
		NewTokenSource:           f.keep,
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName:              "reasonix",
			RedirectURIs:            []string{f.back.url()},
			GrantTypes:              []string{"authorization_code", "refresh_token"},
			ResponseTypes:           []string{"code"},
			TokenEndpointAuthMethod: "none",
			Scope:                   strings.Join(f.o.Scopes, " "),
		}},
	}
	switch {
	case isDocument(f.o.ClientID):
		cfg.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: f.o.ClientID}
	case f.o.ClientID != "":
		cfg.PreregisteredClient = &oauthex.ClientCredentials{ClientID: f.o.ClientID, Issuer: f.o.Issuer}
		if f.o.ClientSecret != "" {
			cfg.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: f.o.ClientSecret}
		}
	}
	return cfg
}

// isDocument tells whether a client's name is the address of its metadata.
func isDocument(id string) bool {
	u, err := url.Parse(id)
	return err == nil && u.Scheme == "https" && len(u.Path) > 1
}

// scopes asks for the configured scopes, else those the server names, together
// with those it has just asked for and those that were granted before.
func (f *flow) scopes(resp *http.Response) func([]string) []string {
	challenges, _ := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	wanted := challenged(challenges)
	return func(found []string) []string {
		all := slices.Clone(found)
		if len(f.o.Scopes) > 0 {
			all = append(slices.Clone(f.o.Scopes), wanted...)
		}
		if saved, err := f.saved(); err == nil && saved != nil {
			all = append(all, saved.Scopes...)
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
}

// fetch opens the browser and waits for it to come back.
func (f *flow) fetch(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	u, err := url.Parse(args.URL)
	if err != nil {
		return nil, errors.New("the authorisation server names an address that is none")
	}
	if u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("the authorisation server names an address of the kind %q", u.Scheme)
	}
	f.resource = u.Query().Get("resource")
	f.sent = true
	f.back.expect(u.Query().Get("state"))
	if err := f.o.Open(args.URL); err != nil {
		return nil, fmt.Errorf("open a browser: %w", err)
	}
	got, err := f.back.wait(ctx)
	if err != nil {
		return nil, err
	}
	got.Iss = f.old.iss(got.Iss)
	return got, nil
}

// keep is called with the token of a login that succeeded.
func (f *flow) keep(ctx context.Context, cfg *oauth2.Config, tok *oauth2.Token) (oauth2.TokenSource, error) {
	saved := &record{
		Server: f.o.Server, TokenURL: cfg.Endpoint.TokenURL, AuthStyle: int(cfg.Endpoint.AuthStyle),
		ClientID: cfg.ClientID, Resource: f.resource, Scopes: cfg.Scopes,
	}
	if cfg.ClientID != f.o.ClientID {
		saved.ClientSecret = cfg.ClientSecret // the server gave it to us; it is nowhere else
	}
	saved.take(tok, f.o.Now())
	if err := f.store.write(saved); err != nil {
		return nil, err
	}
	return source{f.handler, ctx}, nil
}
