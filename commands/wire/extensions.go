package wire

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"reasonix/core/engine"
	"reasonix/core/event"
	"reasonix/core/mention"
	"reasonix/core/message"
	"reasonix/core/protocol"
	"reasonix/core/skill"
	"reasonix/core/slash"
)

// extensions are the commands and skills of one session: what is built in, and what
// people put beside the configuration. A reload reads them again. Safe for concurrent
// use.
type extensions struct {
	b *assembly

	mu     sync.Mutex
	skills skill.Skills
	static [][]slash.Command // by strength; the prompts of servers come and go
}

// extend reads what a person added. The notices name what could not be used.
func (b *assembly) extend() []event.Notice {
	b.extensions = &extensions{b: b}
	b.env.Skills = b.extensions
	return b.extensions.load()
}

func (x *extensions) load() (notices []event.Notice) {
	b := x.b
	found := skill.Load(SkillOptions(b.World, b.cfg, b.spec.Workspace))
	for _, p := range found.Problems {
		notices = append(notices, skipped("skill", filepath.ToSlash(p.Path), p.String()))
	}
	custom, problems := slash.Load(
		slash.Dir{Path: filepath.Join(b.spec.Workspace, ".reasonix", "commands"), Source: slash.SourceProject, Within: b.spec.Workspace},
		slash.Dir{Path: filepath.Join(b.Home, "commands"), Source: slash.SourceUser},
	)
	for _, p := range problems {
		notices = append(notices, skipped("command", p.Path, p.String()))
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.skills = found.Skills
	x.static = [][]slash.Command{b.reports(), slash.Builtins(), custom, skillCommands(found.Skills)}
	for _, s := range slash.NewSet(x.static...).Shadowed() {
		if s.Source == slash.SourceBuiltin { // a report that front ends have of their own, too
			continue
		}
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
			Name: s.Name, Hint: "[arguments]", Help: s.Description, Source: "skill", Kind: slash.KindText,
			Text: func(_ context.Context, args string) (string, error) {
				if err := s.Refused(); err != nil {
					return "", err
				}
				return s.Prompt(args), nil
			},
		})
	}
	return list
}

// set is the commands as they are now.
func (x *extensions) set() *slash.Set {
	x.mu.Lock()
	static := x.static
	x.mu.Unlock()
	return slash.NewSet(append(static[:len(static):len(static)], x.b.promptCommands())...)
}

// promptCommands are the prompts of the servers that are connected.
func (b *assembly) promptCommands() []slash.Command {
	if b.servers == nil {
		return nil
	}
	var list []slash.Command
	for _, p := range b.servers.Prompts() {
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
				return b.servers.Prompt(ctx, p.Command, strings.Fields(args))
			},
		})
	}
	return list
}

// promptOf is the command of a server whose prompts are not known yet: it waits for
// them when it is called, and fails when there is none of that name.
func (b *assembly) promptOf(err error, text string) (engine.Command, bool) {
	var unknown *slash.UnknownError
	if !errors.As(err, &unknown) || !strings.HasPrefix(unknown.Name, "mcp__") || len(b.servers.Named()) == 0 {
		return engine.Command{}, false
	}
	_, args, _ := strings.Cut(text, unknown.Name)
	return engine.Command{Name: unknown.Name, Text: func(ctx context.Context) (string, error) {
		return b.servers.Prompt(ctx, unknown.Name, strings.Fields(args))
	}}, true
}

// commands are what a prompt may begin with, for front ends.
func (x *extensions) commands() []event.Command {
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
	if found, late := x.b.promptOf(err, text); late {
		return found, true, nil
	}
	if err != nil || !ok {
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

// sayReferences adds what the typed text refers to.
func (b *assembly) sayReferences(ctx context.Context, said *event.UserSaid) error {
	if !strings.Contains(said.Display, "@") || len(said.Sources) > 0 && said.Sources[0].Kind == event.SourceData {
		return nil
	}
	got := mention.Expand(ctx, b.mentions(), said.Display)
	for _, text := range got.Notices {
		if err := b.services.Emit(event.Notice{Level: event.LevelWarning, Code: "reference_failed", Args: []string{text}, Text: text}); err != nil {
			return err
		}
	}
	for _, image := range got.Images {
		hash, _, err := b.services.Save(strings.NewReader(string(image.Data)))
		if err != nil {
			return fmt.Errorf("keep %s: %w", image.Name, err)
		}
		said.Message.Attachments = append(said.Message.Attachments, message.Attachment{Name: image.Name, MIME: image.MIME, Hash: hash, Size: int64(len(image.Data))})
	}
	said.Message.Content = got.Before(said.Message.Content)
	for _, s := range got.Sources {
		said.Sources = append(said.Sources, event.Source(s))
	}
	return nil
}

func (b *assembly) mentions() mention.Options {
	o := mention.Options{Files: b.env.Files, Home: userHome(b.Environ), XDG: variable(b.Environ, "XDG_CONFIG_HOME"), Images: b.now.Load().Vision}
	if b.servers != nil {
		o.Resources = serverResources{b.servers, b.declared}
	}
	return o
}

// complete implements protocol.Catalog for the session.
func (b *assembly) complete(ctx context.Context, text string, cursor int) ([]protocol.Completion, error) {
	if cursor < 0 || cursor > len(text) {
		return nil, &protocol.BadOp{Op: "Complete", Field: "Cursor", Reason: "lies outside the text"}
	}
	var list []protocol.Completion
	if word, ok := strings.CutPrefix(text[:cursor], "/"); ok && !strings.ContainsAny(word, " \t\n") {
		for _, c := range b.extensions.set().Complete(word) {
			list = append(list, protocol.Completion{Insert: "/" + c.Name + " ", Label: strings.TrimSpace("/" + c.Name + " " + c.Hint), Kind: "command", To: cursor})
		}
		return list, nil
	}
	got := mention.Complete(ctx, b.mentions(), text, cursor)
	for _, c := range got.Items {
		list = append(list, protocol.Completion{Insert: c.Insert, Label: c.Label, Kind: c.Kind, From: got.From, To: got.To})
	}
	return list, nil
}

// reload implements engine.Organs.Reload. A configuration that cannot be read leaves
// the hooks as they are.
func (x *extensions) reload(context.Context) ([]event.Notice, error) {
	cfg, err := x.b.load(x.b.workspace)
	if err != nil {
		return nil, err
	}
	x.b.hooks.use(cfg)
	return x.load(), nil
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

// without drops the tools that have nothing to work on in this session.
func (b *assembly) without(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return name == "run_skill" && b.extensions.Index() == "" })
}
