package mcp

import (
	"context"
	"fmt"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// askTime is how long a server may take to complete what somebody types.
const askTime = 2 * time.Second

var errLate = fmt.Errorf("no answer within %s", askTime)

// Complete asks a server how an argument of a prompt may go on, of which value is typed;
// given are those before it. A server that cannot tell has no suggestions.
func (set *Set) Complete(ctx context.Context, command string, given []string, value string) []string {
	all := set.Prompts()
	i := slices.IndexFunc(all, func(p Prompt) bool { return p.Command == command })
	if i < 0 || len(given) >= len(all[i].Args) {
		return nil
	}
	p := all[i]
	s, err := set.server(p.Server)
	if err != nil {
		return nil
	}
	before := map[string]string{}
	for i, text := range given {
		before[p.Args[i].Name] = text
	}
	s.mu.Lock()
	l := s.link
	s.mu.Unlock()
	if l == nil {
		return nil
	}
	return l.complete(ctx, &sdk.CompleteReference{Type: "ref/prompt", Name: p.Name}, p.Args[len(given)].Name, value, before)
}

// complete asks the server for values where it says that it has any. Why one does not
// answer is a notice, once until it does again.
func (l *link) complete(ctx context.Context, of *sdk.CompleteReference, name, value string, given map[string]string) []string {
	if l.lister().can().Completions == nil {
		return nil
	}
	params := &sdk.CompleteParams{Ref: of, Argument: sdk.CompleteParamsArgument{Name: name, Value: value}}
	if len(given) > 0 {
		params.Context = &sdk.CompleteContext{Arguments: given}
	}
	limited, cancel := context.WithTimeoutCause(ctx, askTime, errLate)
	defer cancel()
	res, err := request(limited, l, askTime, func(ctx context.Context, _ string) (*sdk.CompleteResult, error) {
		return l.session.Complete(ctx, params)
	})
	if ctx.Err() != nil { // nobody waits for it any more
		return nil
	}
	s := l.server
	s.mu.Lock()
	again := s.mute
	s.mute = err != nil
	s.mu.Unlock()
	if err != nil {
		if !again {
			s.set.warn("mcp.complete", []string{s.cfg.Name, err.Error()}, fmt.Sprintf("MCP server %s does not complete what is typed: %v", s.cfg.Name, err))
		}
		return nil
	}
	return res.Completion.Values
}
