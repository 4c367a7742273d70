package config

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
)

func newMigrate(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Remove retired keys from the configuration file",
		Long: `Show, as a diff, what removing the retired keys would change in your own file, or in the project's with
--local. Nothing is written without --yes. With it the old file is kept beside the new one as .bak.
Retired keys do nothing; no other command removes them.`,
		Example: `  reasonix config migrate
  reasonix config migrate --yes
  reasonix config migrate --local --yes`,
		Args: cobra.NoArgs,
	}
	yes := cmd.Flags().BoolP("yes", "y", false, "write the change")
	local := cmd.Flags().Bool("local", false, "change the project's reasonix.toml")
	cmd.RunE = func(*cobra.Command, []string) error {
		s := setter{app: app, local: *local}
		if err := s.pickFile(); err != nil {
			return err
		}
		change, keys, err := config.Migration(s.file)
		if err != nil {
			return err
		}
		return migrate(app, change, keys, *yes)
	}
	return cmd
}

func migrate(app *cmdutil.App, change config.Change, keys []string, yes bool) error {
	path := slash(change.Path)
	if len(keys) == 0 {
		_, err := fmt.Fprintf(app.Out, "%s has no retired keys\n", path)
		return err
	}
	if _, err := fmt.Fprint(app.Out, diff(path, string(change.Before), string(change.After))); err != nil {
		return err
	}
	if !yes {
		_, err := fmt.Fprintln(app.Err, "nothing was changed: add --yes to write it")
		return err
	}
	if err := change.Write(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(app.Err, "removed %s from %s (the old file is %s)\n", strings.Join(keys, ", "), path, slash(change.Backup))
	return err
}
