package config_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/config"
)

func (w world) serversFile() string { return filepath.Join(w.in.Workspace, ".mcp.json") }

// PM-21: the servers of .mcp.json are parts, and nothing else of it counts.
func TestPM21ServersOfMCPJSONAreNamed(t *testing.T) {
	w := newWorld(t, "", "")
	w.write(w.serversFile(), `{
  "other": {"mcpServers": {"no": {}}},
  "mcpServers": {
    "pwn": {"command": "sh", "args": ["-c", "touch /tmp/PWN"], "env": {"K": "sk-1"}},
    "web": {"type": "http", "url": "https://h/x?key=sk-2", "headers": {"A": "sk-3"}, "oauth": {"secret": "sk-4"}, "n": 1.0}
  }
}`)
	c := w.load()
	type seen struct {
		Key, Text string
		Line      int
	}
	var got []seen
	for _, p := range c.Ungranted {
		got = append(got, seen{p.Key, p.Text, p.Line})
		if p.File != w.serversFile() || p.Kind != config.PartServer || p.Effect == "" {
			t.Errorf("%+v", p)
		}
	}
	want := []seen{
		{"mcpServers.pwn", `command = "sh", args = ["-c", "touch /tmp/PWN"], env = { K = (hidden) }`, 4},
		{"mcpServers.web", `type = "http", url = "https://h/x?key=(hidden)", headers = { A = (hidden) }, oauth = { secret = (hidden) }, n = (hidden)`, 5},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	contains(t, warnings(c, config.WarnWidens), ".mcp.json:4:5: 2 parts", "mcpServers.pwn, mcpServers.web")
	if len(c.Plugins) != 0 || len(c.Servers()) != 0 {
		t.Errorf("servers: %v", c.Plugins)
	}
	w.in.Granted = everything
	if c = w.load(); len(c.Granted) != 2 || len(c.Warnings) != 0 {
		t.Errorf("granted: %v, %v", c.Granted, c.Warnings)
	}
}

// PM-22: the same server in other words is the same part.
func TestPM22AServerOfMCPJSONIsWhatItSays(t *testing.T) {
	hash := func(text string) string {
		w := newWorld(t, "", "")
		w.write(w.serversFile(), text)
		c := w.load()
		if len(c.Ungranted) != 1 {
			t.Fatalf("%s: %v", text, c.Warnings)
		}
		return c.Ungranted[0].Hash
	}
	is := hash(`{"mcpServers": {"a": {"command": "x", "args": ["1"]}}}`)
	if hash("\ufeff{\"mcpServers\":\r\n{\"\\u0061\":{\"args\":[\"1\"],\t\"command\":\"\\u0078\"}}, \"x\": 1}") != is {
		t.Error("another spelling is another part")
	}
	for _, text := range []string{
		`{"mcpServers": {"a": {"command": "y", "args": ["1"]}}}`, `{"mcpServers": {"b": {"command": "x", "args": ["1"]}}}`,
		`{"mcpServers": {"a": {"command": "x", "args": ["1", ""]}}}`, `{"mcpServers": {"a": {"command": "x", "args": ["1"], "cwd": "/"}}}`,
	} {
		if hash(text) == is {
			t.Errorf("%s is the same part", text)
		}
	}
}

func TestABadMCPJSONIsAWarning(t *testing.T) {
	for text, want := range map[string]string{
		`{"mcpServers": {`:                       "no JSON",
		``:                                       "no JSON",
		`[]`:                                     "want an object",
		`{"mcpServers": []}`:                     "want an object",
		`{"mcpServers": {"a": "sh"}}`:            "mcpServers.a: want an object",
		`{"mcpServers": {"a": null}}`:            "mcpServers.a: want an object",
		`{"mcpServers": {"a": {}, "a": {}}}`:     "mcpServers.a is there twice",
		`{"mcpServers": {}, "mcpServers": {}}`:   "mcpServers is there twice",
		strings.Repeat("[", 100000):              "no JSON",
		`{"mcpServers": {"\u001b[2K\u202e": 1}}`: `\u001B[2K\u202E`,
	} {
		w := newWorld(t, "", "")
		w.write(w.serversFile(), text)
		c := w.load()
		contains(t, warnings(c, config.WarnServers), w.serversFile()+": ignored: ", want)
		if len(c.Ungranted) > 0 {
			t.Errorf("%s: %v", text, c.Ungranted)
		}
	}
	w := newWorld(t, "", "")
	w.write(w.serversFile(), `{"x": [1, {"mcpServers": 2}]}`)
	if c := w.load(); len(c.Warnings) > 0 {
		t.Errorf("without servers: %v", c.Warnings)
	}
}

// Servers of .mcp.json count once they are granted, after the TOML files, whose
// names win, granted or not.
func TestServersOfMCPJSONAreMerged(t *testing.T) {
	w := newWorld(t, "[[plugins]]\nname = 'mine'\ncommand = 'user'\n", "[[plugins]]\nname = 'toml'\ncommand = 'toml'\n")
	w.write(w.serversFile(), `{"mcpServers": {
  "mine": {"command": "json"}, "toml": {"command": "json"},
  "a": {"command": "x", "args": ["${V:-v}"], "env": {"N": 1, "B": true}, "cwd": "/", "timeout": 5},
  "b": {"type": "streamable-http", "url": "https://h", "headers": {"H": "v"}, "headersHelper": "get-it",
        "oauth": {"clientId": "c", "callbackPort": 8080, "scopes": "read write"}},
  "c": {"type": "sse", "url": "https://h"}, "d": {"url": "https://h"}, "e": {"type": "http", "url": "https://h", "disabled": true}
}}`)
	if c := w.load(); len(c.Servers()) != 1 || c.Servers()[0].Command != "user" {
		t.Errorf("before a grant: %v", c.Servers())
	}
	w.in.Granted = func(p config.Part) bool { return strings.HasPrefix(p.Key, "mcpServers.") }
	c := w.load()
	var got []string
	for _, s := range c.Servers() {
		got = append(got, strings.Join([]string{s.Name, s.Type, s.Command, s.URL}, " "))
		if s.FromProject != (s.Name != "mine") || !s.Sandbox || s.Enabled != (s.Name != "e") {
			t.Errorf("%+v", s)
		}
	}
	want := []string{"a stdio x ", "b http  https://h", "c sse  https://h", "d http  https://h", "e http  https://h", "mine stdio user "}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	a, _ := c.Server("a")
	b, _ := c.Server("b")
	if d := cmp.Diff([]any{map[string]string{"N": "1", "B": "true"}, []string{"v"}, w.serversFile(), 3}, []any{a.Env, a.Args, a.File, a.Line}); d != "" {
		t.Error(d)
	}
	oauth := config.PluginOAuth{ClientID: "c", Scopes: []string{"read", "write"}, CallbackPort: 8080}
	if d := cmp.Diff([]any{oauth, "get-it"}, []any{b.OAuth, b.HeadersHelper}); d != "" {
		t.Error(d)
	}
	if len(c.Ungranted) != 1 || c.Ungranted[0].Key != "plugins.toml" || warnings(c, config.WarnServers) != "" {
		t.Errorf("%v, %v", c.Ungranted, c.Warnings)
	}
}

// One bad entry is left out, with its line; the others stand.
func TestOneBadServerOfMCPJSONIsLeftOut(t *testing.T) {
	for entry, want := range map[string]string{
		`"bad": {"command": 1}`:                     "mcpServers.bad: command: want a string",
		`"bad": {"command": "x", "args": "y"}`:      "mcpServers.bad: args: want a list",
		`"bad": {"command": "x", "args": [1]}`:      "mcpServers.bad: args: want a list",
		`"bad": {"command": "x", "env": {"A": []}}`: "mcpServers.bad: env: want a table",
		`"bad": {"type": "ws", "url": "https://h"}`: "mcpServers.bad: type: want one of",
		`"bad": {}`:               "mcpServers.bad: want a command or a url",
		`"b/d": {"command": "x"}`: "want a name without a slash",
		`"": {"command": "x"}`:    "want a name without a slash",
		`"bad": {"url": "https://h", "oauth": {"callbackPort": 1.5}}`: "oauth.callbackPort: want a whole number",
		`"bad": {"url": "https://h", "oauth": {"callbackPort": 1e9}}`: "oauth.callbackPort: want a whole number",
	} {
		w := newWorld(t, "", "")
		w.in.Granted = everything
		w.write(w.serversFile(), "{\"mcpServers\": {\n"+entry+",\n\"good\": {\"command\": \"x\"}}}")
		c := w.load()
		contains(t, warnings(c, config.WarnServers), w.serversFile()+":2:1: ignored: ", want)
		if len(c.Plugins) != 1 || c.Plugins[0].Name != "good" || len(c.Granted) != 1 {
			t.Errorf("%s: %v", entry, c.Plugins)
		}
	}
}
