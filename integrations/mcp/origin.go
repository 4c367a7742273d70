package mcp

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// origin is the scheme, host and port of an address, written in one way.
func origin(u *url.URL) string {
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// firstOf is the request that redirects made r of; r itself without any.
func firstOf(r *http.Request) *http.Request {
	for r.Response != nil && r.Response.Request != nil {
		r = r.Response.Request
	}
	return r
}

// mayGo refuses a request that would take what is meant for one origin to another: a
// session's anywhere but to the server's own, and of a login's what was redirected and
// has a body, which may be a code or a secret, or is not encrypted any more.
func (h *headers) mayGo(r *http.Request) error {
	from, to := origin(firstOf(r).URL), origin(r.URL)
	if h.strict {
		from = origin(h.host)
	}
	if from == to {
		return nil
	}
	shown := r.URL.Scheme + "://" + r.URL.Host
	switch {
	case h.strict && r.Response != nil:
		return fmt.Errorf("the server redirects to another origin, %s, which is sent nothing; if that is where it is now, declare that address", shown)
	case h.strict:
		return fmt.Errorf("the server wants to be talked to at another origin, %s, which is sent nothing", shown)
	case firstOf(r).URL.Scheme == "https" && r.URL.Scheme != "https":
		return fmt.Errorf("a login is redirected to %s, which is not encrypted", shown)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return fmt.Errorf("a login is redirected to another origin, %s, which is sent nothing of it", shown)
	}
	return nil
}
