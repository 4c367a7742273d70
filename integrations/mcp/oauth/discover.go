package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// maxDocument is the largest description of a server, in bytes, that is read.
const maxDocument = 1 << 20

// target is where a token is had without a person, and what it is for.
type target struct {
	issuer, tokenURL string
	methods          []string // how a client may say who it is there; empty: unknown
	resource         string
	scopes           []string
}

// discover finds out which authorization server lets one in to the server that
// answered a request for address. issuer, when it is not empty, must be that one.
//
// The SDK has all of this inside of handlers that neither keep a token nor sign, and
// its reading of a server's metadata wants PKCE, which is about browsers.
func discover(ctx context.Context, client *http.Client, address *url.URL, challenges []oauthex.Challenge, issuer string) (*target, error) {
	declared, err := protectedResource(ctx, client, address, challenges)
	if err != nil {
		return nil, err
	}
	t := &target{issuer: declared.AuthorizationServers[0], resource: declared.Resource, scopes: declared.ScopesSupported}
	if issuer != "" {
		i := slices.IndexFunc(declared.AuthorizationServers, func(s string) bool { return sameIssuer(s, issuer) })
		if i < 0 {
			return nil, fmt.Errorf("the server names the authorisation server %s, and oauth.issuer is %s", line(t.issuer), issuer)
		}
		t.issuer = declared.AuthorizationServers[i]
	}
	about, err := describe(ctx, client, t.issuer)
	if err != nil {
		return nil, err
	}
	t.issuer, t.tokenURL, t.methods = about.Issuer, about.TokenEndpoint, about.TokenEndpointAuthMethodsSupported
	return t, nil
}

// protectedResource is what a server says about who lets one in. One that says nothing
// is its own authorization server, as in the protocol's revision 2025-03-26.
func protectedResource(ctx context.Context, client *http.Client, address *url.URL, challenges []oauthex.Challenge) (*oauthex.ProtectedResourceMetadata, error) {
	for _, place := range resourcePlaces(address, challenges) {
		found, err := oauthex.GetProtectedResourceMetadata(ctx, place.url, place.resource, client)
		if err != nil && place.url == namedMetadata(challenges) {
			return nil, fmt.Errorf("the server does not describe itself where it says that it does: %w", err)
		}
		if err != nil || found == nil {
			continue
		}
		if len(found.AuthorizationServers) == 0 {
			return nil, errors.New("the server names no authorisation server")
		}
		return found, nil
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return &oauthex.ProtectedResourceMetadata{Resource: address.String(), AuthorizationServers: []string{root(address)}}, nil
}

// place is where a server may describe itself, and as which resource.
type place struct{ url, resource string }

// resourcePlaces are those that RFC 9728 and the protocol name, in their order.
func resourcePlaces(address *url.URL, challenges []oauthex.Challenge) []place {
	const known = "/.well-known/oauth-protected-resource"
	var all []place
	if named := namedMetadata(challenges); named != "" {
		all = append(all, place{named, address.String()})
	}
	return append(all, ownPlaces(address, known)...)
}

func ownPlaces(address *url.URL, known string) []place {
	base := root(address)
	all := []place{{base + known, base}}
	if path := strings.Trim(address.Path, "/"); path != "" {
		all = slices.Insert(all, 0, place{base + known + "/" + path, address.String()})
	}
	return all
}

// namedMetadata is where a refusal says that the server is described; "" when it does not.
func namedMetadata(challenges []oauthex.Challenge) string {
	for _, c := range challenges {
		if named := c.Params["resource_metadata"]; named != "" {
			return named
		}
	}
	return ""
}

// root is an address without what follows its host.
func root(u *url.URL) string { return u.Scheme + "://" + u.Host }

// describe reads what an authorization server says of itself, from the places that RFC
// 8414 and OpenID Connect Discovery name. The issuer there must be the one that was
// asked for, or anybody could speak for another.
func describe(ctx context.Context, client *http.Client, issuer string) (*oauthex.AuthServerMeta, error) {
	u, err := url.Parse(issuer)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("the authorisation server %q is no address", line(issuer))
	}
	path := strings.Trim(u.Path, "/")
	places := []string{
		strings.TrimSuffix(root(u)+"/.well-known/oauth-authorization-server/"+path, "/"),
		strings.TrimSuffix(root(u)+"/.well-known/openid-configuration/"+path, "/"),
	}
	if path != "" {
		places = append(places, root(u)+"/"+path+"/.well-known/openid-configuration")
	}
	for _, place := range places {
		data, status, err := get(ctx, client, place)
		if err != nil {
			return nil, err
		}
		if status >= 400 && status < 500 {
			continue
		}
		var about oauthex.AuthServerMeta
		if status != http.StatusOK || json.Unmarshal(data, &about) != nil {
			return nil, fmt.Errorf("the authorisation server does not describe itself at %s", place)
		}
		if !sameIssuer(about.Issuer, issuer) {
			return nil, fmt.Errorf("%s describes another authorisation server, %s", place, line(about.Issuer))
		}
		if err := private(about.TokenEndpoint); err != nil {
			return nil, fmt.Errorf("the authorisation server's token endpoint: %w", err)
		}
		return &about, nil
	}
	return nil, fmt.Errorf("the authorisation server %s does not describe itself", issuer)
}

// sameIssuer compares two issuers; a slash at the end counts for nothing, as in the SDK.
func sameIssuer(a, b string) bool {
	return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/")
}

// private refuses an address that others on the way could read.
func private(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return errors.New("it is no address")
	}
	ip := net.ParseIP(u.Hostname())
	if u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()) {
		return nil
	}
	return fmt.Errorf("%s is not encrypted", line(address))
}

// get reads a JSON document. A status that is none of success has no document.
func get(ctx context.Context, client *http.Client, address string) (data []byte, status int, err error) {
	if err := private(address); err != nil {
		return nil, 0, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, 0, err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer drop(resp)
	if resp.StatusCode != http.StatusOK {
		return nil, resp.StatusCode, nil
	}
	if kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, 0, fmt.Errorf("%s is no JSON document", address)
	}
	data, err = io.ReadAll(io.LimitReader(resp.Body, maxDocument))
	return data, resp.StatusCode, err
}
