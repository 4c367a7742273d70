// Package commands is the command line: the Cobra tree with one package per
// noun, and Main, which runs it and turns an error into text and an exit code.
// It does no work itself; cmd/reasonix calls Main and exits with what it returns.
package commands

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"reasonix/commands/acp"
	"reasonix/commands/cmdutil"
	"reasonix/commands/config"
	"reasonix/commands/demo"
	"reasonix/commands/doctor"
	"reasonix/commands/history"
	"reasonix/commands/hook"
	"reasonix/commands/mcp"
	"reasonix/commands/memory"
	"reasonix/commands/models"
	"reasonix/commands/permissions"
	"reasonix/commands/run"
	"reasonix/commands/session"
	"reasonix/commands/setup"
	"reasonix/commands/skill"
	"reasonix/commands/version"
)

// nouns are the constructors of every command, in the order of their names. A
// new noun is one line here.
func nouns() []func(*cmdutil.App) *cobra.Command {
	return []func(*cmdutil.App) *cobra.Command{
		acp.New,
		config.New,
		demo.New,
		doctor.New,
		history.New,
		hook.New,
		mcp.New,
		memory.New,
		models.New,
		permissions.New,
		run.New,
		session.New,
		setup.New,
		skill.New,
		version.New,
	}
}

const about = `reasonix is a coding agent: it reads, edits and runs code in a directory until a task
is done, with the model you choose. It is one program without further parts.`

// Root builds the tree for one invocation.
func Root(app *cmdutil.App) *cobra.Command {
	root := &cobra.Command{
		Use:           "reasonix",
		Short:         "A coding agent in one static binary",
		Long:          about,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.Flags().BoolP("version", "v", false, "print the version and exit")
	root.SetIn(app.In)
	root.SetOut(app.Out)
	root.SetErr(app.Err)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { cmdutil.PrintHelp(app.Out, cmd) })
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		cmdutil.PrintUsage(app.Err, cmd)
		return nil
	})
	for _, noun := range nouns() {
		root.AddCommand(noun(app))
	}
	addTerminalSetup(root, app)
	root.InitDefaultHelpCmd()
	strictHelp(root)
	root.InitDefaultCompletionCmd()
	cmdutil.Group(root)
	alone := root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if ok, _ := cmd.Flags().GetBool("version"); ok {
			_, err := fmt.Fprintln(app.Out, "reasonix "+app.Version)
			return err
		}
		return alone(cmd, args)
	}
	finish(root)
	return root
}

// addTerminalSetup makes setup a command of acp too, where no help shows it: an editor
// that lets its user connect a model in a terminal appends it to how it starts us.
func addTerminalSetup(root *cobra.Command, app *cmdutil.App) {
	i := slices.IndexFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == "acp" })
	again := setup.New(app)
	again.Hidden = true
	root.Commands()[i].AddCommand(again)
}

// strictHelp makes `help` refuse a name that is no command as the command line
// itself does: Cobra's own prints the usage and is content.
func strictHelp(root *cobra.Command) {
	i := slices.IndexFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == "help" })
	help := root.Commands()[i]
	help.Run = nil
	help.RunE = func(_ *cobra.Command, args []string) error {
		about, rest, err := root.Find(args)
		switch {
		case err != nil:
			return usage(root, err)
		case len(rest) > 0 && about.HasSubCommands():
			return about.Args(about, rest)
		case len(rest) > 0:
			return usage(about, fmt.Errorf("unknown command %q for %q", rest[0], about.CommandPath()))
		}
		about.InitDefaultHelpFlag()
		return about.Help()
	}
}

// finish holds every command to the same manners: a noun with verbs and no work
// of its own is a group, and an argument too many is a usage error.
func finish(cmd *cobra.Command) {
	for _, child := range cmd.Commands() {
		if child.HasSubCommands() && !child.Runnable() {
			cmdutil.Group(child)
		}
		if check := child.Args; check != nil {
			child.Args = func(cmd *cobra.Command, args []string) error { return usage(cmd, inWords(cmd, args, check(cmd, args))) }
		}
		finish(child)
	}
}

// inWords says what a command wants where cobra only counts.
func inWords(cmd *cobra.Command, args []string, err error) error {
	if err == nil || !strings.Contains(err.Error(), "arg(s)") {
		return err
	}
	_, wanted, _ := strings.Cut(cmd.Use, " ")
	given := "no argument was given"
	if len(args) > 0 {
		given = cmdutil.Count(len(args), "argument") + " given"
	}
	return fmt.Errorf("%s wants %s: %s", cmd.CommandPath(), wanted, given)
}

// usage makes err a usage error unless it has an exit code already.
func usage(cmd *cobra.Command, err error) error {
	if err == nil || cmdutil.CodeOf(err) != cmdutil.CodeInternal {
		return err
	}
	return cmdutil.WithHint(cmdutil.Usage(err), "run '"+cmd.CommandPath()+" --help'")
}
