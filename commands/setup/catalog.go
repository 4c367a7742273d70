package setup

import (
	"net"
	"net/url"
	"strings"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
	"reasonix/core/provider"
)

// An entry is one provider of the catalogue.
type entry struct {
	name, display, url string
	keyEnv             string // "": it wants no key
	local              bool   // a server on this machine
	openList           bool   // its list of models needs no key, so it proves none
}

// catalog lists the providers setup offers, those on this machine last: the
// profiles of core/provider. Anything else is "custom".
func catalog(app *cmdutil.App) []entry {
	var entries []entry
	for _, p := range provider.Profiles() {
		e := entry{name: p.Name, display: p.Display, url: p.BaseURL, keyEnv: p.KeyEnv, local: p.Local, openList: p.OpenList}
		if e.name == "ollama" {
			e.url = ollamaURL(app.Getenv("OLLAMA_HOST"))
		}
		entries = append(entries, e)
	}
	return entries
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
