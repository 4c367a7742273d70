package wire

import (
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
