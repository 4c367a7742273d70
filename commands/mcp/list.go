package mcp

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
)

// listing is what list prints as JSON.
type listing struct {
	Servers  []entry  `json:"servers"`
	Problems []string `json:"problems"`
}

func newList(d *desk) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the servers of this directory, without starting any",
		Long: `List the servers that sessions in this directory have, without starting any: yours and the repository's.

The state is on, off (enabled = false), problem (it cannot be started, and why) or untrusted (the repository's,
which you have not let start). What is listed is what the files say: variables are not replaced, values of
variables and headers are not shown. With a broken configuration it lists what is good and exits with 3.`,
		Example: `  reasonix mcp list
  reasonix mcp list --output-format json | jq -r '.servers[] | select(.state == "on") | .name'`,
		Args: cobra.NoArgs,
	}
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		cfg, broken := d.load(*format == cmdutil.Text)
		out := listing{Servers: entries(cfg), Problems: []string{}}
		if out.Servers == nil {
			out.Servers = []entry{}
		}
		for _, e := range config.Errors(broken) {
			out.Problems = append(out.Problems, slash(e.Error()))
		}
		if *format == cmdutil.JSON {
			if err := cmdutil.PrintJSON(d.app.Out, out); err != nil {
				return err
			}
			return exitOf(broken)
		}
		for _, p := range out.Problems {
			fmt.Fprintf(d.app.Err, "error: %s\n", p)
		}
		if err := printList(d.app.Out, d.app.Err, out.Servers); err != nil {
			return err
		}
		return exitOf(broken)
	}
	return cmd
}

// exitOf is the exit of a command that has shown what is broken.
func exitOf(broken error) error {
	if broken == nil {
		return nil
	}
	return cmdutil.Exit(cmdutil.CodeConfig, nil)
}

func printList(out, errs io.Writer, all []entry) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(errs, "no MCP servers; add one with: reasonix mcp add NAME -- COMMAND")
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, e := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", config.Printable(e.Name), e.State, e.target(), config.Printable(e.place()))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, e := range all {
		switch e.State {
		case stateProblem:
			fmt.Fprintf(errs, "warning: %s\n", e.Problem)
		case stateUntrusted:
			fmt.Fprintf(errs, "%s is not started until you let it: %s\n", config.Printable(e.Name), e.part.TrustCommand())
		}
	}
	return nil
}
