package config_test

import (
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/config"
)

// FuzzLoad: any two files give a configuration or errors, never both and never a
// panic; the lenient load always gives one; and what loads can be shown.
func FuzzLoad(f *testing.F) {
	for _, text := range []string{
		mine, several, string(config.Example()), "providers = [[{ name = 'a' }], 1]\n", "[[providers]]\nname = 'a'\nprices = [{ input = 1 }]\nmodel_overrides = 1\n",
		"[[agent]]\n[providers]\nname = 1\n[[plugins]]\nname = 'p'\n[[plugins.tools]]\nx = 1\n", "agent.subagent_models = [{ a = 'x' }]\n\"#0\" = 1\n",
		"[agent.subagent_models]\n'' = 'x'\n\"a.b\" = '~/$HOME'\n", "permissions = 1979-05-27\nagent = { temperature = inf }\n", "[[providers]]\nname = 'deepseek'\n[providers.extra_body]\na = [{ b = 1 }]\n",
	} {
		f.Add([]byte(text), []byte(text))
		f.Add([]byte(text), []byte("\ufeff[ui]\r\n"))
		f.Add([]byte(`{"mcpServers": {"a": {"command": "x"}}}`), []byte(text))
	}
	dir := f.TempDir()
	home, work := filepath.Join(dir, "home"), filepath.Join(dir, "work")
	f.Fuzz(func(t *testing.T, user, project []byte) {
		in := config.Input{Home: home, Workspace: work, Environ: []string{"HOME=/me"}, Texts: map[string][]byte{
			filepath.Join(home, "config.toml"): user, filepath.Join(work, "reasonix.toml"): project, filepath.Join(work, ".mcp.json"): user,
		}}
		if len(project)%2 == 0 {
			in.Granted = func(p config.Part) bool { return p.Hash[0]%2 == 0 }
		}
		c, err := config.Load(in)
		if (c == nil) == (err == nil) {
			t.Fatalf("got %v and %v", c, err)
		}
		if err != nil && len(config.Errors(err)) == 0 {
			t.Fatalf("an error without a place: %v", err)
		}
		lenient, again := config.LoadLenient(in)
		if lenient == nil || (again == nil) != (err == nil) {
			t.Fatalf("lenient: %v, %v", lenient, again)
		}
		for _, s := range lenient.Settings() {
			if _, err := config.SplitPath(s.Key); err != nil {
				t.Fatal(err)
			}
			config.Render(s.Value)
			_ = lenient.Origins(s.Key)
		}
		for _, p := range append(lenient.Granted, lenient.Ungranted...) {
			if p.Key == "" || p.File == "" || p.Effect == "" || strings.ContainsAny(p.Text, "\x1b\n\u202e") {
				t.Fatalf("a part that cannot be shown: %+v", p)
			}
		}
		_ = lenient.SecretValues()
		for _, m := range lenient.Models() {
			_, _ = lenient.Key(m.Provider)
		}
	})
}
