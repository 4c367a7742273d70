package provider_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/provider"
)

func TestProfileComesFromTheHost(t *testing.T) {
	for address, want := range map[string]string{
		"https://api.deepseek.com":                    "deepseek",
		"https://DeepSeek.com./v1":                    "deepseek",
		"https://notdeepseek.com":                     "generic",
		"https://deepseek.com.evil.io":                "generic",
		"https://api.moonshot.cn/v1":                  "moonshot",
		"https://api.moonshot.ai/v1":                  "moonshot",
		"https://open.bigmodel.cn/api/paas/v4":        "zhipu",
		"https://api.z.ai/api/paas/v4":                "zhipu",
		"https://api.x.ai/v1":                         "xai",
		"https://api.xx.ai/v1":                        "generic",
		"https://dashscope-intl.aliyuncs.com/x":       "dashscope",
		"https://oss.aliyuncs.com/x":                  "generic",
		"http://127.0.0.1:11434/v1":                   "ollama",
		"http://localhost:8000/v1":                    "vllm",
		"http://[::1]:8080/v1":                        "llamacpp",
		"http://box:11434/v1":                         "generic",
		"http://127.0.0.1:9/v1":                       "generic",
		"http://127.0.0.1/v1":                         "generic",
		"https://gateway.example/api.deepseek.com/v1": "generic",
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := provider.ProfileOf(u).Name; got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}

func TestProfilesAreWhole(t *testing.T) {
	seen := map[string]bool{"": true, "generic": true}
	for _, p := range provider.Profiles() {
		u, err := url.Parse(p.BaseURL)
		if err != nil || u.Host == "" || seen[p.Name] || p.Display == "" {
			t.Errorf("%s: incomplete, or there twice: %v", p.Name, err)
			continue
		}
		seen[p.Name] = true
		if of := provider.ProfileOf(u); of.Name != p.Name || cmp.Diff(of, p) != "" {
			t.Errorf("%s: its own base_url gives %s", p.Name, of.Name)
		}
		if named, ok := provider.ProfileNamed(p.Name); !ok || cmp.Diff(named, p) != "" {
			t.Errorf("%s is not found by its name", p.Name)
		}
		if p.Local == (u.Scheme == "https") || p.Local == (p.KeyEnv != "") {
			t.Errorf("%s: a local server has no TLS and no key, another one both", p.Name)
		}
		for _, q := range p.Quirks {
			if strings.ContainsAny(q, "|\n") || strings.HasSuffix(q, ".") || len(q) > 90 {
				t.Errorf("%s: not a short phrase: %q", p.Name, q)
			}
		}
	}
	if _, ok := provider.ProfileNamed("nobody"); ok {
		t.Error("there is a profile of nobody")
	}
}

// A port is a guess: whatever else listens there must be sent what any endpoint
// would be.
func TestLocalProfilesSendNothingSpecial(t *testing.T) {
	type sent struct {
		Protocol, LimitName string
		Replay              provider.Replay
		CallIDs             provider.CallIDs
		Drops               int
	}
	of := func(p provider.Profile) sent {
		return sent{p.Protocol, p.LimitName, p.Replay, p.CallIDs, len(p.Drop)}
	}
	for _, p := range provider.Profiles() {
		if diff := cmp.Diff(of(provider.Generic()), of(p)); p.Local && diff != "" {
			t.Errorf("%s: %s", p.Name, diff)
		}
	}
}
