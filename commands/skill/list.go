package skill

import (
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/skill"
)

// listing is what list prints in JSON.
type listing struct {
	Skills   []listed  `json:"skills"`
	Hidden   []listed  `json:"hidden"`
	Problems []problem `json:"problems"`
}

func newList(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the skills that count here",
		Long: `List the skills that count here: name, whose it is, what runs it, who may start it, file, and description.

Of two skills with one name the project's counts before yours, and yours before one of [skills] paths. --all
lists those behind, and disabled ones, with the reason; JSON has them always. A file that cannot be taken as a
skill is named on stderr and left alone; it does not change the exit code.`,
		Example: `  reasonix skill list
  reasonix skill list --all
  reasonix skill list --output-format json | jq -r '.skills[].name'`,
		Args: cobra.NoArgs,
	}
	all := cmd.Flags().Bool("all", false, "those that do not count, too")
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		found, err := load(app, app.Err)
		if err != nil {
			return err
		}
		if *format == cmdutil.JSON {
			return cmdutil.PrintJSON(app.Out, listingOf(found))
		}
		for _, p := range problemsOf(found.Problems) {
			fmt.Fprintf(app.Err, "warning: %s\n", p.line())
		}
		hidden := found.Hidden
		if !*all {
			hidden = nil
		}
		if len(found.Skills)+len(hidden) == 0 {
			_, err := fmt.Fprintln(app.Err, "there are no skills; 'reasonix skill new NAME' begins one")
			return err
		}
		return table(app.Out, found.Skills, hidden)
	}
	return cmd
}

func listingOf(found skill.Found) listing {
	out := listing{Skills: []listed{}, Hidden: []listed{}, Problems: problemsOf(found.Problems)}
	for _, s := range found.Skills {
		out.Skills = append(out.Skills, listedOf(s))
	}
	for _, h := range found.Hidden {
		l := listedOf(h.Skill)
		l.Why = filepath.ToSlash(h.Why)
		out.Hidden = append(out.Hidden, l)
	}
	return out
}

func table(out io.Writer, skills skill.Skills, hidden []skill.Hidden) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, s := range skills {
		row(w, s, shownDescription(s))
	}
	for _, h := range hidden {
		row(w, h.Skill, "(does not count: "+shown(h.Why)+")")
	}
	return w.Flush()
}

func row(w io.Writer, s skill.Skill, last string) {
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", s.Name, s.Scope, s.RunAs, s.Invocation, shown(s.Path), last)
}
