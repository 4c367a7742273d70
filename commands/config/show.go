package config

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
)

type shownSetting struct {
	Key    string `json:"key"`
	Value  any    `json:"value"`
	Origin origin `json:"origin"`
}

type shown struct {
	Settings []shownSetting `json:"settings"`
	Problems []problem      `json:"problems"`
}

func newShow(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Print every key that has a value",
		Long: `Print every key that has a value, defaults included, one a line as TOML.

Secrets are replaced by (hidden). With a broken file it prints what counts without that file, says what
is wrong on stderr and exits with 3. Keys that are retired or unknown are named on stderr.`,
		Example: `  reasonix config show
  reasonix config show --origin
  reasonix config show --output-format json`,
		Args: cobra.NoArgs,
	}
	from := cmd.Flags().Bool("origin", false, "say where each value is from")
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		c, err := load(input(app))
		list := problems(c, err)
		if *format == cmdutil.JSON {
			out := shown{Settings: []shownSetting{}, Problems: list}
			for _, s := range c.Settings() {
				out.Settings = append(out.Settings, shownSetting{s.Key, s.Value, originOf(s.Origin)})
			}
			if err := cmdutil.PrintJSON(app.Out, out); err != nil {
				return err
			}
			return broken(err)
		}
		if err := showText(app, c, *from); err != nil {
			return err
		}
		printProblems(app.Err, list)
		return broken(err)
	}
	return cmd
}

func showText(app *cmdutil.App, c *config.Config, from bool) error {
	w := tabwriter.NewWriter(app.Out, 0, 0, 2, ' ', 0)
	for _, s := range c.Settings() {
		line := s.Key + " = " + text(s.Value)
		if from {
			line += "\t# " + slash(s.Origin.String())
		}
		fmt.Fprintln(w, line)
	}
	return w.Flush()
}
