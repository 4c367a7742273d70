package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"reasonix/core/config"
	"reasonix/core/event"
	"reasonix/core/memory"
	"reasonix/core/permission"
	"reasonix/core/session"
	"reasonix/core/slash"
	"reasonix/core/view"
	"reasonix/integrations/mcp"
)

// reports are the commands that answer with what is the case in this session. They
// are plain text in every front end.
func (b *assembly) reports() []slash.Command {
	list := []slash.Command{
		{Name: "context", Help: "How full the model's window is", Report: b.reportContext},
		{Name: "cost", Help: "What this session used and cost", Report: b.reportCost},
		{Name: "help", Hint: "[command]", Help: "List the commands", Report: b.reportHelp},
		{Name: "hooks", Help: "The hooks that run in this session", Report: b.reportHooks},
		{Name: "mcp", Help: "The MCP servers, their state and what they offer", Report: b.reportServers},
		{Name: "memory", Hint: "[words]", Help: "The facts that are kept, or those about some words", Report: b.reportMemory},
		{Name: "permissions", Help: "The rules that decide calls", Report: b.reportPermissions},
		{Name: "skills", Help: "The skills, and how to call them", Report: b.reportSkills},
		{Name: "status", Help: "Model, approvals, sandbox and session", Report: b.reportStatus},
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
	return slices.ContainsFunc(new(assembly).reports(), func(c slash.Command) bool { return c.Name == name })
}

// past is the session as its journal tells it.
func (b *assembly) past(ctx context.Context) (view.State, error) {
	var s view.State
	for e, err := range b.services.Past(ctx) {
		if ctx.Err() != nil {
			return s, ctx.Err()
		}
		var damage *session.DamageError
		switch {
		case errors.As(err, &damage): // it is not in the report
		case err != nil:
			return s, err
		default:
			s = view.Apply(s, e)
		}
	}
	return s, nil
}

func (b *assembly) reportHelp(_ context.Context, args string) (string, error) {
	set := b.extensions.set()
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

func (b *assembly) reportStatus(ctx context.Context, _ string) (string, error) {
	s, err := b.past(ctx)
	return b.status(s.Configured), err
}

func (b *assembly) reportContext(ctx context.Context, _ string) (string, error) {
	s, err := b.past(ctx)
	if err != nil {
		return "", err
	}
	used := s.Context.Tokens
	for _, m := range slices.Backward(s.Messages) {
		if used == 0 {
			used = m.Usage.Prompt() + m.Usage.Output
		}
	}
	m := b.now.Load()
	window := m.ContextWindow
	switch {
	case m.Ref == "":
		return fmt.Sprintf("%d tokens in the last request; there is no model that can be used.", used), nil
	case window == 0:
		return fmt.Sprintf("%d tokens in the last request; the window of %s is not configured (context_window).", used, m.Ref), nil
	}
	return fmt.Sprintf("%d of %d tokens (%d%%) of %s; the work is folded at %d%%. %d messages, %d compactions.",
		used, window, used*100/window, m.Ref, int(b.cfg.Agent.CompactRatio*100), len(s.Messages), len(s.Folds)), nil
}

func (b *assembly) reportCost(ctx context.Context, _ string) (string, error) {
	s, err := b.past(ctx)
	if err != nil {
		return "", err
	}
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

func (b *assembly) reportPermissions(context.Context, string) (string, error) {
	p, err := b.policy(b.cfg, b.spec.Workspace, isPowerShell(b.interpreter))
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

func (b *assembly) reportHooks(context.Context, string) (string, error) {
	var t strings.Builder
	for _, h := range b.hooks.now.Load().Hooks {
		fmt.Fprintf(&t, "%-17s  %-16s  %s  (%s)\n", h.Event, cmp.Or(h.Match, "*"), h.Title(), filepath.ToSlash(h.File))
	}
	return cmp.Or(t.String(), "No hooks are configured (docs/hooks.md)."), nil
}

func (b *assembly) reportSkills(context.Context, string) (string, error) {
	var t strings.Builder
	for _, s := range b.extensions.current() {
		fmt.Fprintf(&t, "/%s  (%s)  %s\n", s.Name, s.Scope, s.Description)
	}
	return cmp.Or(t.String(), "There are no skills (docs/skills.md)."), nil
}

func (b *assembly) reportMemory(_ context.Context, words string) (string, error) {
	store := memory.Open(MemoryDirs(b.Home, b.spec.Workspace), memory.Options{Now: b.Now, Secrets: b.cfg.SecretValues})
	if words != "" {
		found, err := store.Search(words, memory.Filter{}, 10)
		if err != nil {
			return "", err
		}
		var t strings.Builder
		for _, h := range found.Hits {
			t.WriteString(factLine(h.Fact))
		}
		return cmp.Or(t.String(), "No fact is about that."), nil
	}
	found, err := store.List(memory.Filter{})
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

func (b *assembly) reportServers(context.Context, string) (string, error) {
	var t strings.Builder
	for _, s := range b.servers.States() {
		t.WriteString(serverLine(s))
	}
	for _, p := range b.declared.waiting() {
		fmt.Fprintf(&t, "%s: %s; `%s` lets it start\n", config.Printable(serverName(p)), event.ServerUntrusted, p.TrustCommand())
	}
	return cmp.Or(t.String(), "No MCP servers are configured (docs/mcp.md)."), nil
}

func serverLine(s mcp.State) string {
	line := fmt.Sprintf("%s: %s, tools %d, prompts %d, resources %d", s.Name, s.State, s.Tools, s.Prompts, s.Resources)
	if s.Detail != "" {
		line += ": " + s.Detail
	}
	for _, d := range s.Dropped {
		line += fmt.Sprintf("\n  %s is left out: %s", d.Tool, d.Why)
	}
	return line + "\n"
}
