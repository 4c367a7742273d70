package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"reasonix/core/event"
	"reasonix/core/tool"
	"reasonix/integrations/mcp"
	"reasonix/sandbox"
)

// tools are the extra tools of a session's registry.
func (s *servers) tools() []tool.Tool {
	var tools []tool.Tool
	for _, t := range s.set.Tools() {
		tools = append(tools, compared{t, s})
	}
	if search, ok := s.set.Search(); ok {
		tools = append(tools, search)
	}
	return tools
}

// trusted are the tools that somebody has looked at and found to read only.
func (s *servers) trusted() []tool.Tool {
	var tools []tool.Tool
	for _, t := range s.set.Tools() {
		if s.set.Trusted(t.Name()) {
			tools = append(tools, compared{t, s})
		}
	}
	return tools
}

// find finds a server's tool that the model was not told of. One of a server that is
// not there says so.
func (s *servers) find(name string) (tool.Tool, bool) {
	if t, ok := s.set.Find(name); ok {
		return compared{t, s}, true
	}
	if of, ok := s.set.ServerOf(name); ok && of.State != event.ServerReady {
		return absent{name: name, server: of.Name, of: s.set}, true
	}
	return nil, false
}

// absent is a tool of a server that is not there. What it does is not known, so that it
// never runs: the call starts a server that failed, waits for one that comes up, and says
// what became of it.
type absent struct {
	name, server string
	of           *mcp.Set
}

func (a absent) Name() string          { return a.name }
func (absent) Description() string     { return "not there" }
func (absent) Schema() json.RawMessage { return json.RawMessage(`{"type":"object"}`) }
func (absent) ReadOnly() bool          { return true } // it does nothing at all

func (a absent) Execute(ctx context.Context, _ json.RawMessage) (string, error) {
	a.of.Wait(ctx, mcp.DefaultStartTimeout)
	if a.failed() {
		if err := a.of.Act(ctx, a.server, "connect"); err != nil {
			return "", err
		}
	}
	if _, ok := a.of.Find(a.name); ok {
		return "", fmt.Errorf("the MCP server %s was not up yet; it is up now: call %s again", a.server, a.name)
	}
	for _, s := range a.of.States() {
		if s.Name == a.server {
			return "", fmt.Errorf("the MCP server %s is %s: %s", s.Name, s.State, s.Detail)
		}
	}
	return "", fmt.Errorf("there is no MCP server %s any more", a.server)
}

// failed reports whether the server tried to start and could not; one that a person
// stopped stays stopped.
func (a absent) failed() bool {
	return slices.ContainsFunc(a.of.States(), func(s mcp.State) bool { return s.Name == a.server && s.State == event.ServerFailed })
}

// compared is a server's tool after whose calls the protected files are compared: a
// server lives as long as the session, and what it changed of them goes back at once.
type compared struct {
	tool.Tool
	of *servers
}

// Execute implements tool.Tool.
func (c compared) Execute(ctx context.Context, args json.RawMessage) (string, error) {
	text, err := c.Tool.Execute(ctx, args)
	if paths := sandbox.Check(c.of.run); len(paths) > 0 {
		list := filepath.ToSlash(strings.Join(paths, ", "))
		told := c.of.emit(event.Notice{
			Level: event.LevelWarning, Code: "put_back", Args: []string{list},
			Text: "changed beside this call and put back, because a person decides about such files: " + list,
		})
		err = errors.Join(err, told)
	}
	return text, err
}

// Subject implements tool.Subjecter.
func (c compared) Subject(args json.RawMessage) tool.Subject {
	if s, ok := c.Tool.(tool.Subjecter); ok {
		return s.Subject(args)
	}
	return tool.Subject{Title: c.Name(), Kind: "other"}
}
