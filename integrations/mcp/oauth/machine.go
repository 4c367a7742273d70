package oauth

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// askTimeout is how long it may take to have a token without a person.
const askTimeout = time.Minute

// machine has tokens without a person. Like handler it has the file for its memory.
type machine struct {
	handler
}

var _ auth.OAuthHandler = (*machine)(nil)

// saved is the kept token, if it is of the same credentials.
func (m *machine) saved() (*record, error) {
	r, err := m.store.read()
	if r == nil || err != nil {
		return nil, err
	}
	same := r.Grant == m.o.Grant && r.ClientID == m.o.ClientID && r.IDP == m.o.IDP.Issuer
	if !same || m.o.Issuer != "" && !sameIssuer(r.Issuer, m.o.Issuer) {
		return nil, nil
	}
	return r, nil
}

// TokenSource implements auth.OAuthHandler.
func (m *machine) TokenSource(context.Context) (oauth2.TokenSource, error) {
	saved, err := m.saved()
	if saved == nil || err != nil {
		return nil, err
	}
	return machineSource{m}, nil
}

// machineSource is the token source of a machine.
type machineSource struct{ m *machine }

// Token returns the kept token, or a new one when its end is near. With none the
// server refuses the request, and Authorize finds out why there is none.
func (s machineSource) Token() (*oauth2.Token, error) {
	m := s.m
	saved, err := m.saved()
	if err != nil || saved == nil {
		return nil, err
	}
	if !saved.due(m.o.Now()) {
		return saved.token(), nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	if err := m.take(ctx); err != nil {
		return nil, err
	}
	defer m.leave()
	if saved, err = m.saved(); err != nil || saved == nil {
		return nil, err
	}
	if saved.due(m.o.Now()) {
		fresh, err := m.fetch(ctx, &target{issuer: saved.Issuer, tokenURL: saved.TokenURL, methods: saved.Methods, resource: saved.Resource, scopes: saved.Scopes})
		switch {
		case err == nil:
			saved = fresh
		case saved.expired(m.o.Now()):
			return nil, nil
		}
	}
	return saved.token(), nil
}

// Authorize implements auth.OAuthHandler.
func (m *machine) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	defer drop(resp)
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	if err := m.take(ctx); err != nil {
		return err
	}
	defer m.leave()
	challenges, _ := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	narrow := tooNarrow(challenges)
	if resp.StatusCode == http.StatusForbidden && !narrow {
		return nil // no token changes that; the caller sees it
	}
	saved, err := m.saved()
	if err != nil {
		return err
	}
	carried := strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")
	if saved != nil && saved.AccessToken != carried && !saved.expired(m.o.Now()) {
		return nil // another request, or process, had one meanwhile
	}
	t, err := discover(ctx, m.o.HTTP, req.URL, challenges, m.o.Issuer)
	if err != nil {
		return m.clean(err)
	}
	t.scopes = m.scopes(t.scopes, challenges)
	if narrow && saved != nil {
		t.scopes = union(t.scopes, saved.Scopes)
	}
	if _, err := m.fetch(ctx, t); err != nil {
		return m.clean(err)
	}
	return nil
}

// scopes are what to ask for: the configured ones, else those the server says it
// lacks, else all that it has.
func (m *machine) scopes(found []string, challenges []oauthex.Challenge) []string {
	lacks := challenged(challenges)
	switch {
	case len(m.o.Scopes) > 0:
		return union(m.o.Scopes, lacks)
	case len(lacks) > 0:
		return lacks
	}
	return found
}

// fetch has a token and keeps it. The caller has the turn.
func (m *machine) fetch(ctx context.Context, t *target) (*record, error) {
	tok, err := m.ask(ctx, t)
	if err != nil {
		return nil, err
	}
	r := &record{
		Server: m.o.Server, Grant: m.o.Grant, TokenURL: t.tokenURL, ClientID: m.o.ClientID, Resource: t.resource,
		Scopes: t.scopes, Issuer: t.issuer, Methods: t.methods, IDP: m.o.IDP.Issuer,
	}
	r.take(tok, m.o.Now())
	r.RefreshToken = "" // the credentials are at hand: there is nothing to keep it for
	if err := m.store.write(r); err != nil {
		return nil, err
	}
	return r, nil
}

// take waits for the turn, which leave gives back.
func (h *handler) take(ctx context.Context) error {
	select {
	case h.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("log in to server %s: %w", h.o.Server, context.Cause(ctx))
	}
}

func (h *handler) leave() { <-h.turn }

// tooNarrow reports whether a server refuses for want of scopes.
func tooNarrow(challenges []oauthex.Challenge) bool {
	return slices.ContainsFunc(challenges, func(c oauthex.Challenge) bool { return c.Params["error"] == "insufficient_scope" })
}

// challenged are the scopes that a server says a request lacked.
func challenged(challenges []oauthex.Challenge) []string {
	var scopes []string
	for _, c := range challenges {
		scopes = append(scopes, strings.Fields(c.Params["scope"])...)
	}
	return scopes
}

// union is sorted.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
