package config_test

import (
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/config"
)

func TestServersAreAddedAndRemovedAndNothingElseChanges(t *testing.T) {
	file := "# mine\nlanguage = \"en\" # why\n\n# first\n[[plugins]]\nname = \"a\" # a\ncommand = \"x\"\n[plugins.env]\nK = \"v\"\n\n# about tools\n[tools]\nbash_timeout_seconds = 9\n"
	w := newWorld(t, file, "")
	p := config.Plugin{
		Name: "b c", Command: `C:\x y\s.cmd`, Args: []string{"a, b", `"q"`, ""}, Env: map[string]string{"T": "${T}"}, CallTimeoutSeconds: 9,
		Sandbox: true, Enabled: true,
	}
	change, err := config.AddServer(w.userFile(), p)
	noErr(t, err)
	if d := cmp.Diff(file, string(change.Before)); d != "" {
		t.Error(d)
	}
	want := "# mine\nlanguage = \"en\" # why\n\n# first\n[[plugins]]\nname = \"a\" # a\ncommand = \"x\"\n[plugins.env]\nK = \"v\"\n\n[[plugins]]\nname = \"b c\"\ncommand = 'C:\\x y\\s.cmd'\nargs = [\"a, b\", \"\\\"q\\\"\", \"\"]\nenv = { T = \"${T}\" }\ncall_timeout_seconds = 9\n\n# about tools\n[tools]\nbash_timeout_seconds = 9\n"
	if d := cmp.Diff(want, w.text()); d != "" {
		t.Error(d)
	}
	s := w.serverOf("b c")
	if d := cmp.Diff(append([]string{p.Command}, p.Args...), append([]string{s.Command}, s.Args...)); d != "" || s.CallTimeoutSeconds != 9 {
		t.Error(d)
	}
	_, err = config.AddServer(w.userFile(), p)
	refused(t, err, "there is a server of that name already")

	for range 2 {
		_, err = config.EnableServer(w.userFile(), "b c", false)
		noErr(t, err)
	}
	if w.serverOf("b c").Enabled {
		t.Error("still on")
	}
	_, err = config.EnableServer(w.userFile(), "b c", true)
	noErr(t, err)
	if !w.serverOf("b c").Enabled {
		t.Error("still off")
	}
	_, err = config.EnableServer(w.userFile(), "none", true)
	refused(t, err, "there is no such server")

	_, err = config.RemoveServer(w.userFile(), "b c")
	noErr(t, err)
	if d := cmp.Diff(file, w.text()); d != "" {
		t.Error(d)
	}
	_, err = config.RemoveServer(w.userFile(), "a")
	noErr(t, err)
	if d := cmp.Diff("# mine\nlanguage = \"en\" # why\n\n# about tools\n[tools]\nbash_timeout_seconds = 9\n", w.text()); d != "" {
		t.Error(d)
	}
	_, err = config.RemoveServer(w.userFile(), "a")
	refused(t, err, "there is no such server")
}

func (w world) text() string {
	w.t.Helper()
	text, err := os.ReadFile(w.userFile())
	noErr(w.t, err)
	return string(text)
}

func refused(t *testing.T, err error, want string) {
	t.Helper()
	var e *config.ServerError
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want a *ServerError", err)
	}
	contains(t, e.Error(), want)
}

func TestServersAreAddedToAnyFile(t *testing.T) {
	p := config.Plugin{Name: "s", Type: "http", URL: "https://h", Headers: map[string]string{"A": "b"}, OAuth: config.PluginOAuth{Grant: config.GrantClient, Issuer: "https://i", PrivateKeyEnv: "K", KeyID: "1", SigningAlgorithm: "PS256", ClientID: "c", Scopes: []string{"a b", "c"}}}
	for _, file := range []string{"", "\ufeffa = 1\r\n", string(config.Example()), "plugins = [{ name = 'x', command = 'y' }]\n", "[[plugins]]\nname='x'\n[plugins.tools.'t'] # c\napproval_mode='auto'\n[tools]\n"} {
		w := newWorld(t, file, "")
		if _, err := config.AddServer(w.userFile(), p); err != nil {
			if file == "" || file[0] != 'p' {
				t.Errorf("%q: %v", file, err)
			}
			continue
		}
		s := w.serverOf("s")
		if s.Type != "http" || s.URL != "https://h" || s.Headers["A"] != "b" || s.Enabled || s.Sandbox || cmp.Diff(p.OAuth, s.OAuth) != "" {
			t.Errorf("%q: %+v", file, s)
		}
		_, err := config.RemoveServer(w.userFile(), "s")
		noErr(t, err)
		if _, ok := w.load().Server("s"); ok {
			t.Errorf("%q: still there", file)
		}
	}
	w := newWorld(t, "", "")
	for _, name := range []string{"", "a/b"} {
		_, err := config.AddServer(w.userFile(), config.Plugin{Name: name, Command: "x"})
		refused(t, err, "want a name without a slash")
	}
	inline := newWorld(t, "plugins = [{ name = 'x', command = 'y' }]\n", "")
	_, err := config.RemoveServer(inline.userFile(), "x")
	refused(t, err, "remove it by hand")
}

// Files of other programs, as they write them.
func TestServersOfOtherProgramsAreRead(t *testing.T) {
	list, left, err := config.ImportServers([]byte(`{"inputs": [], "servers": {
  "code": {"type": "stdio", "command": "npx", "args": ["-y", "x", "${workspaceFolder}/a"], "env": {"T": "${input:api-key}", "U": "${env:U}", "H": "${userHome}", "N": "${PLAIN:-d}"}},
  "wind": {"serverUrl": "https://h/sse"}, "gemini": {"httpUrl": "https://h", "headers": {"A": "b"}, "disabled": true},
  "remote": {"type": "remote", "url": "https://h"}, "bad": {"command": 1}, "b/d": {"command": "x"}
}}`))
	noErr(t, err)
	want := []config.Plugin{
		{
			Name: "code", Type: "stdio", Command: "npx", Args: []string{"-y", "x", "${REASONIX_WORKSPACE_ROOT}/a"},
			Env: map[string]string{"T": "${API_KEY}", "U": "${U}", "H": "${HOME}", "N": "${PLAIN:-d}"}, Enabled: true, Sandbox: true,
		},
		{Name: "wind", URL: "https://h/sse", Enabled: true, Sandbox: true},
		{Name: "gemini", URL: "https://h", Headers: map[string]string{"A": "b"}, Sandbox: true},
		{Name: "remote", URL: "https://h", Enabled: true, Sandbox: true},
	}
	if d := cmp.Diff(want, list); d != "" {
		t.Error(d)
	}
	if len(left) != 2 {
		t.Errorf("left out: %v", left)
	}
	for _, text := range []string{"", "{", "[]", `{"mcpServers": {"a": {}, "a": {}}}`} {
		if _, _, err := config.ImportServers([]byte(text)); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

func TestAServerIsReplaced(t *testing.T) {
	w := newWorld(t, "[[plugins]]\nname = 'a'\ncommand = 'x'\nargs = ['1']\n", "")
	for _, name := range []string{"a", "b"} {
		_, err := config.ReplaceServer(w.userFile(), config.Plugin{Name: name, Command: "y", Enabled: true, Sandbox: true})
		noErr(t, err)
		if s := w.serverOf(name); s.Command != "y" || len(s.Args) > 0 {
			t.Errorf("%+v", s)
		}
	}
}
