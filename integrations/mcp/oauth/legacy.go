package oauth

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// legacy is what a server of the protocol's revision 2025-03-26 says of itself as an
// authorization server, under an issuer that is not the address it was asked at.
//
// RFC 8414, section 3.3, wants the two to be the same, because who reads a description
// takes its issuer for the one they were sent to: without that, one server could
// describe itself as another, and have a code of that other one brought to its own
// token endpoint (a mix-up). That revision knew no RFC 9728, so that nobody sends us
// anywhere: the origin of the server is the authorization server. The issuer is not
// compared with the address only where all of this holds, and there is no third party
// that could be mixed up with anybody:
//
//   - the server does not describe itself as a protected resource, neither in its
//     refusal nor at one of the places for it: those are not found;
//   - the description is at the root of the server's own origin, without a redirect;
//   - the issuer and every endpoint in it are of that origin, too. What is sent there is
//     sent to who gets the token anyway, and an issuer of another origin, which the iss
//     of an answer (RFC 9207) would then be compared with, is refused as ever.
type legacy struct {
	address string // of the description
	origin  string // the issuer that it was asked for as
	issuer  string // the issuer that it has
	text    []byte // the description, with origin for its issuer
}

// authorize logs in through the SDK, and once more where its first try ended before
// the person was sent anywhere and the server turns out to be of the old kind.
func (f *flow) authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	for {
		sdk, err := auth.NewAuthorizationCodeHandler(f.config(resp))
		if err != nil {
			drop(resp)
			return err
		}
		err = sdk.Authorize(ctx, req, resp)
		if err == nil || f.sent || f.old != nil {
			return err
		}
		if f.old = findLegacy(ctx, f.o.HTTP, req.URL, resp); f.old == nil {
			return err
		}
		resp.Body = http.NoBody // it was read
	}
}

// findLegacy returns nil for a server that is not of the old kind.
func findLegacy(ctx context.Context, client *http.Client, address *url.URL, resp *http.Response) *legacy {
	challenges, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	if err != nil || namedMetadata(challenges) != "" {
		return nil
	}
	straight := *client
	straight.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for _, place := range resourcePlaces(address, nil) {
		if _, status, err := get(ctx, &straight, place.url); err != nil || status != http.StatusNotFound && status != http.StatusGone {
			return nil
		}
	}
	old := &legacy{address: root(address) + "/.well-known/oauth-authorization-server", origin: root(address)}
	text, status, err := get(ctx, &straight, old.address)
	if err != nil || status != http.StatusOK {
		return nil
	}
	var about map[string]any
	if json.Unmarshal(text, &about) != nil || !ofOrigin(about, address) {
		return nil
	}
	old.issuer, _ = about["issuer"].(string)
	about["issuer"] = old.origin
	if old.text, err = json.Marshal(about); err != nil {
		return nil
	}
	return old
}

// ofOrigin reports whether the issuer and each endpoint of a description are of one
// origin, that of address.
func ofOrigin(about map[string]any, address *url.URL) bool {
	for name, v := range about {
		if name != "issuer" && name != "jwks_uri" && !strings.HasSuffix(name, "_endpoint") {
			continue
		}
		text, _ := v.(string)
		u, err := url.Parse(text)
		if err != nil || u.User != nil || u.Scheme != address.Scheme || u.Host != address.Host {
			return false
		}
	}
	needed := []string{"issuer", "authorization_endpoint", "token_endpoint"}
	return !slices.ContainsFunc(needed, func(name string) bool { return about[name] == nil })
}

// iss is the issuer that an answer says it is of, as the SDK compares it: one that is
// the description's own stands for the origin, and the origin for nothing.
func (l *legacy) iss(said string) string {
	switch {
	case l == nil || said == "":
		return said
	case said == l.issuer:
		return l.origin
	}
	return "another issuer: " + said
}

// client is base that finds the description as the SDK takes it.
func (l *legacy) client(base *http.Client) *http.Client {
	if l == nil {
		return base
	}
	out := *base
	out.Transport = known{l, base.Transport}
	return &out
}

// known answers requests for the description itself.
type known struct {
	*legacy
	base http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (k known) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet || req.URL.String() != k.address {
		if k.base == nil {
			return http.DefaultTransport.RoundTrip(req)
		}
		return k.base.RoundTrip(req)
	}
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: int64(len(k.text)),
		Body: io.NopCloser(bytes.NewReader(k.text)),
	}, nil
}
