package wire

import (
	"context"
	"slices"
	"strings"

	"reasonix/core/engine"
	"reasonix/core/protocol"
	"reasonix/core/slash"
	"reasonix/integrations/mcp"
)

// commands are the prompts of the servers that are connected.
func (s *servers) commands() []slash.Command {
	var list []slash.Command
	for _, p := range s.set.Prompts() {
		hints := make([]string, len(p.Args))
		for i, a := range p.Args {
			hints[i] = "[" + a.Name + "]"
			if a.Required {
				hints[i] = "<" + a.Name + ">"
			}
		}
		list = append(list, slash.Command{
			Name: p.Command, Hint: strings.Join(hints, " "), Help: p.Description, Source: p.Server, Kind: slash.KindText,
			Text: func(ctx context.Context, args string) (string, error) {
				return s.set.Prompt(ctx, p.Command, func(n int) []string { return slash.Arguments(args, n) })
			},
		})
	}
	return list
}

// late is the command of a server whose prompts are not known yet: it waits for them
// when it is called, and fails when there is none of that name.
func (s *servers) late(name, text string) (engine.Command, bool) {
	if !strings.HasPrefix(name, "mcp__") || len(s.set.Named()) == 0 {
		return engine.Command{}, false
	}
	_, args, _ := strings.Cut(text, name)
	return engine.Command{Name: name, Text: func(ctx context.Context) (string, error) {
		return s.set.Prompt(ctx, name, func(n int) []string { return slash.Arguments(strings.TrimSpace(args), n) })
	}}, true
}

// completions are what the argument that ends text, a prompt of a server, may go on with;
// ok is false where text is no such prompt.
func (s *servers) completions(ctx context.Context, text string) (list []protocol.Completion, ok bool) {
	name, args, spaced := strings.Cut(strings.TrimPrefix(text, "/"), " ")
	prompts := s.set.Prompts()
	at := slices.IndexFunc(prompts, func(p mcp.Prompt) bool { return p.Command == name })
	if !spaced || at < 0 || !strings.HasPrefix(text, "/") {
		return nil, false
	}
	declared := len(prompts[at].Args)
	given, value := slash.Arguments(args, declared), ""
	if len(given) > 0 && strings.HasSuffix(text, given[len(given)-1]) {
		given, value = given[:len(given)-1], given[len(given)-1]
	}
	for _, v := range s.set.Complete(ctx, name, given, value) {
		if strings.Contains(v, " ") && len(given)+1 < declared {
			continue // it would be two
		}
		list = append(list, protocol.Completion{Insert: v, Label: v, Kind: "argument", From: len(text) - len(value), To: len(text)})
	}
	return list, true
}
