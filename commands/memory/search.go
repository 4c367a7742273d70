package memory

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/memory"
)

// hit is a found fact in JSON.
type hit struct {
	Fact  listed   `json:"fact"`
	Score float64  `json:"score"`
	Terms []string `json:"terms"` // the words it was found by
}

func hitsOf(list []memory.Hit) []hit {
	out := []hit{}
	for _, h := range list {
		out = append(out, hit{Fact: listedOf(h.Fact), Score: h.Score, Terms: append([]string{}, h.Terms...)})
	}
	return out
}

func newSearch(d *desk) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "search QUERY...",
		Short: "Find facts by their words",
		Long: `Find facts by their words, the best first, as the model does. Words of the title and keywords count most. The
archive is not searched. What was said in earlier sessions is found by: reasonix history search.`,
		Example: `  reasonix memory search deploy staging
  reasonix memory search 部署 --output-format json`,
		Args: cobra.MinimumNArgs(1),
	}
	filter := filterFlags(cmd)
	limit := cmd.Flags().Int("limit", 10, "at most so many")
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if *limit < 1 {
			return cmdutil.Usagef("--limit %d: it is at least 1", *limit)
		}
		s, err := d.store()
		if err != nil {
			return err
		}
		r, err := s.Search(strings.Join(args, " "), filter(), *limit)
		if err != nil {
			return err
		}
		if *format == cmdutil.JSON {
			return cmdutil.PrintJSON(d.app.Out, struct {
				Hits   []hit  `json:"hits"`
				Advice string `json:"advice"`
			}{hitsOf(r.Hits), r.Advice})
		}
		for _, h := range r.Hits {
			if err := d.printHit(h); err != nil {
				return err
			}
		}
		if r.Advice != "" {
			fmt.Fprintln(d.app.Err, r.Advice)
		}
		return nil
	}
	return cmd
}

func (d *desk) printHit(h memory.Hit) error {
	about := ""
	if h.Fact.Description != "" {
		about = ": " + h.Fact.Description
	}
	_, err := fmt.Fprintf(d.app.Out, "%6.2f  %s  %s%s\n", h.Score, h.Fact.ID, h.Fact.Title, about)
	return err
}
