package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"reasonix/integrations/mcp/shape"
)

// A Prompt is a text that a server makes of arguments.
type Prompt struct {
	Server      string      `json:"-"`
	Name        string      `json:"name"` // the server's own
	Command     string      `json:"-"`    // mcp__server__prompt
	Description string      `json:"about,omitzero"`
	Args        []PromptArg `json:"args,omitzero"`
}

// A PromptArg is an argument of a Prompt.
type PromptArg struct {
	Name        string `json:"name"`
	Description string `json:"about,omitzero"`
	Required    bool   `json:"required,omitzero"`
}

func (p Prompt) same(o Prompt) bool {
	return p.Name == o.Name && p.Description == o.Description && slices.Equal(p.Args, o.Args)
}

// Prompts lists the prompts of the servers by command: of one that is not ready yet
// those that an earlier session saw.
func (set *Set) Prompts() []Prompt {
	var all []Prompt
	for _, s := range set.all() {
		s.mu.Lock()
		if !s.stopped {
			all = append(all, s.known.prompts...)
		}
		s.mu.Unlock()
	}
	slices.SortFunc(all, func(a, b Prompt) int { return strings.Compare(a.Command, b.Command) })
	return all
}

// Prompt has a server make the text of a prompt. It waits until the server is ready
// and its prompts are known, for each no longer than the server may take to start,
// so that any command works from the first moment on. args splits what was typed into n
// arguments at most, in their order.
func (set *Set) Prompt(ctx context.Context, command string, args func(n int) []string) (string, error) {
	part, _, _ := shape.Split(command)
	for _, s := range set.all() {
		if s.part != part {
			continue
		}
		l, err := s.ready(ctx)
		if err != nil {
			return "", err
		}
		p, err := l.prompt(ctx, command)
		if err != nil {
			return "", err
		}
		given, err := p.assign(args(max(1, len(p.Args))))
		if err != nil {
			return "", err
		}
		return l.text(ctx, p, given)
	}
	return "", fmt.Errorf("no MCP server of this session has a prompt %s", command)
}

// prompt is the server's prompt of that command, once they are known.
func (l *link) prompt(ctx context.Context, command string) (Prompt, error) {
	select {
	case <-l.listed:
	case <-ctx.Done():
		return Prompt{}, context.Cause(ctx)
	}
	s := l.server
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.known.prompts, func(p Prompt) bool { return p.Command == command })
	if i < 0 {
		return Prompt{}, s.error("it has no prompt " + command)
	}
	return s.known.prompts[i], nil
}

// text has the server make the text of a prompt.
func (l *link) text(ctx context.Context, p Prompt, given map[string]string) (string, error) {
	s := l.server
	res, err := request(ctx, l, s.cfg.callTimeout(*s.world, ""), func(ctx context.Context, _ string) (*sdk.GetPromptResult, error) {
		return l.session.GetPrompt(ctx, &sdk.GetPromptParams{Name: p.Name, Arguments: given})
	})
	if err != nil {
		if ctx.Err() != nil { // nobody waits, and it is no fault of the server's
			return "", context.Cause(ctx)
		}
		return "", s.error(fmt.Sprintf("prompt %s: %v", p.Name, err))
	}
	s.worked()
	var parts []string
	for _, m := range res.Messages {
		if m == nil {
			continue
		}
		text := said(m.Content)
		if m.Role == "assistant" {
			text = "Assistant: " + text
		}
		parts = append(parts, text)
	}
	return atMost(strings.Join(parts, "\n\n")), nil
}

// said is the text of a content, or a word for what is none.
func said(c sdk.Content) string {
	return shape.Result(&sdk.CallToolResult{Content: []sdk.Content{c}}, shape.Options{Limit: maxAnswer}).Text
}

// assign gives arguments their names.
func (p Prompt) assign(args []string) (map[string]string, error) {
	given := map[string]string{}
	for i, a := range p.Args {
		switch {
		case i < len(args):
			given[a.Name] = args[i]
		case a.Required:
			return nil, fmt.Errorf("/%s needs a value for %s", p.Command, a.Name)
		}
	}
	if len(args) > 0 && len(p.Args) == 0 {
		return nil, fmt.Errorf("/%s takes no arguments", p.Command)
	}
	return given, nil
}
