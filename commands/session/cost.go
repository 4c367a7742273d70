package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/message"
	"reasonix/core/session"
)

func newCost(s *shelf) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cost",
		Short: "Add up what sessions used and cost",
		Long: `Add up what the sessions of this directory used and cost, by model and day.

Days are in UTC. "cached" is the share of the tokens read that came from the endpoint's cache. A cost
that begins with ~ is estimated; - is a model without a price. Amounts are added by currency only.`,
		Example: `  reasonix session cost
  reasonix session cost --since 7d --by model
  reasonix session cost --all --since 2026-01-01 --output-format json`,
		Args: cobra.NoArgs,
	}
	since := cmd.Flags().String("since", "", "an age such as 7d, or a day such as 2026-01-02")
	by := cmd.Flags().StringSlice("by", []string{"model", "day"}, "what to add up by: model, day or both")
	all := cmd.Flags().Bool("all", false, "sessions of every directory")
	format := cmdutil.OutputFormat(cmd)
	_ = cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions([]string{"model", "day", "model,day"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		a := account{by: *by}
		for _, word := range *by {
			if word != "model" && word != "day" {
				return cmdutil.Usagef("--by %s: must be model, day or both", word)
			}
		}
		if *since != "" {
			first, err := firstDay(*since, s.app.Now())
			if err != nil {
				return cmdutil.Usage(err)
			}
			a.since = first
		}
		if err := s.account(cmd.Context(), &a, *all); err != nil {
			return err
		}
		if *format == cmdutil.JSON {
			return cmdutil.PrintJSON(s.app.Out, a.inJSON())
		}
		return a.print(s.app)
	}
	return cmd
}

// firstDay is the day --since names.
func firstDay(text string, now time.Time) (time.Time, error) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day, nil
	}
	age, err := parseAge(text)
	if err != nil {
		return time.Time{}, fmt.Errorf("--since %s: want an age such as 7d, or a day such as 2026-01-02", text)
	}
	return now.UTC().Add(-age).Truncate(24 * time.Hour), nil
}

// account adds up what was spent.
type account struct {
	by       []string
	since    time.Time
	sessions int
	rows     []session.Spend
}

func (s *shelf) account(ctx context.Context, a *account, all bool) error {
	places, err := s.places(all)
	if err != nil {
		return err
	}
	for _, p := range places {
		list, err := p.store.List(ctx, session.Query{})
		if err != nil {
			return readable(err)
		}
		for _, m := range list {
			if err := ctx.Err(); err != nil {
				return context.Cause(ctx)
			}
			in, err := p.store.Info(ctx, m.ID)
			if err != nil {
				fmt.Fprintf(s.app.Err, "warning: %s\n", plain(err.Error()))
				continue
			}
			a.add(in.Spent)
		}
	}
	slices.SortFunc(a.rows, func(x, y session.Spend) int {
		return cmp.Or(cmp.Compare(y.Day, x.Day), cmp.Compare(x.Model, y.Model), cmp.Compare(x.Currency, y.Currency))
	})
	return nil
}

func (a *account) add(spent []session.Spend) {
	any := false
	for _, s := range spent {
		if !a.since.IsZero() && s.Day < a.since.Format(time.DateOnly) {
			continue
		}
		any = true
		if !slices.Contains(a.by, "model") {
			s.Model = ""
		}
		if !slices.Contains(a.by, "day") {
			s.Day = ""
		}
		a.rows = sum(a.rows, s)
	}
	if any {
		a.sessions++
	}
}

// sum adds s to the row of its day, model and currency.
func sum(rows []session.Spend, s session.Spend) []session.Spend {
	i := slices.IndexFunc(rows, func(r session.Spend) bool {
		return r.Day == s.Day && r.Model == s.Model && r.Currency == s.Currency
	})
	if i < 0 {
		return append(rows, s)
	}
	r := &rows[i]
	r.Requests += s.Requests
	r.Usage = r.Usage.Add(s.Usage)
	r.Amount += s.Amount
	r.Estimated = r.Estimated || s.Estimated
	return rows
}

// total is one row a currency, without day and model.
func (a *account) total() []session.Spend {
	rows := []session.Spend{}
	for _, s := range a.rows {
		s.Day, s.Model = "", ""
		rows = sum(rows, s)
	}
	return rows
}

// spend is a row in JSON.
type spend struct {
	Day         string        `json:"day,omitempty"`
	Model       string        `json:"model,omitempty"`
	Requests    int           `json:"requests"`
	Usage       message.Usage `json:"usage"`
	CachedShare float64       `json:"cached_share"` // of the tokens read, 0 to 1
	Amount      float64       `json:"amount"`
	Currency    string        `json:"currency,omitempty"`
	Estimated   bool          `json:"estimated,omitempty"`
}

type spending struct {
	Sessions int     `json:"sessions"`
	Rows     []spend `json:"rows"`
	Total    []spend `json:"total"`
}

func (a *account) inJSON() spending {
	rows := func(list []session.Spend) []spend {
		out := []spend{}
		for _, s := range list {
			r := spend{Day: s.Day, Model: s.Model, Requests: s.Requests, Usage: s.Usage, Amount: s.Amount, Currency: s.Currency, Estimated: s.Estimated}
			if n := s.Usage.Prompt(); n > 0 {
				r.CachedShare = float64(s.Usage.CacheRead) / float64(n)
			}
			out = append(out, r)
		}
		return out
	}
	return spending{a.sessions, rows(a.rows), rows(a.total())}
}

func (a *account) print(app *cmdutil.App) error {
	if len(a.rows) == 0 {
		_, err := fmt.Fprintln(app.Err, "nothing was used")
		return err
	}
	w := tabwriter.NewWriter(app.Out, 0, 0, 2, ' ', 0)
	var heads []string
	for _, h := range []struct{ by, head string }{{"day", "DAY"}, {"model", "MODEL"}} {
		if slices.Contains(a.by, h.by) {
			heads = append(heads, h.head)
		}
	}
	fmt.Fprintln(w, strings.Join(append(heads, "REQUESTS", "READ", "CACHED", "WRITTEN", "COST"), "\t"))
	for _, s := range a.rows {
		var cells []string
		if slices.Contains(a.by, "day") {
			cells = append(cells, s.Day)
		}
		if slices.Contains(a.by, "model") {
			cells = append(cells, cmp.Or(plain(s.Model), "(unknown)"))
		}
		a.row(w, cells, s)
	}
	for _, s := range a.total() {
		cells := make([]string, len(heads))
		if len(cells) > 0 {
			cells[0] = "total"
		}
		a.row(w, cells, s)
	}
	return w.Flush()
}

func (a *account) row(w *tabwriter.Writer, cells []string, s session.Spend) {
	u := s.Usage
	cells = append(cells, fmt.Sprint(s.Requests), fmt.Sprint(u.Prompt()), share(u), fmt.Sprint(u.Output), money(s.Amount, s.Currency, s.Estimated))
	fmt.Fprintln(w, strings.Join(cells, "\t"))
}
