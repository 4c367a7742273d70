package wire

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"reasonix/core/config"
	"reasonix/core/event"
	"reasonix/core/memory"
	"reasonix/core/permission"
	"reasonix/core/slash"
)

// reports are the commands that answer with what is the case in a session. They
// are plain text in every front end.
type reports struct {
	session   event.SessionID
	stands    func() event.CaughtUp // where the session stands now
	cfg       *config.Config
	workspace string
	facts     *memory.Store
	held      func() string // what holds a command that starts now
	policy    func() (permission.Policy, error)

	models     *models
	servers    *servers
	hooks      *hooks
	extensions *extensions
}

// commands are the reports as a person calls them.
func (r *reports) commands() []slash.Command {
	list := []slash.Command{
		{Name: "context", Help: "How full the model's window is", Report: r.context},
		{Name: "cost", Help: "What this session used and cost", Report: r.cost},
		{Name: "help", Hint: "[command]", Help: "List the commands", Report: r.help},
		{Name: "hooks", Help: "The hooks that run in this session", Report: r.hooked},
		{Name: "mcp", Hint: "[connect|disconnect|restart NAME]", Help: "The MCP servers, their state and what they offer; or do something to one", Report: r.mcp},
		{Name: "memory", Hint: "[words]", Help: "The facts that are kept, or those about some words", Report: r.memory},
		{Name: "permissions", Help: "The rules that decide calls", Report: r.permissions},
		{Name: "skills", Help: "The skills, and how to call them", Report: r.skills},
		{Name: "status", Help: "Model, approvals, sandbox and session", Report: r.status},
	}
	for i := range list {
		list[i].Kind, list[i].Source = slash.KindReport, slash.SourceBuiltin
	}
	return list
}

// NeedsNoModel reports whether the command of that name, with the slash or without,
// answers without a model, in every workspace.
func NeedsNoModel(command string) bool {
	name := strings.ToLower(strings.TrimPrefix(command, "/"))
	return slices.ContainsFunc(new(reports).commands(), func(c slash.Command) bool { return c.Name == name })
}

func (r *reports) help(_ context.Context, args string) (string, error) {
	set := r.extensions.set()
	if args == "" {
		return set.Help(slash.KindFront), nil // a front end that does those itself lists them itself, too
	}
	c, _, ok, err := set.Lookup("/" + strings.TrimPrefix(args, "/"))
	if err != nil {
		return "", err
	}
	if !ok {
		return "", fmt.Errorf("%q is no name of a command", args)
	}
	text := strings.TrimSpace("/"+c.Name+" "+c.Hint) + "\n" + c.Help + "\n"
	if c.Kind == slash.KindFront {
		text += "It cannot be used here.\n"
	}
	return text, nil
}

func (r *reports) status(context.Context, string) (string, error) {
	c := r.stands().Configured
	var t strings.Builder
	fmt.Fprintf(&t, "Model: %s", cmp.Or(c.Model, "none that can be used"))
	if c.Effort != "" {
		fmt.Fprintf(&t, " (effort %s)", c.Effort)
	}
	fmt.Fprintf(&t, "\nWork mode: %s\nApprovals: %s\nWorkspace: %s\nCommands are: %s\nSession: %s\nConfiguration: %s",
		cmp.Or(c.WorkMode, event.WorkBalanced), c.Approval, r.workspace, r.held(), r.session, r.cfg.UserFile)
	return t.String(), nil
}

func (r *reports) context(context.Context, string) (string, error) {
	used := r.stands().Standing.Context.Tokens
	m := r.models.current()
	window := m.ContextWindow
	switch {
	case m.Ref == "":
		return fmt.Sprintf("%d tokens in the last request; there is no model that can be used.", used), nil
	case used == 0:
		return "Nothing is counted yet: no request was made since the session began, or went back.", nil
	case window == 0:
		return fmt.Sprintf("%d tokens in the last request; the window of %s is not configured (context_window).", used, m.Ref), nil
	}
	return fmt.Sprintf("%d of %d tokens (%d%%) of %s; the work is folded at %d%%.",
		used, window, used*100/window, m.Ref, int(r.cfg.Agent.CompactRatio*100)), nil
}

func (r *reports) cost(context.Context, string) (string, error) {
	s := r.stands().Standing
	u := s.Usage
	text := fmt.Sprintf("Tokens read: %d (%d of them from the cache), written: %d.", u.Prompt(), u.CacheRead, u.Output)
	for _, c := range s.Cost {
		text += fmt.Sprintf(" %.4f %s.", c.Amount, c.Currency)
	}
	if len(s.Cost) == 0 {
		text += " The price of the model is not known."
	}
	return text, nil
}

func (r *reports) permissions(context.Context, string) (string, error) {
	p, err := r.policy()
	if err != nil {
		return "", err
	}
	var t strings.Builder
	for _, list := range []struct {
		word  string
		rules []permission.Rule
	}{{"deny", p.Deny}, {"ask", p.Ask}, {"allow", p.Allow}} {
		for _, r := range list.rules {
			fmt.Fprintf(&t, "%-5s  %s  (%s)\n", list.word, r, cmp.Or(r.Source, "flag"))
		}
	}
	fmt.Fprintf(&t, "%-5s  every other call that may change something\n", p.Mode)
	return t.String(), nil
}

func (r *reports) hooked(context.Context, string) (string, error) {
	return cmp.Or(r.hooks.report(), "No hooks are configured (docs/hooks.md)."), nil
}

func (r *reports) skills(context.Context, string) (string, error) {
	return cmp.Or(r.extensions.report(), "There are no skills (docs/skills.md)."), nil
}

func (r *reports) memory(_ context.Context, words string) (string, error) {
	if words != "" {
		found, err := r.facts.Search(words, memory.Filter{}, 10)
		if err != nil {
			return "", err
		}
		var t strings.Builder
		for _, h := range found.Hits {
			t.WriteString(factLine(h.Fact))
		}
		return cmp.Or(t.String(), "No fact is about that."), nil
	}
	found, err := r.facts.List(memory.Filter{})
	if err != nil {
		return "", err
	}
	var t strings.Builder
	for _, f := range found.Facts {
		t.WriteString(factLine(f))
	}
	return cmp.Or(t.String(), "No facts are kept (docs/memory.md)."), nil
}

func factLine(f memory.Fact) string {
	return fmt.Sprintf("%s  (%s, %s)  %s\n", f.ID, f.Scope, f.Type, f.Title)
}

func (r *reports) mcp(ctx context.Context, args string) (string, error) {
	if args != "" {
		return r.servers.act(ctx, args)
	}
	if err := r.servers.settle(ctx); err != nil {
		return "", err
	}
	return cmp.Or(r.servers.report(), "No MCP servers are configured (docs/mcp.md)."), nil
}
