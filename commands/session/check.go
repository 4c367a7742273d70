package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/event"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
)

func newCheck(s *shelf) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check [ID...]",
		Short: "Read sessions through and name every damage",
		Long: `Read sessions through, all of this directory's without an ID, and name every damage: the line, where it is
in the file, and what is wrong with it. It changes nothing and needs no lock. Damage is exit code 1.

A damaged session goes on all the same: what is damaged is skipped, and what surrounds it counts.`,
		Example: `  reasonix session check
  reasonix session check 20260102-150405
  reasonix session check --all --output-format json`,
		ValidArgsFunction: s.complete(true),
	}
	all := cmd.Flags().Bool("all", false, "sessions of every directory")
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *all && len(args) > 0 {
			return cmdutil.Usagef("--all and ID exclude each other")
		}
		which, err := s.toCheck(cmd.Context(), args, *all)
		if err != nil {
			return err
		}
		return s.check(cmd.Context(), which, *format)
	}
	return cmd
}

// toCheck are the named sessions, or all.
func (s *shelf) toCheck(ctx context.Context, names []string, all bool) ([]found, error) {
	if len(names) > 0 {
		return s.findAll(ctx, names)
	}
	places, err := s.places(all)
	if err != nil {
		return nil, err
	}
	var which []found
	for _, p := range places {
		list, err := p.store.List(ctx, session.Query{})
		if err != nil {
			return nil, readable(err)
		}
		for _, m := range list {
			which = append(which, found{p, m.ID})
		}
	}
	return which, nil
}

// checked is a report in JSON.
type checked struct {
	ID      event.SessionID `json:"id"`
	Records int             `json:"records"`
	Bytes   int64           `json:"bytes"`
	LastSeq event.Seq       `json:"last_seq"`
	Holder  string          `json:"holder,omitempty"`
	Damages []damage        `json:"damages"`
	Error   string          `json:"error,omitempty"` // it could not be read at all
}

type damage struct {
	Line   int    `json:"line"`
	Offset int64  `json:"offset"`
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
}

func checkedOf(r jsonl.Report) checked {
	c := checked{ID: r.ID, Records: r.Records, Bytes: r.Bytes, LastSeq: r.Last, Holder: r.Holder, Damages: []damage{}}
	for _, d := range r.Damages {
		c.Damages = append(c.Damages, damage{d.Line, d.Offset, string(d.Kind), d.Reason})
	}
	return c
}

func (s *shelf) check(ctx context.Context, which []found, format string) error {
	reports := []checked{}
	bad := false
	for _, f := range which {
		rep, err := f.store.Check(ctx, f.id)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		c := checkedOf(rep)
		if err != nil {
			c.Error = err.Error()
		}
		bad = bad || err != nil || len(c.Damages) > 0
		if format == cmdutil.JSON {
			reports = append(reports, c)
		} else if err := c.print(s.app); err != nil {
			return err
		}
	}
	if format == cmdutil.JSON {
		if err := cmdutil.PrintJSON(s.app.Out, struct {
			Sessions []checked `json:"sessions"`
		}{reports}); err != nil {
			return err
		}
	} else if !bad {
		fmt.Fprintf(s.app.Err, "%s checked, no damage\n", cmdutil.Count(len(which), "session"))
	}
	if bad {
		return cmdutil.Exit(cmdutil.CodeInternal, nil)
	}
	return nil
}

func (c checked) print(app *cmdutil.App) error {
	if c.Error != "" {
		_, err := fmt.Fprintf(app.Out, "%s: %s\n", c.ID, plain(c.Error))
		return err
	}
	for _, d := range c.Damages {
		if _, err := fmt.Fprintf(app.Out, "%s: line %d, offset %d: %s: %s\n", c.ID, d.Line, d.Offset, d.Kind, plain(d.Reason)); err != nil {
			return err
		}
	}
	return nil
}

func newRepair(s *shelf) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "repair ID",
		Short: "Write a damaged session anew from what can be read",
		Long: `Write a damaged session anew from what can be read of it, in one step. A lost record leaves a notice in
its place. The file as it was is kept beside it as ID.original, the lines that were taken out also in
ID.damaged. A session without damage is left alone.`,
		Example: `  reasonix session repair 20260102-150405
  reasonix session repair 20260102-150405 --output-format json`,
	}
	format := cmdutil.OutputFormat(cmd)
	return s.aboutOne(cmd, func(ctx context.Context, f found) error {
		rep, err := f.store.Repair(ctx, f.id)
		if err != nil {
			return err
		}
		if *format == cmdutil.JSON {
			return cmdutil.PrintJSON(s.app.Out, mendedOf(rep))
		}
		return mendedOf(rep).print(s.app)
	})
}

// mended is what a repair did, in JSON.
type mended struct {
	checked
	Repaired bool   `json:"repaired"`
	TakenOut int    `json:"taken_out"` // lines
	Filled   int    `json:"filled"`    // notices in the place of lost records
	Original string `json:"original,omitempty"`
	Damaged  string `json:"damaged,omitempty"`
}

func mendedOf(r jsonl.Repaired) mended {
	return mended{checkedOf(r.Report), r.Kept != "", r.TakenOut, r.Filled, slash(r.Kept), slash(r.Damaged)}
}

func (m mended) print(app *cmdutil.App) error {
	if !m.Repaired {
		_, err := fmt.Fprintf(app.Err, "%s has no damage: nothing was changed\n", m.ID)
		return err
	}
	_, err := fmt.Fprintf(app.Out, "%s: %s kept, %s taken out, %s in the place of lost ones\n", m.ID,
		cmdutil.Count(m.Records, "record"), cmdutil.Count(m.TakenOut, "line"), cmdutil.Count(m.Filled, "notice"))
	if err == nil {
		_, err = fmt.Fprintf(app.Out, "as it was: %s\n", plain(m.Original))
	}
	if err == nil && m.Damaged != "" {
		_, err = fmt.Fprintf(app.Out, "taken out: %s\n", plain(m.Damaged))
	}
	return err
}

// skipped reports whether err is a record that could not be read.
func skipped(err error) (*session.DamageError, bool) { return errors.AsType[*session.DamageError](err) }
