package wire

import (
	"os"
	"path/filepath"
	"testing"

	"reasonix/core/config"
	"reasonix/core/event"
	_ "reasonix/core/provider/demo"
	"reasonix/core/slash"
)

// auto is the configured effort, not the stored one, and needs no efforts to choose from.
func TestAutoIsTheModelsOwnEffort(t *testing.T) {
	m := config.Provider{Name: "p", Kind: "demo", Model: "m", SupportedEfforts: []string{"low", "high"}, Effort: "high"}
	plain := config.Provider{Name: "plain", Kind: "demo", Model: "m"}
	named := config.Provider{Name: "named", Kind: "demo", Model: "m", SupportedEfforts: []string{"auto", "high"}, Effort: "high"}
	e := endpoints{cfg: &config.Config{Providers: []config.Provider{m, plain, named}}}
	for _, c := range []struct{ ref, effort, want string }{
		{"p", "", "low"}, {"p", "auto", "high"}, {"plain", "auto", ""}, {"named", "auto", "auto"},
	} {
		got, err := e.choose(c.ref, c.effort, event.Configured{Model: "p/m", Effort: "low"})
		if err != nil || got.Effort != c.want {
			t.Errorf("%s, %q: %q, %v, want %q", c.ref, c.effort, got.Effort, err, c.want)
		}
	}
	if _, err := e.choose("p", "huge", event.Configured{}); err == nil {
		t.Error("an effort that nobody has")
	}
}

func TestBuiltInCommandsAreDefinedOnce(t *testing.T) {
	if twice := slash.NewSet(new(reports).commands(), slash.Builtins()).Shadowed(); len(twice) > 0 {
		t.Errorf("defined twice: %v", twice)
	}
}

// A name with a dot is quoted in a key, and a project's provider of such a name is told
// like any other; so is a program that a project names, which is never run.
func TestNamesWithDotsAreAProjectsToo(t *testing.T) {
	dir := t.TempDir()
	text := "[[providers]]\nname = \"a.b\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1:9\"\napi_key_env = \"\"\n[environment.tools]\n\"x.y\" = \"./x\"\n"
	if err := os.WriteFile(filepath.Join(dir, config.ProjectFileName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := World{Home: t.TempDir(), Trust: true}.load(dir)
	if err != nil {
		t.Fatal(err)
	}
	m, err := cfg.ResolveModel("a.b/m")
	if err != nil {
		t.Fatal(err)
	}
	if told := foreignEndpoint(cfg, m); len(told) != 1 {
		t.Errorf("where the conversation goes is not told: %v", told)
	}
	if o := (prefix{cfg: cfg}).programs(); len(o.Tools) > 0 || o.ProjectTools["x.y"] == "" {
		t.Errorf("run: %v, listed: %v", o.Tools, o.ProjectTools)
	}
}
