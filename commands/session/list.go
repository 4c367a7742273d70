package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/session"
)

// listLimit is how many sessions a list shows unless told otherwise.
const listLimit = 50

func newList(s *shelf) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List sessions, newest first",
		Long: `List the sessions of this directory, newest first.

A state is the outcome of the last turn, or running, interrupted, or new. Other directories' sessions are
listed with --all; without any of this directory's, it says how many others have.`,
		Example: `  reasonix session list
  reasonix session list --all --limit 0
  reasonix session list --output-format json`,
		Args: cobra.NoArgs,
	}
	all := cmd.Flags().Bool("all", false, "sessions of every directory")
	limit := cmd.Flags().Int("limit", listLimit, "at most this many; 0: all")
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *limit < 0 {
			return cmdutil.Usagef("--limit %d: must not be negative", *limit)
		}
		l := lister{shelf: s, all: *all, limit: *limit}
		if err := l.run(cmd.Context()); err != nil {
			return err
		}
		if *format == cmdutil.JSON {
			return cmdutil.PrintJSON(s.app.Out, l.listing)
		}
		return l.print()
	}
	return cmd
}

// listing is a list in JSON.
type listing struct {
	Sessions []listed `json:"sessions"`
	More     bool     `json:"more"`   // than --limit
	Others   int      `json:"others"` // sessions of other directories, when there are none here
}

type listed struct {
	session.Meta
	State string `json:"state"`
}

type lister struct {
	*shelf
	all   bool
	limit int
	listing
}

func (l *lister) run(ctx context.Context) error {
	places, err := l.places(l.all)
	if err != nil {
		return err
	}
	l.Sessions = []listed{}
	ask := 0
	if l.limit > 0 {
		ask = l.limit + 1
	}
	at := map[string]place{}
	for _, p := range places {
		list, err := p.store.List(ctx, session.Query{Limit: ask})
		if err != nil {
			return readable(err)
		}
		for _, m := range list {
			l.Sessions = append(l.Sessions, listed{Meta: m})
			at[string(m.ID)] = p
		}
	}
	if l.all {
		slices.SortStableFunc(l.Sessions, func(a, b listed) int { return b.Updated.Compare(a.Updated) })
	}
	if l.limit > 0 && len(l.Sessions) > l.limit {
		l.Sessions, l.More = l.Sessions[:l.limit], true
	}
	for i := range l.Sessions {
		m := &l.Sessions[i]
		m.State, m.Workspace = cmp.Or(string(m.Outcome), stateNew), slash(m.Workspace)
		if m.Outcome == "" {
			if in, err := at[string(m.ID)].store.Info(ctx, m.ID); err == nil {
				m.State = stateOf(in)
			}
		}
	}
	return l.countOthers(ctx, places[0])
}

// countOthers looks elsewhere when there is nothing here.
func (l *lister) countOthers(ctx context.Context, here place) error {
	if len(l.Sessions) > 0 || l.all {
		return nil
	}
	others, err := l.others(here)
	if err != nil {
		return readable(err)
	}
	for _, p := range others {
		list, err := p.store.List(ctx, session.Query{})
		if err == nil {
			l.Others += len(list)
		}
	}
	return nil
}

func (l *lister) print() error {
	if len(l.Sessions) == 0 {
		text := "no sessions of this directory"
		if l.all {
			text = "no sessions"
		}
		if l.Others > 0 {
			text += fmt.Sprintf("; %s of other directories: reasonix session list --all", cmdutil.Count(l.Others, "session"))
		}
		_, err := fmt.Fprintln(l.app.Err, text)
		return err
	}
	w := tabwriter.NewWriter(l.app.Out, 0, 0, 2, ' ', 0)
	for _, m := range l.Sessions {
		title := cmp.Or(plain(m.Title), "(no title)")
		if m.Parent != "" {
			title += fmt.Sprintf("  (fork of %s)", m.Parent)
		}
		row := fmt.Sprintf("%s\t%s\t%s\t%s", m.ID, at(m.Updated), m.State, title)
		if l.all {
			row += "\t" + plain(m.Workspace)
		}
		fmt.Fprintln(w, row)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if l.More {
		fmt.Fprintf(l.app.Err, "there are more: --limit 0 shows all\n")
	}
	return nil
}
