package setup

import (
	"net/url"
	"testing"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
)

func TestOllamaHost(t *testing.T) {
	for host, want := range map[string]string{
		"":                    "http://127.0.0.1:11434/v1",
		"0.0.0.0":             "http://127.0.0.1:11434/v1",
		"[::]:9":              "http://127.0.0.1:9/v1",
		"box":                 "http://box:11434/v1",
		"box:80":              "http://box:80/v1",
		"https://box:1/x":     "https://box:1/v1",
		"ftp://box":           "http://127.0.0.1:11434/v1",
		"http://%zz":          "http://127.0.0.1:11434/v1",
		"[2001:db8::1]:11434": "http://[2001:db8::1]:11434/v1",
	} {
		if got := ollamaURL(host); got != want {
			t.Errorf("%q: got %s, want %s", host, got, want)
		}
	}
}

func TestCatalogIsComplete(t *testing.T) {
	seen := map[string]bool{custom: true}
	for _, e := range catalog(&cmdutil.App{}) {
		u, err := url.Parse(e.url)
		if err != nil || u.Host == "" || seen[e.name] || e.display == "" {
			t.Errorf("%+v: %v", e, err)
		}
		if e.local == (u.Scheme == "https") || e.local == (e.keyEnv != "") {
			t.Errorf("%s: a local server has no TLS and no key, another one both: %+v", e.name, e)
		}
		if !e.local && e.keyEnv != keyName(e.name) {
			t.Errorf("%s: key %s", e.name, e.keyEnv)
		}
		seen[e.name] = true
	}
	if len(seen) != 15 {
		t.Errorf("%d providers, custom included", len(seen))
	}
}

func TestANameIsProposedFromTheHost(t *testing.T) {
	w := &wizard{cfg: &config.Config{Providers: []config.Provider{{Name: "local"}, {Name: "local_2"}}}, entries: []entry{{name: "openai"}}}
	for base, want := range map[string]string{
		"https://api.example.com/v1":    "example",
		"https://llm-proxy.corp.co.uk":  "llm-proxy",
		"https://www.api.example.com/":  "example",
		"https://api.openai.com/v1":     "openai_2",
		"http://localhost:8080/v1":      "local_3",
		"http://[::1]:8080/v1":          "local_3",
		"http://10.0.0.7/v1":            "10-0-0-7",
		"http://[fe80::1]/v1":           "fe80--1",
		"http://box/v1":                 "box",
		"https://api.com/v1":            "custom",
		"https://xn--fiq.example/v1":    "xn--fiq",
		"https://\u4e2d.example.com/v1": "example",
	} {
		if got := w.proposed(base); got != want {
			t.Errorf("%s: %s, want %s", base, got, want)
		}
	}
}
