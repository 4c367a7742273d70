package skill

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/skill"
)

func newNew(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Begin a skill",
		Long: `Begin a skill: make its directory and a SKILL.md for you to fill in, and print the path.

It is the project's, in .reasonix/skills, unless --scope user makes it yours, in <home>/skills. The description
decides when the model loads it: say what it does and when. What exists is never replaced; that exits with 2.`,
		Example: `  reasonix skill new release --description 'Cut a release: changelog, tag, announcement'
  ${EDITOR:-vi} "$(reasonix skill new review --scope user)"`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	scope := cmdutil.EnumFlag(cmd, "scope", "project", "whose it is", "project", "user")
	description := cmd.Flags().String("description", "", "one line: what it does and when to use it")
	_ = cmd.RegisterFlagCompletionFunc("description", cobra.NoFileCompletions) // the flag exists
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if *scope == "user" {
			if _, err := app.RequireHome(); err != nil {
				return err
			}
		}
		o, err := options(app, app.Err)
		if err != nil {
			return err
		}
		if err := skill.ValidName(args[0]); err != nil {
			return cmdutil.Usage(err)
		}
		path, err := skill.Create(o, skill.Scope(*scope), args[0], *description)
		if errors.Is(err, skill.ErrExists) {
			return cmdutil.WithHint(cmdutil.Usage(err), "choose another name, or edit the file")
		}
		if err != nil {
			return err
		}
		return printNew(app, *format, path, skill.Load(o))
	}
	return cmd
}

// printNew prints the path of a new skill, and why it does not count when it is
// behind another.
func printNew(app *cmdutil.App, format, path string, found skill.Found) error {
	for _, h := range found.Hidden {
		if h.Path == path {
			fmt.Fprintf(app.Err, "warning: it does not count: %s\n", shown(h.Why))
		}
	}
	if format == cmdutil.JSON {
		return cmdutil.PrintJSON(app.Out, struct {
			Path string `json:"path"`
		}{filepath.ToSlash(path)})
	}
	_, err := fmt.Fprintln(app.Out, filepath.ToSlash(path))
	return err
}
