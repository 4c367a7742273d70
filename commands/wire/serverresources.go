package wire

import (
	"context"
	"strings"

	"reasonix/core/event"
	"reasonix/core/mention"
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
func (r serverResources) List(ctx context.Context) []mention.Resource {
	var list []mention.Resource
	for _, x := range r.set.Resources(ctx) {
		list = append(list, mention.Resource{Server: x.Server, URI: x.URI, Name: x.Name})
	}
	return list
}
