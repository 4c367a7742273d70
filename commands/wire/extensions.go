package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"reasonix/core/config"
	"reasonix/core/engine"
	"reasonix/core/event"
	"reasonix/core/permission"
	"reasonix/core/skill"
	"reasonix/core/slash"
)

// extensions are the commands and skills of one session: what is built in, and what
// people put beside the configuration. Safe for concurrent use.
type extensions struct {
	skillDirs   skill.Options
	commandDirs []slash.Dir // by strength
	servers     *servers    // their prompts are commands; they come and go
	reports     []slash.Command

	mu     sync.Mutex
	skills skill.Skills
	static [][]slash.Command // by strength
}

// extend adds commands and skills. A reload reads them and the hooks again; a
// configuration that cannot be read leaves the hooks as they are.
func (w builder) extend(o *engine.Organs, c choice, b bench, s engine.Services, servers *servers, hooks *hooks) *extensions {
	x := &extensions{skillDirs: SkillOptions(w.World, c.cfg, c.spec.Workspace), commandDirs: home(w.Home).commandDirs(c.spec.Workspace), servers: servers}
	r := &reports{
		session: s.Session, stands: s.Stands, cfg: c.cfg, workspace: c.spec.Workspace, facts: factsOf(w.Home, c.spec.Workspace, c.cfg, w.Now), held: heldBy(b.Env),
		policy: func() (permission.Policy, error) {
			return policyOf(c.cfg, userHome(w.Environ), c.spec.Workspace, isPowerShell(b.interpreter))
		},
		models: c.models, servers: servers, hooks: hooks, extensions: x,
	}
	x.reports = r.commands()
	o.Notices = append(o.Notices, x.load()...)
	o.Command = x.command
	o.Reload = func(context.Context) ([]event.Notice, error) {
		cfg, err := w.load(c.kept)
		if err != nil {
			return nil, err
		}
		hooks.use(cfg)
		return x.load(), nil
	}
	return x
}

// Commands are those that a session in dir would do, but for what a front end does itself
// and what servers offer. A file that is broken is left out.
func (w World) Commands(dir string) []slash.Command {
	cfg, _ := config.LoadLenient(w.input(dir)) // what is good is enough to list them
	dir = cmp.Or(cfg.Sandbox.WorkspaceRoot, dir)
	custom, _ := slash.Load(home(w.Home).commandDirs(dir)...)
	skills := skill.Load(SkillOptions(w, cfg, dir)).Skills
	all := slash.NewSet(new(reports).commands(), slash.Builtins(), custom, skillCommands(skills)).List()
	return slices.DeleteFunc(all, func(c slash.Command) bool { return c.Kind == slash.KindFront })
}

// commandDirs are where the commands of a workspace and of the user are.
func (h home) commandDirs(workspace string) []slash.Dir {
	return []slash.Dir{
		{Path: filepath.Join(workspace, ".reasonix", "commands"), Source: slash.SourceProject, Within: workspace},
		{Path: h.in("commands"), Source: slash.SourceUser},
	}
}

// load reads what a person added. The notices name what could not be used.
func (x *extensions) load() (notices []event.Notice) {
	found := skill.Load(x.skillDirs)
	for _, p := range found.Problems {
		notices = append(notices, skipped("skill", filepath.ToSlash(p.Path), p.String()))
	}
	custom, problems := slash.Load(x.commandDirs...)
	for _, p := range problems {
		notices = append(notices, skipped("command", p.Path, p.String()))
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.skills = found.Skills
	x.static = [][]slash.Command{x.reports, slash.Builtins(), custom, skillCommands(found.Skills)}
	for _, s := range slash.NewSet(x.static...).Shadowed() {
		notices = append(notices, event.Notice{
			Level: event.LevelWarning, Code: "command_shadowed", Args: []string{s.Name, s.Source, s.By},
			Text: fmt.Sprintf("the command /%s of %s cannot be called: the name means that of %s", s.Name, s.Source, s.By),
		})
	}
	return notices
}

func skipped(what, path, text string) event.Notice {
	return event.Notice{Level: event.LevelWarning, Code: what + "_skipped", Args: []string{path, text}, Text: text}
}

// skillCommands are the skills as a person calls them.
func skillCommands(skills skill.Skills) []slash.Command {
	var list []slash.Command
	for _, s := range skills {
		list = append(list, slash.Command{
			Name: s.Name, Hint: "[arguments]", Help: s.Description, Source: "skill", Kind: slash.KindText, Refused: s.Refused(),
			Text: func(_ context.Context, args string) (string, error) { return s.Prompt(args), nil },
		})
	}
	return list
}

// set is the commands as they are now.
func (x *extensions) set() *slash.Set {
	x.mu.Lock()
	static := x.static
	x.mu.Unlock()
	return slash.NewSet(append(static[:len(static):len(static)], x.servers.commands())...)
}

// offered are what a prompt may begin with, for front ends.
func (x *extensions) offered() []event.Command {
	var list []event.Command
	for _, c := range x.set().List() {
		list = append(list, event.Command{Name: c.Name, Hint: c.Hint, Help: c.Help, Kind: string(c.Kind), Source: c.Source})
	}
	return list
}

// command implements engine.Organs.Command.
func (x *extensions) command(text string) (engine.Command, bool, error) {
	if !strings.HasPrefix(text, "/") {
		return engine.Command{}, false, nil
	}
	c, args, ok, err := x.set().Lookup(text)
	if unknown := (*slash.UnknownError)(nil); errors.As(err, &unknown) {
		if found, late := x.servers.late(unknown.Name, text); late {
			return found, true, nil
		}
	}
	if err = cmp.Or(err, c.Refused); err != nil || !ok {
		return engine.Command{}, ok, err
	}
	found := engine.Command{Name: c.Name, Front: c.Kind == slash.KindFront}
	switch c.Kind {
	case slash.KindOp:
		found.Op, err = c.Op(args)
	case slash.KindReport:
		found.Report = func(ctx context.Context) (string, error) { return c.Report(ctx, args) }
	case slash.KindText:
		found.Text = func(ctx context.Context) (string, error) { return c.Text(ctx, args) }
	case slash.KindFront:
	}
	return found, true, err
}

// Index implements tool.SkillSource.
func (x *extensions) Index() string { return x.current().Index() }

// Run implements tool.SkillSource.
func (x *extensions) Run(name, arguments string) (string, error) {
	return x.current().Run(name, arguments)
}

func (x *extensions) current() skill.Skills {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.skills
}

// report is what a person asks about the skills.
func (x *extensions) report() string {
	var t strings.Builder
	for _, s := range x.current() {
		fmt.Fprintf(&t, "/%s  (%s)  %s\n", s.Name, s.Scope, s.Description)
	}
	return t.String()
}
