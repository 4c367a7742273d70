package config

// The built-in demo model needs no configuration, no key and no network, so it
// is there beside whatever providers the user has. demoRef always means it;
// demoName alone means it while no provider of the user's has that name. It is in no list of
// models: nobody should choose it by accident.
const (
	demoName = "demo"
	demoRef  = "demo/demo"
)

// isDemo reports whether ref means the built-in demo model.
func (c *Config) isDemo(ref string) bool {
	if ref != demoName {
		return ref == demoRef
	}
	own := c.own()
	return own.provider(demoName) == nil && len(own.offering(demoName)) == 0
}

// demo is the built-in demo model.
func (c *Config) demo() Model {
	p := &Provider{
		Name: demoName, DisplayName: "Demo", Kind: "demo", Model: "demo", APIKeyEnv: new(""), ReasoningProtocol: "auto",
	}
	m := resolved(p, p.Model)
	m.Default = c.DefaultModel == demoRef || c.isDemo(c.DefaultModel)
	return m
}
