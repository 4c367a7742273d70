package memory

import (
	"fmt"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/memory"
)

func newShow(d *desk) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Print one fact",
		Long: `Print one fact, a forgotten one too. The beginning of an id is enough when no other id begins so.

--revision prints an older revision, --revisions lists all that are kept.`,
		Example: `  reasonix memory show mem-1a2b3c4d5e6f
  reasonix memory show mem-1a2b3c4d5e6f --revisions`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeIDs(d, true, true),
	}
	revision := cmd.Flags().Int("revision", 0, "an older one")
	all := cmd.Flags().Bool("revisions", false, "list the revisions")
	cmd.MarkFlagsMutuallyExclusive("revision", "revisions")
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		s, err := d.store()
		if err != nil {
			return err
		}
		revisions, err := revisionsOf(s, args[0])
		if err != nil {
			return coded(err)
		}
		if *all {
			return d.printRevisions(*format, revisions)
		}
		for _, f := range revisions {
			if *revision == 0 || f.Revision == *revision {
				return d.printFact(*format, f)
			}
		}
		return coded(fmt.Errorf("fact %s, revision %d: %w", args[0], *revision, memory.ErrUnknown))
	}
	return cmd
}

// revisionsOf lists every revision of a fact, the highest first.
func revisionsOf(s *memory.Store, word string) ([]memory.Fact, error) {
	id, err := find(s, word, false)
	if err != nil {
		return nil, err
	}
	current, err := s.Get(id)
	if err != nil {
		if id, err = find(s, word, true); err != nil {
			return nil, err
		}
	}
	old, err := s.Revisions(id)
	if err != nil || current.ID == "" {
		return old, err
	}
	return append([]memory.Fact{current}, old...), nil
}

func (d *desk) printFact(format string, f memory.Fact) error {
	if format == cmdutil.JSON {
		return cmdutil.PrintJSON(d.app.Out, struct {
			Fact whole `json:"fact"`
		}{wholeOf(f)})
	}
	_, err := fmt.Fprint(d.app.Out, text(f))
	return err
}

func (d *desk) printRevisions(format string, facts []memory.Fact) error {
	if format == cmdutil.JSON {
		out := []whole{}
		for _, f := range facts {
			out = append(out, wholeOf(f))
		}
		return cmdutil.PrintJSON(d.app.Out, struct {
			Revisions []whole `json:"revisions"`
		}{out})
	}
	for _, f := range facts {
		state := "in use"
		switch {
		case !f.Forgotten.IsZero():
			state = "forgotten " + stamp(f.Forgotten)
		case f.Archived:
			state = "archived"
		}
		if _, err := fmt.Fprintf(d.app.Out, "%-4d %s  %s (%s)\n", f.Revision, stamp(f.Updated), f.Title, state); err != nil {
			return err
		}
	}
	return nil
}
