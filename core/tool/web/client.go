package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
)

// client fetches pages for one session. It keeps no connection and no cookie
// between fetches, and is safe for concurrent use.
type client struct {
	network bool
	allow   []string // hosts that may be on a private network
	base    *http.Transport
	proxied bool // the environment names a proxy
}

// page is an answer as it came.
type page struct {
	url    *url.URL // after redirects
	status string
	code   int
	typ    string // Content-Type
	body   []byte
	size   int64 // announced; -1 when not
	cut    bool  // body is only the beginning
}

// parse reads the address of a page. It refuses a host that is not written in
// ASCII, since a rule about hosts would read it in another way than a name server.
func parse(address string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	switch {
	case err != nil:
		return nil, fmt.Errorf("url %q: %w", clip(address, 200), errors.Unwrap(err))
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("url %q: only http and https are fetched", clip(address, 200))
	case u.User != nil:
		return nil, errors.New("url: a name or password in it is not sent")
	case u.Hostname() == "" || strings.ContainsFunc(u.Hostname(), isOdd):
		return nil, fmt.Errorf("url %q: the host is not a name or an address; other scripts are written with the xn-- prefix", clip(address, 200))
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

func isOdd(c rune) bool {
	letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	return !letter && (c < '0' || '9' < c) && !strings.ContainsRune("-._:", c)
}

func hostOf(u *url.URL) string { return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".") }

// get fetches u and at most the beginning of a long body. ctx must end soon after:
// connections last as long.
func (c client) get(ctx context.Context, u *url.URL) (*page, error) {
	if !c.network {
		return nil, errors.New("the network is off for tools (sandbox.network = false)")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", u, err)
	}
	req.Header.Set("User-Agent", "reasonix")
	req.Header.Set("Accept", "text/markdown, text/html, text/plain;q=0.9, */*;q=0.5")
	transport := c.transport(ctx, hostOf(u))
	defer transport.CloseIdleConnections()
	res, err := (&http.Client{Transport: transport, CheckRedirect: follow}).Do(req)
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w%s", u, plain(err), c.hint(err))
	}
	defer res.Body.Close()
	return read(res)
}

// transport connects only where check lets it. Redirects stay on the host, so
// there is one name to think of. Its connections end with ctx: by itself a
// transport goes on to dial for a request that was given up.
func (c client) transport(ctx context.Context, host string) *http.Transport {
	t := c.base.Clone()
	t.Proxy, t.DialTLSContext, t.DisableKeepAlives = nil, nil, true
	t.MaxResponseHeaderBytes = 256 << 10
	dialer := &net.Dialer{Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("address %s: %w", address, err)
		}
		return c.check(host, at.Addr())
	}}
	t.DialContext = func(_ context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if err == nil {
			context.AfterFunc(ctx, func() { _ = conn.Close() })
		}
		return conn, err
	}
	return t
}

// follow decides about a redirect.
func follow(req *http.Request, via []*http.Request) error {
	last := via[len(via)-1].URL
	switch to, err := parse(req.URL.String()); {
	case err != nil:
		return fmt.Errorf("redirect: %w", err)
	case len(via) > maxRedirects:
		return fmt.Errorf("more than %d redirects, the last to %s", maxRedirects, to)
	case last.Scheme == "https" && to.Scheme == "http":
		return fmt.Errorf("redirect from https to %s is refused", to)
	case hostOf(to) != hostOf(last):
		return fmt.Errorf("it redirects to another host, which was not asked for; if you want it, fetch %s", to)
	}
	req.Header.Del("Referer")
	return nil
}

// plain is an error of a client or a dialer without the layers that repeat the
// address.
func plain(err error) error {
	var refused *addressError
	if errors.As(err, &refused) {
		return refused
	}
	var ue *url.Error
	if errors.As(err, &ue) {
		return ue.Err
	}
	return err
}

// hint says what the user may not know when a connection could not be made.
func (c client) hint(err error) string {
	var dial *net.OpError
	if c.proxied && errors.As(err, &dial) && dial.Op == "dial" && !errors.As(err, new(*addressError)) {
		return " (the proxy of the environment is not used)"
	}
	return ""
}

// read takes the body, unless the type alone says that it is not text.
func read(res *http.Response) (*page, error) {
	p := &page{url: res.Request.URL, status: oneLine(res.Status), code: res.StatusCode, typ: res.Header.Get("Content-Type"), size: res.ContentLength}
	if isBinaryType(p.typ) {
		return p, nil
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	if err != nil && (len(body) == 0 || !errors.Is(err, io.ErrUnexpectedEOF)) {
		return nil, fmt.Errorf("fetch %s: read the body: %w", p.url, err)
	}
	p.cut = err != nil || len(body) > maxBody
	p.body = body[:min(len(body), maxBody)]
	if !p.cut {
		p.size = int64(len(body))
	}
	return p, nil
}
