package config_test

import "testing"

func TestTheDemoModelIsThereWithoutConfiguration(t *testing.T) {
	const own = "[[providers]]\nname = \"mine\"\nbase_url = \"http://h\"\nmodel = \"m\"\napi_key_env = \"\"\n"
	const named = "[[providers]]\nname = \"demo\"\nbase_url = \"http://localhost\"\nmodels = [\"demo\", \"x\"]\ndefault = \"x\"\napi_key_env = \"\"\n"
	for _, tt := range []struct {
		name, user, project, ref, want, kind string
	}{
		{"no file", "", "", "demo", "demo/demo", "demo"},
		{"in full", "", "", "demo/demo", "demo/demo", "demo"},
		{"beside providers of the user's", own, "", "demo", "demo/demo", "demo"},
		{"as the default model", "default_model = \"demo\"\n" + own, "", "", "demo/demo", "demo"},
		{"a provider of that name is the user's", named, "", "demo", "demo/x", "openai"},
		{"its full name cannot be taken", named, "", "demo/demo", "demo/demo", "demo"},
		{"nor by a project", "", named, "demo/demo", "demo/demo", "demo"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newWorld(t, tt.user, tt.project).load()
			m, err := c.ResolveModel(tt.ref)
			noErr(t, err)
			if m.Ref != tt.want || m.Provider.Kind != tt.kind || tt.ref == "" && !m.Default {
				t.Errorf("got %s of kind %s, default %v; want %s of kind %s", m.Ref, m.Provider.Kind, m.Default, tt.want, tt.kind)
			}
			if key, err := c.Key(m.Provider); key != "" || err != nil {
				t.Errorf("key %q, %v", key, err)
			}
			if len(c.Warnings) > 0 {
				t.Errorf("warnings: %v", c.Warnings)
			}
		})
	}
}

func TestTheDemoModelIsNotOffered(t *testing.T) {
	for _, m := range newWorld(t, "", "").load().Models() {
		if m.Provider.Kind == "demo" {
			t.Errorf("%s is listed", m.Ref)
		}
	}
}
