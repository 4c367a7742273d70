// Package web has the built-in tool that reads a page of the network.
//
// A fetch goes to http and https only and ends within 30 seconds. Every connection
// is checked after the name was resolved, on the address that is about to be
// dialled, so that no answer of a name server leads to this machine or a private
// network, unless a rule names the host. Proxies of the environment are not used:
// a proxy resolves names itself, and the check would check nothing. A redirect to
// another host is not followed but told, because rules and questions are about
// hosts. Pages are returned as text; what is no text is refused.
//
// A fetch changes nothing here, yet the tool is no reader: it tells a stranger
// something, so it is asked about as a writer is. Importing the package registers
// the tool.
package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"reasonix/core/tool"
	"reasonix/core/workspace"
)

func init() {
	tool.RegisterBuiltin(fetch{})
}

const (
	// patience bounds one fetch, redirects and body included.
	patience = 30 * time.Second
	// maxBody is how many bytes of a body are read, once it is unpacked.
	maxBody = 5 << 20
	// maxRedirects is how many redirects are followed.
	maxRedirects = 5
	// defaultCap bounds, in bytes, the text that is shown when nothing is configured.
	defaultCap = 32_000
)

const fetchSchema = `{"properties":{` +
	`"raw":{"type":"boolean"},"url":{"type":"string"}},` +
	`"required":["url"],"type":"object"}`

// fetch reads one page.
type fetch struct {
	bound  bool
	client client
	temp   string
	cap    int           // bytes shown
	limit  time.Duration // of one fetch
}

func (fetch) Name() string            { return "web_fetch" }
func (fetch) Description() string     { return "Fetch a web page as text." }
func (fetch) Schema() json.RawMessage { return json.RawMessage(fetchSchema) }

// ReadOnly is false: see the package's doc.
func (fetch) ReadOnly() bool { return false }

func (t fetch) Bind(env tool.Env) (tool.Tool, error) {
	set := env.Settings
	t.bound, t.temp, t.cap, t.limit = true, set.Temp, defaultCap, patience
	if set.OutputCap > 0 {
		t.cap = 2 * set.OutputCap
	}
	t.client = client{network: set.Network, allow: slices.Clone(set.FetchAllow), base: baseTransport(env.HTTP), proxied: hasProxy(set.Environ)}
	return t, nil
}

// baseTransport is what a fetch's own transport is made from: certificates and
// the like, not where it connects to.
func baseTransport(c *http.Client) *http.Transport {
	if c != nil {
		if t, ok := c.Transport.(*http.Transport); ok {
			return t
		}
	}
	if t, ok := http.DefaultTransport.(*http.Transport); ok {
		return t
	}
	return &http.Transport{}
}

func hasProxy(environ []string) bool {
	return slices.ContainsFunc(environ, func(kv string) bool {
		key, value, _ := strings.Cut(kv, "=")
		return value != "" && (strings.EqualFold(key, "https_proxy") || strings.EqualFold(key, "http_proxy"))
	})
}

func (t fetch) Subject(args json.RawMessage) tool.Subject {
	subj := tool.Subject{Title: "Fetch", Kind: "fetch"}
	var in struct{ URL string }
	if json.Unmarshal(args, &in) != nil || in.URL == "" {
		return subj
	}
	u, err := parse(in.URL)
	if err != nil {
		subj.Title += " " + workspace.Quote(in.URL)
		return subj
	}
	subj.Title += " " + workspace.Quote(strings.TrimSuffix(u.Host+u.EscapedPath(), "/"))
	if u.RawQuery != "" { // what is told to the host, beside which page is wanted
		subj.Reason = "the address ends with " + workspace.Quote("?"+clip(u.RawQuery, 200))
	}
	return subj
}

// errPatience is the cause of a fetch that took too long.
var errPatience = errors.New("the time for one fetch is over")

func (t fetch) Execute(ctx context.Context, args json.RawMessage) (string, error) {
	if !t.bound {
		return "", tool.ErrUnbound
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	var in struct {
		URL string
		Raw bool
	}
	if err := tool.Decode(args, json.RawMessage(fetchSchema), &in); err != nil {
		return "", err
	}
	u, err := parse(in.URL)
	if err != nil {
		return "", err
	}
	limited, stop := context.WithTimeoutCause(ctx, t.limit, errPatience)
	defer stop()
	p, err := t.client.get(limited, u)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.Is(context.Cause(limited), errPatience):
		return "", fmt.Errorf("fetch %s: %w (%v)", u, errPatience, t.limit)
	case err != nil:
		return "", err
	}
	return t.result(ctx, p, in.Raw)
}
