package setup

import (
	"net"
	"net/url"
	"strings"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
)

// An entry is one provider of the catalogue.
type entry struct {
	name, display, url string
	keyEnv             string // "": it wants no key
	local              bool   // a server on this machine
	openList           bool   // its list of models needs no key, so it proves none
}

// catalog lists the providers setup offers, those on this machine last. They are
// ordinary OpenAI-compatible endpoints; anything else is "custom".
func catalog(app *cmdutil.App) []entry {
	return []entry{
		{name: "deepseek", display: "DeepSeek", url: "https://api.deepseek.com", keyEnv: "DEEPSEEK_API_KEY"},
		{name: "openai", display: "OpenAI", url: "https://api.openai.com/v1", keyEnv: "OPENAI_API_KEY"},
		{name: "openrouter", display: "OpenRouter", url: "https://openrouter.ai/api/v1", keyEnv: "OPENROUTER_API_KEY", openList: true},
		{name: "moonshot", display: "Moonshot", url: "https://api.moonshot.ai/v1", keyEnv: "MOONSHOT_API_KEY"},
		{name: "zhipu", display: "Zhipu", url: "https://open.bigmodel.cn/api/paas/v4", keyEnv: "ZHIPU_API_KEY"},
		{name: "dashscope", display: "DashScope", url: "https://dashscope.aliyuncs.com/compatible-mode/v1", keyEnv: "DASHSCOPE_API_KEY"},
		{name: "groq", display: "Groq", url: "https://api.groq.com/openai/v1", keyEnv: "GROQ_API_KEY"},
		{name: "mistral", display: "Mistral", url: "https://api.mistral.ai/v1", keyEnv: "MISTRAL_API_KEY"},
		{name: "xai", display: "xAI", url: "https://api.x.ai/v1", keyEnv: "XAI_API_KEY"},
		{name: "together", display: "Together", url: "https://api.together.xyz/v1", keyEnv: "TOGETHER_API_KEY"},
		{name: "ollama", display: "Ollama", url: ollamaURL(app.Getenv("OLLAMA_HOST")), local: true},
		{name: "lmstudio", display: "LM Studio", url: "http://127.0.0.1:1234/v1", local: true},
		{name: "llamacpp", display: "llama.cpp", url: "http://127.0.0.1:8080/v1", local: true},
		{name: "vllm", display: "vLLM", url: "http://127.0.0.1:8000/v1", local: true},
	}
}

// ollamaURL is where Ollama listens according to OLLAMA_HOST, which its own tools
// read too: a host, host:port or URL.
func ollamaURL(host string) string {
	const port = "11434"
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		u = &url.URL{Scheme: "http"}
	}
	name := u.Hostname()
	if ip := net.ParseIP(name); name == "" || ip != nil && ip.IsUnspecified() {
		name = "127.0.0.1"
	}
	p := u.Port()
	if p == "" {
		p = port
	}
	return u.Scheme + "://" + net.JoinHostPort(name, p) + "/v1"
}

// provider is the entry as configuration.
func (e entry) provider() config.Provider {
	return config.Provider{
		Name: e.name, DisplayName: e.display, Kind: "openai", BaseURL: e.url, APIKeyEnv: new(e.keyEnv), ReasoningProtocol: "auto",
	}
}

// keyName is the customary variable for the key of a provider.
func keyName(name string) string {
	upper := strings.ToUpper(strings.ReplaceAll(name, "-", "_")) + "_API_KEY"
	if upper[0] >= '0' && upper[0] <= '9' {
		return "_" + upper
	}
	return upper
}
