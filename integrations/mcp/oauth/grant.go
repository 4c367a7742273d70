package oauth

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"reasonix/core/durable"
)

const (
	grantJWTBearer  = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	assertionBearer = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
)

// ask has a token from t, with what the options have of credentials.
func (m *machine) ask(ctx context.Context, t *target) (*oauth2.Token, error) {
	params := url.Values{}
	scopes := t.scopes
	if m.o.Grant == GrantCrossApp {
		permit, err := m.permit(ctx, t)
		if err != nil {
			return nil, err
		}
		params.Set("grant_type", grantJWTBearer)
		params.Set("assertion", permit)
		scopes = nil // the assertion has them, and the resource
	} else {
		params.Set("resource", t.resource)
	}
	cfg := clientcredentials.Config{ClientID: m.o.ClientID, ClientSecret: m.o.ClientSecret, TokenURL: t.tokenURL, Scopes: scopes, EndpointParams: params, AuthStyle: m.style(t)}
	if m.signs() {
		proof, err := assertion(m.o.Key, m.o.ClientID, t.issuer, m.o.Now())
		if err != nil {
			return nil, err
		}
		params.Set("client_assertion_type", assertionBearer)
		params.Set("client_assertion", proof)
	}
	return cfg.Token(context.WithValue(ctx, oauth2.HTTPClient, m.o.HTTP))
}

func (m *machine) signs() bool { return m.o.Key.PEM != "" || m.o.Key.File != "" }

// style is how the client says who it is: every server has to take a secret in a
// header, unless it says otherwise.
func (m *machine) style(t *target) oauth2.AuthStyle {
	basic, post := slices.Contains(t.methods, "client_secret_basic"), slices.Contains(t.methods, "client_secret_post")
	if m.o.ClientSecret == "" || post && !basic {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader
}

// permit has the user's ID token changed, by the identity provider that issued it, for
// a statement that the authorization server of t takes (RFC 8693, ID-JAG). The ID token
// goes to that provider alone.
func (m *machine) permit(ctx context.Context, t *target) (string, error) {
	idp := m.o.IDP
	token, err := m.idToken()
	if err != nil {
		return "", err
	}
	about, err := describe(ctx, m.o.HTTP, idp.Issuer)
	if err != nil {
		return "", fmt.Errorf("the identity provider: %w", err)
	}
	who := &oauthex.ClientCredentials{ClientID: idp.ClientID}
	if idp.ClientSecret != "" {
		who.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: idp.ClientSecret}
	}
	got, err := oauthex.ExchangeToken(ctx, about.TokenEndpoint, &oauthex.TokenExchangeRequest{
		RequestedTokenType: oauthex.TokenTypeIDJAG, Audience: t.issuer, Resource: t.resource, Scope: t.scopes,
		SubjectToken: token, SubjectTokenType: oauthex.TokenTypeIDToken,
	}, who, m.o.HTTP)
	if err != nil {
		return "", &providerError{err}
	}
	if kind, _ := got.Extra("issued_token_type").(string); kind != oauthex.TokenTypeIDJAG {
		return "", fmt.Errorf("the identity provider gave a token of another type, %s", line(kind))
	}
	return got.AccessToken, nil
}

// providerError is a refusal of the identity provider, not of the authorization server.
type providerError struct{ err error }

func (e *providerError) Error() string { return "the identity provider: " + e.err.Error() }
func (e *providerError) Unwrap() error { return e.err }

// idToken is the user's ID token as it is now: whoever signs in to the organisation
// renews the file.
func (m *machine) idToken() (string, error) {
	text := m.o.IDP.Token
	if file := m.o.IDP.TokenFile; file != "" {
		data, err := durable.ReadFile(file, maxKey)
		if err != nil {
			return "", fmt.Errorf("read the ID token: %w", err)
		}
		text = string(data)
	}
	text = strings.TrimSpace(text)
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return "", errors.New("the ID token is none: want a signed JWT of three parts")
	}
	var claims struct {
		Exp float64 `json:"exp"`
	}
	data, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil || json.Unmarshal(data, &claims) != nil {
		return "", errors.New("the ID token is none: want a signed JWT of three parts")
	}
	if end := time.Unix(int64(claims.Exp), 0); claims.Exp > 0 && !m.o.Now().Before(end) {
		return "", fmt.Errorf("the ID token ended at %s: sign in to your organisation again", end.UTC().Format(time.RFC3339))
	}
	return text, nil
}
