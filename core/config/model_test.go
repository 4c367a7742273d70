package config_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/config"
)

const several = `
[[providers]]
name = "a"
base_url = "http://h"
models = ["m1", "org/m2", "same"]
default = "org/m2"
api_key_env = ""
context_window = 100
max_output_tokens = 10
price = { input = 1, output = 2 }
supported_efforts = ["low", "high"]
default_effort = "low"
reasoning_protocol = "openai"
vision_models = ["m1"]
[providers.model_overrides."org/m2"]
context_window = 200
max_output_tokens = 20
supported_efforts = ["max"]
default_effort = "max"
reasoning_protocol = "kimi"
vision = true
[providers.prices."org/m2"]
input = 3
currency = "CNY"

[[providers]]
name = "b"
base_url = "http://h"
models = ["same", "a/m1", "a"]
api_key_env = ""
`

func TestResolveModel(t *testing.T) {
	c := newWorld(t, several, "").load()
	tests := []struct{ ref, want, fails string }{
		{"a/m1", "a/m1", ""},
		{"a/org/m2", "a/org/m2", ""},
		{"a", "a/org/m2", ""},
		{"", "a/org/m2", ""},
		{"org/m2", "a/org/m2", ""},
		{"m1", "a/m1", ""},
		{"b/a/m1", "b/a/m1", ""},
		{"b/a", "b/a", ""},
		{"same", "", "a/same, b/same"},
		{"b/same", "b/same", ""},
		{"m3", "", `did you mean m1?`},
		{"a/m9", "", "available: a/m1, a/org/m2, a/same, b/same, b/a/m1, b/a"},
		{"c/m1", "", `unknown model "c/m1"`},
	}
	for _, tt := range tests {
		t.Run(tt.ref, func(t *testing.T) {
			m, err := c.ResolveModel(tt.ref)
			if tt.fails != "" {
				var unknown *config.UnknownModelError
				if !errors.As(err, &unknown) {
					t.Fatalf("got %v, %v", m.Ref, err)
				}
				contains(t, err.Error(), tt.fails)
				return
			}
			noErr(t, err)
			if m.Ref != tt.want {
				t.Errorf("got %s, want %s", m.Ref, tt.want)
			}
		})
	}
}

func TestModelOverridesAndInheritance(t *testing.T) {
	c := newWorld(t, several, "").load()
	type facts struct {
		Window, Output   int
		Price            config.Price
		Efforts          []string
		Effort, Protocol string
		Vision, Default  bool
	}
	for ref, want := range map[string]facts{
		"a/m1":     {100, 10, config.Price{Input: 1, Output: 2, Currency: "USD"}, []string{"low", "high"}, "low", "openai", true, false},
		"a/org/m2": {200, 20, config.Price{Input: 3, Currency: "CNY"}, []string{"max"}, "max", "kimi", true, true},
		"a/same":   {100, 10, config.Price{Input: 1, Output: 2, Currency: "USD"}, []string{"low", "high"}, "low", "openai", false, false},
	} {
		m, err := c.ResolveModel(ref)
		noErr(t, err)
		got := facts{m.ContextWindow, m.MaxOutputTokens, *m.Price, m.Efforts, m.Effort, m.ReasoningProtocol, m.Vision, m.Default}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", ref, d)
		}
	}
	m, err := c.ResolveModel("b/same")
	noErr(t, err)
	if m.Price != nil {
		t.Errorf("a price out of nowhere: %v", m.Price)
	}
}

func TestWithEffort(t *testing.T) {
	c := newWorld(t, several, "").load()
	m, err := c.ResolveModel("a/m1")
	noErr(t, err)
	high, err := m.WithEffort("high")
	if err != nil || high.Effort != "high" || m.Effort != "low" {
		t.Errorf("got %q, %v", high.Effort, err)
	}
	_, err = m.WithEffort("max")
	contains(t, err.Error(), "a/m1", "low, high")
	b, err := c.ResolveModel("b/same")
	noErr(t, err)
	_, err = b.WithEffort("high")
	contains(t, err.Error(), "supported_efforts")
}

// TestCF12IncompleteProviderBlock: it loads, warns, and says what to add when it
// is used; nothing hangs.
func TestCF12IncompleteProviderBlock(t *testing.T) {
	tests := []struct{ name, block, want string }{
		{"no key", "base_url = \"http://h\"\nmodel = \"m\"\n", `api_key_env = "MY_HOST_API_KEY"`},
		{"no address", "model = \"m\"\napi_key_env = \"K\"\n", "base_url"},
		{"no model", "base_url = \"http://h\"\napi_key_env = \"K\"\n", "model ="},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newWorld(t, "[[providers]]\nname = \"my-host\"\n"+tt.block, "").load()
			contains(t, warnings(c, config.WarnIncomplete), "config.toml:2:1", tt.want)
			_, err := c.ResolveModel("my-host")
			var incomplete *config.IncompleteError
			if !errors.As(err, &incomplete) {
				t.Fatalf("got %v", err)
			}
			contains(t, err.Error(), "my-host", tt.want)
		})
	}
	newWorld(t, "[[providers]]\nmodel = \"m\"\n", "").fails("config.toml:1:1", `name = "..."`)
	newWorld(t, "[[providers]]\nname = \"a\"\n[[providers]]\nname = \"a\"\n", "").fails("config.toml:3:1", "once")
	newWorld(t, "[providers.a]\nmodel = \"m\"\n", "").fails("config.toml:1:1", `[[providers]] with name = "a"`)
}

// TestCF14CustomProviderHidesThePreset: it is said at start and the names are
// offered; without a default model of one's own the first provider is it.
func TestCF14CustomProviderHidesThePreset(t *testing.T) {
	for _, ref := range []string{"deepseek", "deepseek-v4-pro", "deepseek/deepseek-v4-flash"} {
		w := newWorld(t, "default_model = \""+ref+"\"\n"+mine, "")
		c := w.load()
		said := warnings(c, config.WarnUnknownModel)
		contains(t, said, "config.toml:1:1", ref, w.userFile(), "mine/m1", "mine/org/m2", "built-in provider deepseek")
		_, err := c.ResolveModel("")
		if err == nil {
			t.Fatal("resolved")
		}
	}
	c := newWorld(t, mine, "").load()
	m, err := c.ResolveModel("")
	noErr(t, err)
	if m.Ref != "mine/m1" || !m.Default || len(c.Warnings) > 0 {
		t.Errorf("got %s, %v", m.Ref, c.Warnings)
	}
	contains(t, c.Origin("default_model").String(), "first provider")
}

func TestProjectProvidersLeaveThePresetInPlace(t *testing.T) {
	c := newWorld(t, "", mine).load()
	if _, err := c.ResolveModel("deepseek"); err != nil {
		t.Error(err)
	}
	if _, err := c.ResolveModel("mine"); err != nil {
		t.Error(err)
	}
}
