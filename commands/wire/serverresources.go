package wire

import (
	"context"
	"strings"

	"reasonix/core/event"
	"reasonix/core/mention"
	"reasonix/integrations/mcp"
)

// serverResources are what references can name of servers.
type serverResources struct{ *servers }

// Servers implements mention.Resources.
func (r serverResources) Servers() []string { return r.set.Named() }

// Lost implements mention.Resources.
func (r serverResources) Lost(server string) (why string, known bool) {
	for _, s := range r.set.States() {
		if s.Name == server && (s.State == event.ServerFailed || s.State == event.ServerStopped) {
			line, _, _ := strings.Cut(s.Detail, "\n")
			return strings.TrimSuffix("the MCP server is "+s.State+": "+line, ": "), true
		}
	}
	for _, p := range r.declared.waiting() {
		if serverName(p) == server {
			return "this project's MCP server is not trusted: `" + p.TrustCommand() + "` lets it start", true
		}
	}
	return "", false
}

// Read implements mention.Resources.
func (r serverResources) Read(ctx context.Context, server, uri string) (string, error) {
	return r.set.ReadResource(ctx, server, uri)
}

// List implements mention.Resources.
func (r serverResources) List() []mention.Resource { return mentioned(r.set.Resources()) }

// Continue implements mention.Resources.
func (r serverResources) Continue(ctx context.Context, server, uri string) []mention.Resource {
	return mentioned(r.set.Continue(ctx, server, uri))
}

func mentioned(all []mcp.Resource) []mention.Resource {
	list := make([]mention.Resource, len(all))
	for i, r := range all {
		list[i] = mention.Resource{Server: r.Server, URI: r.URI, Name: r.Name, Open: r.Open}
	}
	return list
}
