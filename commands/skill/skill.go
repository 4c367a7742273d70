// Package skill is `reasonix skill`: list the skills that count here and the ones
// that do not, with the reason, show one, begin a new one, and check them before
// the model finds out. The work is in core/skill; this package turns it into text
// and JSON. The root command adds it to the tree.
package skill

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/config"
	"reasonix/core/skill"
)

// New returns the command.
func New(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "skill",
		Short: "List, show, begin and check skills",
		Long: `List, show, begin and check skills: texts that say how a kind of task is done.

A skill is a directory with a SKILL.md, in .reasonix/skills, .agents/skills or .claude/skills of the workspace or
in <home>/skills, ~/.agents/skills or ~/.claude/skills; [skills] in the configuration names more directories and
leaves some out. The model knows the name and description of each and loads the text when a task is for it; you
start one with /name. A skill permits nothing, and nothing of it runs by itself. docs/skills.md has the whole of it.`,
		Example: `  reasonix skill list
  reasonix skill new release --description 'Cut a release: changelog, tag, announcement'
  reasonix skill check`,
	}
	cmd.AddCommand(newList(app), newShow(app), newNew(app), newCheck(app))
	return cmd
}

// options say where the skills of this invocation are. What is wrong with the
// configuration is told on stderr: what can be read of it counts.
func options(app *cmdutil.App, warn io.Writer) (skill.Options, error) {
	dir, err := app.RequireWorkDir()
	if err != nil {
		return skill.Options{}, err
	}
	cfg, err := config.LoadLenient(wire.Input(app.Home, dir, app.Environ))
	for _, e := range config.Errors(err) {
		fmt.Fprintf(warn, "warning: %s\n", filepath.ToSlash(e.Error()))
	}
	w := wire.World{Home: app.Home, Environ: app.Environ}
	return wire.SkillOptions(w, cfg, cmp.Or(cfg.Sandbox.WorkspaceRoot, dir)), nil
}

// load finds the skills of this invocation.
func load(app *cmdutil.App, warn io.Writer) (skill.Found, error) {
	o, err := options(app, warn)
	if err != nil {
		return skill.Found{}, err
	}
	return skill.Load(o), nil
}

// find returns the skill that word names. That of one that does not count says why.
func find(found skill.Found, word string) (skill.Skill, error) {
	s, err := found.Skills.Find(word)
	unknown, ok := errors.AsType[*skill.UnknownError](err)
	if !ok {
		return s, err
	}
	for _, h := range found.Hidden {
		if h.Name == unknown.Name {
			return s, cmdutil.Usagef("skill %s does not count: %s (%s)", h.Name, shown(h.Why), shown(h.Path))
		}
	}
	var names []string
	for _, s := range found.Skills {
		names = append(names, s.Name)
	}
	hint := "'reasonix skill list' shows them"
	if near := cmdutil.Nearest(unknown.Name, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return s, cmdutil.WithHint(cmdutil.Usagef("there is no skill %q", unknown.Name), hint)
}

// completeNames offers the names of skills with their descriptions.
func completeNames(app *cmdutil.App) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		found, _ := load(app, io.Discard) // what can be read is enough to complete
		var names []string
		for _, s := range found.Skills {
			names = append(names, cobra.CompletionWithDesc(s.Name, s.Description))
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
