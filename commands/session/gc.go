package session

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/session/jsonl"
)

func newGC(s *shelf) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Find old sessions and leftovers, and remove them with --apply",
		Long: `Find old sessions and leftovers, and remove them with --apply. Without it nothing is changed.

Sessions go when they were last used longer ago than --older-than, but never the newest ones of --keep;
one of the two alone counts alone, and without both only leftovers go: what is left of deleted sessions,
saved files that no record names, and what a crash left unfinished, if older than a day. A session that is
open in another process is kept.`,
		Example: `  reasonix session gc --older-than 30d
  reasonix session gc --older-than 30d --keep 20 --apply
  reasonix session gc --all --apply`,
		Args: cobra.NoArgs,
	}
	older := cmd.Flags().String("older-than", "", "age such as 30d, 2w or 12h")
	keep := cmd.Flags().Int("keep", 0, "never remove this many newest sessions")
	all := cmd.Flags().Bool("all", false, "in every directory's sessions")
	apply := cmd.Flags().Bool("apply", false, "remove what is found")
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		o := jsonl.GCOptions{Keep: *keep, Apply: *apply}
		if *keep < 0 {
			return cmdutil.Usagef("--keep %d: must not be negative", *keep)
		}
		if *older != "" {
			age, err := parseAge(*older)
			if err != nil {
				return cmdutil.Usagef("--older-than %s: %w", *older, err)
			}
			o.OlderThan = age
		}
		return s.collect(cmd.Context(), o, *all, *format)
	}
	return cmd
}

// maxAge is in days or weeks; more of them are no time.
const maxAge = 10_000

// parseAge reads a duration with days and weeks beside Go's units. It is above 0.
func parseAge(text string) (time.Duration, error) {
	var age time.Duration
	var err error
	unit := map[byte]time.Duration{'d': 24 * time.Hour, 'w': 7 * 24 * time.Hour}
	if u := unit[text[len(text)-1]]; u > 0 {
		var n float64
		n, err = strconv.ParseFloat(text[:len(text)-1], 64)
		if !(n < maxAge) { // not a number either
			n = 0
		}
		age = time.Duration(n * float64(u))
	} else {
		age, err = time.ParseDuration(text)
	}
	if err != nil || age <= 0 {
		return 0, fmt.Errorf("want an age such as 30d, 2w or 12h")
	}
	return age, nil
}

// collected is the result in JSON.
type collected struct {
	Applied bool      `json:"applied"`
	Bytes   int64     `json:"bytes"` // without what was kept
	Items   []removed `json:"items"`
}

type removed struct {
	Session string `json:"session,omitempty"`
	Title   string `json:"title,omitempty"`
	Path    string `json:"path"`
	Why     string `json:"why"` // old, orphan, unused, unfinished
	Bytes   int64  `json:"bytes"`
	Kept    string `json:"kept,omitempty"` // why it was not removed
}

func (s *shelf) collect(ctx context.Context, o jsonl.GCOptions, all bool, format string) error {
	places, err := s.places(all)
	if err != nil {
		return err
	}
	result := collected{Applied: o.Apply, Items: []removed{}}
	for _, p := range places {
		list, err := p.store.GC(ctx, o)
		if err != nil {
			return readable(err)
		}
		for _, r := range list {
			result.Items = append(result.Items, removed{string(r.Session), r.Title, slash(r.Path), r.Why, r.Bytes, r.Kept})
			if r.Kept == "" {
				result.Bytes += r.Bytes
			}
		}
	}
	if format == cmdutil.JSON {
		return cmdutil.PrintJSON(s.app.Out, result)
	}
	return result.print(s.app)
}

func (c collected) print(app *cmdutil.App) error {
	w := tabwriter.NewWriter(app.Out, 0, 0, 2, ' ', 0)
	for _, r := range c.Items {
		what := plain(r.Title)
		if r.Why != "old" {
			what = plain(r.Path)
		}
		if r.Kept != "" {
			what = strings.TrimSpace(what + "  kept: " + plain(r.Kept))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.Why, r.Session, size(r.Bytes), what)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	switch {
	case len(c.Items) == 0:
		fmt.Fprintln(app.Err, "nothing to remove")
	case c.Applied:
		fmt.Fprintf(app.Err, "removed %s\n", size(c.Bytes))
	default:
		fmt.Fprintf(app.Err, "would remove %s: add --apply\n", size(c.Bytes))
	}
	return nil
}
