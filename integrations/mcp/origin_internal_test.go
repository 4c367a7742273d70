package mcp

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// records is a transport that redirects the first request and keeps the others.
type records struct {
	to   string
	seen []*http.Request
}

func (r *records) RoundTrip(q *http.Request) (*http.Response, error) {
	rec := httptest.NewRecorder()
	if r.seen = append(r.seen, q); len(r.seen) == 1 && r.to != "" {
		http.Redirect(rec, q, r.to, http.StatusTemporaryRedirect)
	}
	resp := rec.Result()
	resp.Request = q
	return resp, nil
}

// TestRequestsStayWithTheirOrigin: what goes to one host, port and scheme follows no
// redirect to another, but for the documents of a login, which take no key along.
func TestRequestsStayWithTheirOrigin(t *testing.T) {
	for _, c := range []struct {
		name, method, from, to string
		strict                 bool
		fails                  string
		key                    bool
	}{
		{"path", "POST", "https://a.test/mcp", "https://a.test/other", true, "", true},
		{"default port", "POST", "https://a.test/mcp", "https://a.test:443/mcp", true, "", true},
		{"port", "POST", "https://a.test/mcp", "https://a.test:8443/mcp", true, "redirects to another origin, https://a.test:8443", false},
		{"subdomain", "GET", "https://a.test/mcp", "https://x.a.test/mcp", true, "redirects to another origin", false},
		{"not encrypted", "DELETE", "https://a.test/mcp", "http://a.test/mcp", true, "redirects to another origin", false},
		{"host", "POST", "https://a.test/mcp", "https://b.test/mcp", true, "redirects to another origin", false},
		{"named", "POST", "https://b.test/mcp", "", true, "wants to be talked to at another origin", false},
		{"login", "POST", "https://login.test/token", "", false, "", true},
		{"login elsewhere", "POST", "https://login.test/token", "https://b.test/token", false, "is sent nothing of it", false},
		{"login not encrypted", "GET", "https://login.test/.well-known/x", "http://login.test/x", false, "not encrypted", false},
		{"document", "GET", "https://a.test/.well-known/x", "https://x.a.test/x", false, "", false},
		{"document's path", "GET", "https://login.test/x", "https://login.test/y", false, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := &records{to: c.to}
			l := bare(t, World{})
			h := &headers{base: base, host: &url.URL{Scheme: "https", Host: "a.test"}, link: l, strict: c.strict, extra: map[string]string{"X-Key": "k"}}
			var body io.Reader
			if c.method == "POST" {
				body = strings.NewReader("secret")
			}
			r, err := http.NewRequestWithContext(t.Context(), c.method, c.from, body)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer secret")
			r.Header.Set("Mcp-Session-Id", "secret")
			resp, err := (&http.Client{Transport: h}).Do(r)
			if (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Fatal(err)
			}
			var refused *url.Error
			if err != nil && !errors.As(err, &refused) {
				t.Errorf("%T", err)
			}
			if err == nil {
				_ = resp.Body.Close()
			}
			want := 1
			if c.to != "" && c.fails == "" {
				want = 2
			}
			if c.name == "named" {
				want = 0
			}
			if len(base.seen) != want {
				t.Fatalf("%d requests", len(base.seen))
			}
			if c.fails != "" {
				return
			}
			last := base.seen[want-1]
			if got := last.Header.Get("Authorization") != ""; got != c.key {
				t.Errorf("the key is there: %v", got)
			}
			if own := last.URL.Hostname() == "a.test"; (last.Header.Get("X-Key") != "") != own {
				t.Errorf("the header of the configuration goes to %s", last.URL)
			}
		})
	}
}
