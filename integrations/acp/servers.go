package acp

import (
	"reasonix/core/protocol"
	"reasonix/integrations/internal/acpwire"
	"reasonix/integrations/internal/jsonrpc"
)

// serverSpecs are the MCP servers that a client brings along.
func serverSpecs(method string, list []acpwire.MCPServer) ([]protocol.ServerSpec, error) {
	bad := func(format string, args ...any) error {
		return jsonrpc.InvalidParams(method, "mcpServers", format, args...)
	}
	seen := map[string]bool{}
	var specs []protocol.ServerSpec
	for _, m := range list {
		if m.Name == "" {
			return nil, bad("MCP server name is required")
		}
		if seen[m.Name] {
			return nil, bad("MCP server %q is named twice", m.Name)
		}
		seen[m.Name] = true
		switch m.Type {
		case "", "stdio":
			if m.Command == "" {
				return nil, bad("MCP server %q command is required", m.Name)
			}
			specs = append(specs, protocol.ServerSpec{Name: m.Name, Type: "stdio", Command: m.Command, Args: m.Args, Env: m.Env})
		case "http", "sse":
			if m.URL == "" {
				return nil, bad("MCP server %q url is required", m.Name)
			}
			specs = append(specs, protocol.ServerSpec{Name: m.Name, Type: m.Type, URL: m.URL, Headers: m.Headers})
		default:
			return nil, bad("MCP server %q uses unsupported transport %q", m.Name, m.Type)
		}
	}
	return specs, nil
}
