package skill

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
	"reasonix/core/skill"
)

func newShow(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show NAME",
		Short: "Print one skill",
		Long: `Print one skill: its keys, the files that belong to it, and its text.

An unknown name, or that of a skill that does not count, exits with 2.`,
		Example: `  reasonix skill show review
  reasonix skill show review --output-format json | jq -r .skill.body`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeNames(app),
	}
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		found, err := load(app, app.Err)
		if err != nil {
			return err
		}
		s, err := find(found, args[0])
		if err != nil {
			return err
		}
		if *format == cmdutil.JSON {
			return cmdutil.PrintJSON(app.Out, struct {
				Skill whole `json:"skill"`
			}{wholeOf(s)})
		}
		_, err = fmt.Fprint(app.Out, text(s))
		return err
	}
	return cmd
}

// text is a skill as a person reads it.
func text(s skill.Skill) string {
	var b strings.Builder
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-15s%s\n", config.Printable(name)+":", config.Printable(value))
		}
	}
	row("name", s.Name)
	row("description", s.Description)
	row("scope", string(s.Scope))
	row("invocation", string(s.Invocation))
	row("runAs", string(s.RunAs))
	row("model", s.Model)
	row("effort", s.Effort)
	row("allowed-tools", strings.Join(s.AllowedTools, ", "))
	row("color", s.Color)
	for _, key := range slices.Sorted(maps.Keys(s.Unknown)) {
		row(key, strings.Join(strings.Fields(s.Unknown[key]), " "))
	}
	row("file", filepath.ToSlash(s.Path))
	files, more := s.Files()
	for _, name := range files {
		row("with", name)
	}
	if more > 0 {
		row("with", fmt.Sprintf("%d more at least", more))
	}
	if err := s.Refused(); err != nil {
		row("note", err.Error())
	}
	b.WriteString("\n" + shownText(s.Body) + "\n")
	return b.String()
}
