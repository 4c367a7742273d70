package oauth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/oauth2"
)

const (
	// exchangeLimit bounds how long a server may take to refresh a token, and shortPatience
	// how long another process is waited for while the old token is good.
	exchangeLimit = time.Minute
	shortPatience = 10 * time.Second
)

// source is the token source of a handler for the request that ctx is the context of.
type source struct {
	h   *handler
	ctx context.Context
}

// Token returns the kept token, refreshed when its end is near.
func (s source) Token() (*oauth2.Token, error) {
	saved, err := s.h.saved()
	if err != nil || saved == nil {
		return nil, err
	}
	now := s.h.o.Now()
	if !saved.due(now) {
		return saved.token(), nil
	}
	if saved.RefreshToken != "" {
		tok, err := s.h.refresh(s.ctx, saved.AccessToken, saved.expired(now))
		if tok != nil || saved.expired(now) {
			return tok, err
		}
	}
	if saved.expired(now) {
		return nil, nil // the server asks for a login
	}
	return saved.token(), nil
}

// refresh replaces the access token old and keeps what came. When another process
// has done so meanwhile, its token is taken. No token and no error: the server does
// not take the refresh token any more. The end of ctx ends the wait for another
// process, not what was sent: the server may have taken the refresh token by then, and
// its answer has the only one that is good after it. expired says that there is nothing to
// go on with meanwhile, so that it is worth to wait as long as a refresh may take.
func (h *handler) refresh(ctx context.Context, old string, expired bool) (*oauth2.Token, error) {
	patience := shortPatience
	if expired {
		patience += exchangeLimit
	}
	lock, err := h.store.lock(ctx, patience)
	if err != nil {
		return nil, fmt.Errorf("refresh the login to server %s: %w", h.o.Server, err)
	}
	defer func() { _ = lock.Release() }()
	saved, err := h.saved()
	if err != nil || saved == nil {
		return nil, err
	}
	if saved.AccessToken != old && !saved.expired(h.o.Now()) {
		return saved.token(), nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), exchangeLimit)
	defer cancel()
	tok, err := h.exchange(ctx, saved)
	if over(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("refresh the login to server %s: %w", h.o.Server, h.cause(err))
	}
	used := saved.AccessToken
	saved.take(tok, h.o.Now())
	if saved, err = h.store.replace(used, saved); err != nil || saved == nil {
		return nil, err
	}
	return saved.token(), nil
}

// over tells whether a refresh failed for good: a new login is needed.
func over(err error) bool {
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) {
		return false
	}
	switch refused.ErrorCode {
	case "invalid_grant", "invalid_client", "unauthorized_client":
		return true
	}
	return false
}

func (h *handler) exchange(ctx context.Context, saved *record) (*oauth2.Token, error) {
	secret := saved.ClientSecret
	if saved.ClientID == h.o.ClientID {
		secret = h.o.ClientSecret
	}
	cfg := oauth2.Config{
		ClientID: saved.ClientID, ClientSecret: secret,
		Endpoint: oauth2.Endpoint{TokenURL: saved.TokenURL, AuthStyle: oauth2.AuthStyle(saved.AuthStyle)},
	}
	client := *h.o.HTTP
	client.Transport = forResource{client.Transport, saved.Resource}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, &client)
	return cfg.TokenSource(ctx, &oauth2.Token{RefreshToken: saved.RefreshToken}).Token()
}

// forResource says in a refresh, too, what the token is for (RFC 8707). The
// library has no option for it.
type forResource struct {
	base     http.RoundTripper
	resource string
}

func (t forResource) RoundTrip(req *http.Request) (*http.Response, error) {
	base := t.base
	if base == nil {
		base = http.DefaultTransport
	}
	if t.resource == "" || req.Body == nil {
		return base.RoundTrip(req)
	}
	body, err := io.ReadAll(req.Body)
	if err := errors.Join(err, req.Body.Close()); err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, errors.New("the form of a refresh cannot be read")
	}
	form.Set("resource", t.resource)
	body = []byte(form.Encode())
	req = req.Clone(req.Context())
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return base.RoundTrip(req)
}
