package permission_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/permission"
)

func fetch(url string) json.RawMessage {
	args, _ := json.Marshal(map[string]string{"url": url})
	return args
}

func TestFetchIsJudgedByHost(t *testing.T) {
	const rules = "allow web_fetch(domain:go.dev); allow web_fetch(domain:*.example.com); allow web_fetch(domain:127.0.0.1); " +
		"deny web_fetch(domain:evil.org); deny web_fetch(domain:bad.example.com); ask web_fetch(domain:shop.net)"
	p := policy(t, rules)
	for url, want := range map[string]permission.Decision{
		"https://go.dev/doc":           allow,
		"HTTPS://GO.dev:443/x?a=b#c":   allow,
		" https://go.dev./x ":          allow,
		"http://127.0.0.1:8080/":       allow,
		"https://a.example.com":        allow,
		"https://a.b.example.com/":     allow,
		"https://example.com/":         ask, // an allow rule covers what it says and no more
		"https://sub.go.dev/":          ask,
		"https://go.dev.attack.net/":   ask,
		"https://go.dev@attack.net/":   ask,
		"https://attack.net/go.dev":    ask,
		"https://attack.net#@go.dev":   ask,
		"https://evil.org":             deny,
		"https://a.evil.org/x":         deny, // a deny rule covers what is below, too
		"https://notevil.org/":         ask,
		"https://bad.example.com/":     deny,
		"https://x.bad.example.com/":   deny,
		"https://www.shop.net/":        ask,
		"https://\uff45vil.org/":       deny, // read as evil.org by a name server
		"https://go\u3002dev/":         deny,
		"file://go.dev/etc/passwd":     deny,
		"://":                          deny,
		"https://[::1]/":               ask,
		"https://*/":                   deny,
		"https://go.dev\\.attack.net/": deny,
	} {
		if got := p.Decide("web_fetch", false, fetch(url)); got != want {
			t.Errorf("%s: %v, want %v", url, got, want)
		}
	}
	for args, want := range map[string]permission.Decision{
		`{"url":"https://go.dev/","URL":"https://evil.org/"}`: deny,
		`{"url":"https://evil.org/","Url":"https://go.dev/"}`: deny,
		`{"url":"https://go.dev/","url":"https://go.dev/x"}`:  allow,
		`{"url":7}`: ask,
	} {
		if got := p.Decide("web_fetch", false, json.RawMessage(args)); got != want {
			t.Errorf("%s: %v, want %v", args, got, want)
		}
	}
	if got := policy(t, "allow web_fetch").Decide("web_fetch", false, fetch("https://x.org")); got != allow {
		t.Errorf("a rule for every call: %v", got)
	}
	if diff := cmp.Diff([]string{"go.dev", "*.example.com", "127.0.0.1"}, p.FetchHosts()); diff != "" {
		t.Errorf("FetchHosts: -want +got\n%s", diff)
	}
}

func TestFetchSuggestsItsHost(t *testing.T) {
	for url, want := range map[string][]string{
		"https://Go.dev/doc/x": {"web_fetch(domain:go.dev)"}, "http://10.0.0.7:80/": {"web_fetch(domain:10.0.0.7)"}, "https://[::1]:8/": {"web_fetch(domain:::1)"},
		"nonsense": nil, "https://*/": nil, "": nil,
	} {
		got := policy(t, "mode ask").Suggest("web_fetch", fetch(url))
		if d := cmp.Diff(want, got.Exact.Rules); d != "" {
			t.Errorf("%s: -want +got\n%s", url, d)
		}
	}
}

func TestFetchRulesNameAHost(t *testing.T) {
	for _, rule := range []string{"web_fetch(https://go.dev/*)", "web_fetch(domain:)", "web_fetch(go.dev)"} {
		if r, err := permission.ParseRule(rule); err == nil {
			t.Errorf("%s is read as %+v", rule, r)
		}
	}
}
