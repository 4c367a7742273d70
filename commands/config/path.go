package config

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
)

type file struct {
	Name   string `json:"name"` // user, project, keys
	Path   string `json:"path"`
	Exists bool   `json:"exists"`
}

func newPath(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "path",
		Short: "Print where the configuration files are",
		Long:  "Print where the configuration files are: yours, the project's and the one with the keys.",
		Example: `  reasonix config path
  reasonix config path --output-format json`,
		Args: cobra.NoArgs,
	}
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		files := files(app)
		if *format == cmdutil.JSON {
			return cmdutil.PrintJSON(app.Out, struct {
				Files []file `json:"files"`
			}{files})
		}
		for _, f := range files {
			missing := ""
			if !f.Exists {
				missing = "  (not there)"
			}
			if _, err := fmt.Fprintf(app.Out, "%-8s %s%s\n", f.Name, f.Path, missing); err != nil {
				return err
			}
		}
		return nil
	}
	return cmd
}

func files(app *cmdutil.App) []file {
	user, project, env := config.Files(input(app))
	list := []file{}
	for _, f := range []file{{Name: "user", Path: user}, {Name: "project", Path: project}, {Name: "keys", Path: env}} {
		if f.Path == "" {
			continue
		}
		_, err := os.Stat(f.Path)
		f.Exists = err == nil
		f.Path = slash(f.Path)
		list = append(list, f)
	}
	return list
}
