package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"reasonix/core/event"
	"reasonix/integrations/mcp/shape"
)

// maxOffers is how many prompts, resources or templates of a server are taken note of.
const maxOffers = 5000

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

// wantLogs asks for what a server logs, which goes to its file.
func (l *link) wantLogs() {
	ctx, cancel := context.WithTimeout(l.talk, l.server.cfg.startTimeout())
	defer cancel()
	if r := l.session.InitializeResult(); r == nil || r.Capabilities == nil || r.Capabilities.Logging == nil { //nolint:staticcheck // SA1019: servers of today log
		return
	}
	//nolint:staticcheck // SA1019: servers of today log
	if err := l.session.SetLoggingLevel(ctx, &sdk.SetLoggingLevelParams{Level: "info"}); err != nil {
		l.server.log.note("ask for logs: %v", err)
	}
}

// readPrompts reads the prompts, and tells when they are not what they were. When they
// cannot be read the last word counts.
func (s *server) readPrompts(ctx context.Context, l *link) {
	defer l.known()
	prompts, err := l.prompts(ctx)
	if err != nil {
		s.log.note("list prompts: %v", err)
		return
	}
	if s.turned(l, func() bool {
		before := s.prompts
		s.prompts = prompts
		return !slices.EqualFunc(before, prompts, Prompt.same)
	}) {
		s.remember()
	}
}

// turned makes a change to what is known of the server that l is the connection to,
// and tells of it where change says so.
func (s *server) turned(l *link, change func() bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link != l || !change() {
		return false
	}
	s.turn(event.ServerReady, "")
	return true
}

func (l *link) prompts(ctx context.Context) ([]Prompt, error) {
	if r := l.session.InitializeResult(); r == nil || r.Capabilities == nil || r.Capabilities.Prompts == nil {
		return nil, nil
	}
	var all []Prompt
	var names []string
	for p, err := range l.session.Prompts(ctx, nil) {
		if err != nil || len(all) == maxOffers {
			return l.server.commands(all), err
		}
		if p == nil || p.Name == "" || slices.Contains(names, p.Name) {
			continue
		}
		one := Prompt{Server: l.server.cfg.Name, Name: p.Name, Description: cmp.Or(p.Description, p.Title)}
		for _, a := range p.Arguments {
			if a != nil {
				one.Args = append(one.Args, PromptArg{Name: a.Name, Description: a.Description, Required: a.Required})
			}
		}
		all, names = append(all, one), append(names, p.Name)
	}
	return l.server.commands(all), nil
}

// commands gives the server's prompts their commands and sorts them.
func (s *server) commands(all []Prompt) []Prompt {
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = p.Name
	}
	commands := shape.Names(s.part, names)
	for i, name := range names {
		all[i].Server, all[i].Command = s.cfg.Name, commands[name]
	}
	slices.SortFunc(all, func(a, b Prompt) int { return strings.Compare(a.Command, b.Command) })
	return all
}

// Prompts lists the prompts of the servers by command: of one that is not ready yet
// those that an earlier session saw.
func (set *Set) Prompts() []Prompt {
	var all []Prompt
	for _, s := range set.all() {
		s.mu.Lock()
		if !s.stopped {
			all = append(all, s.prompts...)
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
		p, err := s.awaited(ctx, command)
		if err != nil {
			return "", err
		}
		return s.prompt(ctx, p, args(max(1, len(p.Args))))
	}
	return "", fmt.Errorf("no MCP server of this session has a prompt %s", command)
}

// awaited is the prompt of that command, once they are known.
func (s *server) awaited(ctx context.Context, command string) (Prompt, error) {
	l, err := s.ready(ctx)
	if err != nil {
		return Prompt{}, err
	}
	select {
	case <-l.listed:
	case <-ctx.Done():
		return Prompt{}, context.Cause(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.prompts, func(p Prompt) bool { return p.Command == command })
	if i < 0 {
		return Prompt{}, s.error("it has no prompt " + command)
	}
	return s.prompts[i], nil
}

func (s *server) prompt(ctx context.Context, p Prompt, args []string) (string, error) {
	given, err := p.assign(args)
	if err != nil {
		return "", err
	}
	l, err := s.ready(ctx)
	if err != nil {
		return "", err
	}
	res, err := request(ctx, l, s.cfg.callTimeout(s.set.world, ""), func(ctx context.Context, _ string) (*sdk.GetPromptResult, error) {
		return l.session.GetPrompt(ctx, &sdk.GetPromptParams{Name: p.Name, Arguments: given})
	})
	if err != nil {
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
	return strings.Join(parts, "\n\n"), nil
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
