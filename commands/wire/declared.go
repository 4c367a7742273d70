package wire

import (
	"slices"
	"sync"

	"reasonix/core/config"
)

// declared are the servers of the configuration, for the approval of calls, and those
// that wait for the user's grant. Safe for concurrent use.
type declared struct {
	mu        sync.Mutex
	byName    map[string]config.Server
	untrusted []config.Part
}

func declare(cfg *config.Config) *declared {
	d := &declared{byName: map[string]config.Server{}}
	for _, s := range cfg.Servers() {
		d.byName[s.Name] = s
	}
	for _, p := range cfg.Ungranted {
		if p.Kind == config.PartServer && !cfg.ServerOff(serverName(p)) {
			d.untrusted = append(d.untrusted, p)
		}
	}
	return d
}

func (d *declared) server(name string) (config.Server, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, ok := d.byName[name]
	return s, ok
}

func (d *declared) waiting() []config.Part {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.untrusted)
}

// granted takes a server off the list of those that wait.
func (d *declared) granted(s config.Server) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.untrusted = slices.DeleteFunc(d.untrusted, func(p config.Part) bool { return serverName(p) == s.Name })
	d.byName[s.Name] = s
}

// serverName is the name of the server that a part declares.
func serverName(p config.Part) string {
	parts, err := config.SplitPath(p.Key)
	if err != nil || len(parts) == 0 {
		return p.Label()
	}
	return parts[len(parts)-1]
}

// ownServers are the names of the servers that the user declares, also of those that a
// project lays a block over. It is never nil.
func ownServers(cfg *config.Config) []string {
	names := []string{}
	for _, s := range cfg.Servers() {
		said := cfg.Origins(config.JoinPath([]string{"plugins", s.Name, "name"}))
		if slices.ContainsFunc(said, func(o config.Origin) bool { return o.Layer == config.LayerUser }) {
			names = append(names, s.Name)
		}
	}
	return names
}

// configuredServers are the names of all servers of a configuration, also of those
// that are off, cannot be started or are not trusted.
func configuredServers(cfg *config.Config) []string {
	var names []string
	for _, s := range cfg.Servers() {
		names = append(names, s.Name)
	}
	for _, p := range cfg.Ungranted {
		if p.Kind == config.PartServer {
			names = append(names, serverName(p))
		}
	}
	return names
}
