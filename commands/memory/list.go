package memory

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/memory"
)

// listing is what list prints in JSON.
type listing struct {
	Facts    []listed  `json:"facts"`
	Problems []problem `json:"problems"`
}

func newList(d *desk) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the facts that are kept, last changed first",
		Long: `List the facts that are kept, last changed first.

A file that cannot be read as a fact is named on stderr and left alone; it does not change the exit code.
--archived lists what was forgotten, or removed by hand, instead.`,
		Example: `  reasonix memory list --scope global
  reasonix memory list --archived
  reasonix memory list --output-format json | jq -r '.facts[].id'`,
		Args: cobra.NoArgs,
	}
	archived := cmd.Flags().Bool("archived", false, "what was forgotten")
	filter := filterFlags(cmd)
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		s, err := d.store()
		if err != nil {
			return err
		}
		f := filter()
		f.Archived = *archived
		found, err := s.List(f)
		if err != nil {
			return err
		}
		if *format == cmdutil.JSON {
			out := listing{Facts: []listed{}, Problems: problemsOf(found.Problems)}
			for _, fact := range found.Facts {
				out.Facts = append(out.Facts, listedOf(fact))
			}
			return cmdutil.PrintJSON(d.app.Out, out)
		}
		d.warn(found.Problems)
		if len(found.Facts) == 0 {
			_, err := fmt.Fprintln(d.app.Err, map[bool]string{false: "no facts are kept", true: "nothing was forgotten"}[*archived])
			return err
		}
		return table(d.app.Out, found.Facts)
	}
	return cmd
}

// filterFlags adds --scope and --type.
func filterFlags(cmd *cobra.Command) func() memory.Filter {
	scope := cmdutil.EnumFlag(cmd, "scope", "all", "whose facts", "all", "project", "global")
	typ := cmdutil.EnumFlag(cmd, "type", "all", "what about", "all", "user", "feedback", "project", "reference")
	return func() memory.Filter {
		var f memory.Filter
		if *scope != "all" {
			f.Scope = memory.Scope(*scope)
		}
		if *typ != "all" {
			f.Type = memory.Type(*typ)
		}
		return f
	}
}

func table(out io.Writer, facts []memory.Fact) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range facts {
		when, note := f.Updated, ""
		if !f.Forgotten.IsZero() {
			when = f.Forgotten
		}
		if f.Reason != "" {
			note = "  (" + f.Reason + ")"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s%s\n", f.ID, f.Scope, f.Type, when.Local().Format(time.DateOnly), f.Title, note)
	}
	return w.Flush()
}
