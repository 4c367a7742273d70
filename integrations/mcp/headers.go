package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"
)

const (
	helperTimeout = 10 * time.Second
	maxHeaders    = 64 << 10
)

// headers sends a server's headers with every request to its own origin, and with
// none to another one that a redirect or the server names. It ends with link.
type headers struct {
	base  http.RoundTripper
	host  *url.URL
	extra map[string]string
	link  *link
	// strict says that the requests are those of a session, which go nowhere else. The
	// others are of a login, which has more hosts.
	strict bool
}

// RoundTrip implements http.RoundTripper.
func (h *headers) RoundTrip(r *http.Request) (*http.Response, error) {
	err := h.mayGo(r)
	if h.link.life.Err() != nil {
		err = errEnded
	}
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, err
	}
	ctx, cancel := context.WithCancel(r.Context())
	stop := context.AfterFunc(h.link.life, cancel)
	release := func() { stop(); cancel() }
	r = r.Clone(ctx)
	if origin(firstOf(r).URL) != origin(r.URL) {
		for _, name := range []string{"Authorization", "Proxy-Authorization", "Cookie"} {
			r.Header.Del(name) // the standard client keeps them for a subdomain or another port
		}
	}
	if origin(r.URL) == origin(h.host) {
		for name, value := range h.extra {
			r.Header.Set(name, value)
		}
	}
	resp, err := h.base.RoundTrip(r)
	if err != nil {
		release()
		return nil, err
	}
	resp.Body = &body{ReadCloser: mending(resp, h.link.hear), release: release}
	return resp, nil
}

// A body releases its request's context when it is closed.
type body struct {
	io.ReadCloser
	release func()
}

// Close implements io.Closer.
func (b *body) Close() error {
	defer b.release()
	return b.ReadCloser.Close()
}

// clients are the HTTP clients of a server for one connection: that of its session,
// and that of a login to it. ctx bounds the making of them, and the end of l whatever
// they still do.
func (g *program) clients(ctx context.Context, l *link) (session, login *http.Client, err error) {
	address, err := url.Parse(g.cfg.URL)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return nil, nil, fmt.Errorf("the address %q is no http or https URL", g.cfg.URL)
	}
	extra := map[string]string{}
	for name, value := range g.cfg.Headers {
		extra[name] = value
	}
	if g.cfg.HeadersHelper != "" {
		more, err := g.helper(ctx)
		if err != nil {
			return nil, nil, fmt.Errorf("headers helper: %w", err)
		}
		for name, value := range more {
			extra[name] = value
		}
	}
	base := http.DefaultTransport
	if g.world.HTTP != nil && g.world.HTTP.Transport != nil {
		base = g.world.HTTP.Transport
	}
	h := headers{base: base, host: address, extra: extra, link: l}
	strict := h
	strict.strict = true
	return &http.Client{Transport: &strict}, &http.Client{Transport: &h}, nil
}

// helper runs the command that prints more headers.
func (g *program) helper(ctx context.Context) (map[string]string, error) {
	if g.world.Runner == nil {
		return nil, errors.New("there is nothing to run a command with")
	}
	ctx, cancel := context.WithTimeout(ctx, helperTimeout)
	defer cancel()
	var out bytes.Buffer
	cmd := g.hold()
	cmd.Argv = []string{"sh", "-c", g.cfg.HeadersHelper}
	if os.PathSeparator == '\\' {
		cmd.Argv = []string{"cmd", "/C", g.cfg.HeadersHelper}
	}
	cmd.Env = setEnv(cmd.Env, map[string]string{
		"REASONIX_MCP_SERVER": g.cfg.Name, "REASONIX_MCP_URL": g.cfg.URL,
		"CLAUDE_CODE_MCP_SERVER_NAME": g.cfg.Name, "CLAUDE_CODE_MCP_SERVER_URL": g.cfg.URL,
	})
	cmd.Out, cmd.Err = &limited{to: &out, left: maxHeaders}, g.log
	exit, err := g.world.Runner(g.cfg).Run(ctx, cmd)
	switch {
	case err != nil:
		return nil, err
	case exit.Code != 0:
		return nil, fmt.Errorf("it ended with exit code %d", exit.Code)
	}
	var extra map[string]string
	if err := json.Unmarshal(out.Bytes(), &extra); err != nil {
		return nil, fmt.Errorf("it printed no JSON object of headers: %w", err)
	}
	return extra, nil
}

// limited keeps the beginning of what is written.
type limited struct {
	to   *bytes.Buffer
	left int
}

// Write implements io.Writer.
func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.left -= n
	l.to.Write(p[:n])
	return len(p), nil
}
