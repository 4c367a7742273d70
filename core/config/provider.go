package config

// Provider is one endpoint with its models.
type Provider struct {
	Name        string   `toml:"name"`
	DisplayName string   `toml:"display_name"`
	Kind        string   `toml:"kind"`
	BaseURL     string   `toml:"base_url"`
	ChatURL     string   `toml:"chat_url"`
	ModelsURL   string   `toml:"models_url"`
	Model       string   `toml:"model"`
	Models      []string `toml:"models"`
	Default     string   `toml:"default"`
	// APIKeyEnv names a variable of <home>/.env; "" wants no key, nil is unset.
	APIKeyEnv *string           `toml:"api_key_env"`
	Headers   map[string]string `toml:"headers"`
	ExtraBody map[string]any    `toml:"extra_body"`

	ContextWindow     int              `toml:"context_window"`    // tokens, 0: no compaction
	MaxOutputTokens   int              `toml:"max_output_tokens"` // 0: not sent
	Price             *Price           `toml:"price"`
	Prices            map[string]Price `toml:"prices"` // by model
	ReasoningProtocol string           `toml:"reasoning_protocol"`
	Effort            string           `toml:"effort"`
	SupportedEfforts  []string         `toml:"supported_efforts"`
	DefaultEffort     string           `toml:"default_effort"`
	Vision            bool             `toml:"vision"`
	VisionModels      []string         `toml:"vision_models"`

	ConnectTimeoutSeconds   float64 `toml:"connect_timeout_seconds"` // 0: the kind's own
	FirstByteTimeoutSeconds float64 `toml:"first_byte_timeout_seconds"`
	IdleTimeoutSeconds      float64 `toml:"idle_timeout_seconds"`

	ModelOverrides map[string]ModelOverride `toml:"model_overrides"`

	// Untrusted is set when a project file says where this provider's requests
	// go or what they carry, and the user has not granted that: it is not used.
	Untrusted bool `toml:"-"`
	// FromProject is set when only a project's file declares the provider.
	FromProject bool `toml:"-"`
}

// ModelOverride replaces a provider's setting for one model. Nil and zero fields
// inherit.
type ModelOverride struct {
	ContextWindow     int      `toml:"context_window"`
	MaxOutputTokens   int      `toml:"max_output_tokens"`
	ReasoningProtocol string   `toml:"reasoning_protocol"`
	Effort            string   `toml:"effort"`
	SupportedEfforts  []string `toml:"supported_efforts"`
	DefaultEffort     string   `toml:"default_effort"`
	Vision            *bool    `toml:"vision"`
}

// Price is what a million tokens cost.
type Price struct {
	CacheHit float64 `toml:"cache_hit"`
	Input    float64 `toml:"input"`
	Output   float64 `toml:"output"`
	Currency string  `toml:"currency"` // ISO 4217, "USD" when left out
}

// models lists what p offers: model first, then models, each once.
func (p *Provider) models() []string {
	var names []string
	seen := map[string]bool{"": true}
	for _, m := range append([]string{p.Model}, p.Models...) {
		if !seen[m] {
			seen[m] = true
			names = append(names, m)
		}
	}
	return names
}

// defaultModel is the model p's bare name stands for, "" when it offers none.
func (p *Provider) defaultModel() string {
	if p.Default != "" {
		return p.Default
	}
	if names := p.models(); len(names) > 0 {
		return names[0]
	}
	return ""
}

// preset is the provider that is there while the user has defined none.
func preset() map[string]any {
	price := func(hit, in, out float64) map[string]any {
		return map[string]any{"cache_hit": hit, "input": in, "output": out, "currency": "USD"}
	}
	return map[string]any{
		"name":               "deepseek",
		"display_name":       "DeepSeek",
		"kind":               "openai",
		"base_url":           "https://api.deepseek.com",
		"models":             []any{"deepseek-v4-flash", "deepseek-v4-pro"},
		"default":            "deepseek-v4-flash",
		"api_key_env":        "DEEPSEEK_API_KEY",
		"context_window":     int64(1_000_000),
		"reasoning_protocol": "deepseek",
		"supported_efforts":  []any{"disabled", "low", "high", "max"},
		"default_effort":     "high",
		"prices": map[string]any{
			"deepseek-v4-flash": price(0.006, 0.3, 1.2),
			"deepseek-v4-pro":   price(0.044, 1.32, 3.96),
		},
	}
}
