package session

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/session"
)

func newShow(s *shelf) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show how one session stands",
		Long: `Show how one session stands: its last outcome, what was interrupted, what it runs with and what it used.

The JSON is meant for programs that drive sessions and need not read the journal. "interrupted" holds the
turn without an end and its calls without a result, while nobody has the session open; "running" who has.
"configuration.queued" is what the next turn will run with, when that is not what the last one did.

With --messages the journal is read, and your messages are listed with the numbers that reasonix session
rewind takes: those of the conversation as it is now.`,
		Example: `  reasonix session show 20260102-150405
  reasonix session show fix the parser --messages
  reasonix session show 20260102-150405-a1b2c3 --output-format json`,
	}
	messages := cmd.Flags().Bool("messages", false, "list your messages, as session rewind counts them")
	format := cmdutil.OutputFormat(cmd)
	return s.aboutOne(cmd, func(ctx context.Context, f found) error {
		in, err := f.store.Info(ctx, f.id)
		if err != nil {
			return err
		}
		v := shownOf(in)
		if *messages {
			if v.Messages, err = said(ctx, f.store, f.id); err != nil {
				return readable(err)
			}
		}
		if *format == cmdutil.JSON {
			return cmdutil.PrintJSON(s.app.Out, v)
		}
		return v.print(s.app)
	})
}

// shown is a session in JSON. Members are only added.
type shown struct {
	ID            event.SessionID      `json:"id"`
	Title         string               `json:"title"`
	State         string               `json:"state"`
	Outcome       event.Outcome        `json:"outcome"`
	Reason        string               `json:"reason,omitempty"`
	Detail        string               `json:"detail,omitempty"`
	Interrupted   *session.Unfinished  `json:"interrupted"`
	Running       *running             `json:"running"`
	LastSeq       event.Seq            `json:"last_seq"`
	Turns         []session.TurnAt     `json:"turns"`
	Messages      []saying             `json:"messages,omitempty"` // with --messages
	Configuration configurations       `json:"configuration"`
	Waiting       []event.PromptQueued `json:"waiting_prompts"`
	Usage         message.Usage        `json:"usage"`
	Cost          []event.Money        `json:"cost"`
	Journal       string               `json:"journal"`
	Bytes         int64                `json:"bytes"`
	Damaged       int                  `json:"damaged_lines"`
	Workspace     string               `json:"workspace"`
	Parent        event.SessionID      `json:"parent,omitempty"`
	Client        string               `json:"client,omitempty"`
	Writer        string               `json:"writer,omitempty"`
	Format        int                  `json:"format"`
	Created       time.Time            `json:"created"`
	Updated       time.Time            `json:"updated"`
}

type running struct {
	Holder string              `json:"holder"`
	Turn   *session.Unfinished `json:"turn"` // nil: it waits for a prompt
}

type configurations struct {
	Effective event.Configured  `json:"effective"`
	Queued    *event.Configured `json:"queued"`
}

func shownOf(in session.Info) shown {
	v := shown{
		ID: in.ID, Title: in.Title, State: stateOf(in), Outcome: in.Outcome, Reason: in.Reason, Detail: in.Detail,
		LastSeq: in.Last, Turns: in.Turns, Configuration: configurations{in.Effective, in.Queued}, Waiting: in.Waiting,
		Usage: in.Usage, Cost: totals(in.Spent), Journal: slash(in.Journal), Bytes: in.Bytes, Damaged: in.Damaged,
		Workspace: slash(in.Workspace), Parent: in.Parent, Client: in.Client, Writer: in.Writer, Format: in.Format,
		Created: in.Created, Updated: in.Updated,
	}
	if in.Holder != "" {
		v.Running = &running{in.Holder, in.Unfinished}
	} else {
		v.Interrupted = in.Unfinished
	}
	if v.Turns == nil {
		v.Turns = []session.TurnAt{}
	}
	if v.Waiting == nil {
		v.Waiting = []event.PromptQueued{}
	}
	return v
}

// totals adds up what was spent, by currency, in the order of the first use.
func totals(spent []session.Spend) []event.Money {
	sums := []event.Money{}
	for _, s := range spent {
		if s.Currency == "" {
			continue
		}
		i := 0
		for i < len(sums) && sums[i].Currency != s.Currency {
			i++
		}
		if i == len(sums) {
			sums = append(sums, event.Money{Currency: s.Currency})
		}
		sums[i].Amount += s.Amount
		sums[i].Estimated = sums[i].Estimated || s.Estimated
	}
	return sums
}

func (v shown) print(app *cmdutil.App) error {
	w := tabwriter.NewWriter(app.Out, 0, 0, 2, ' ', 0)
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%s\t%s\n", name, value)
		}
	}
	row("id", string(v.ID))
	row("title", cmp.Or(plain(v.Title), "(none)"))
	row("state", v.state())
	row("turns", fmt.Sprintf("%d, last record %d", len(v.Turns), v.LastSeq))
	row("runs with", configuration(v.Configuration.Effective))
	if q := v.Configuration.Queued; q != nil {
		row("next with", configuration(*q))
	}
	row("limits", limits(v.Configuration.Effective.Limits))
	for _, p := range v.Waiting {
		row("not begun", plain(p.Display))
	}
	u := v.Usage
	row("tokens", fmt.Sprintf("%d read (%s cached), %d written", u.Prompt(), share(u), u.Output))
	var costs []string
	for _, m := range v.Cost {
		costs = append(costs, money(m.Amount, m.Currency, m.Estimated))
	}
	row("cost", strings.Join(costs, ", "))
	row("workspace", plain(v.Workspace))
	row("forked from", string(v.Parent))
	row("client", plain(v.Client))
	row("created", at(v.Created))
	row("last used", at(v.Updated))
	row("journal", fmt.Sprintf("%s (%s)", plain(v.Journal), size(v.Bytes)))
	if v.Damaged > 0 {
		row("damaged", fmt.Sprintf("%s: reasonix session check %s", cmdutil.Count(v.Damaged, "line"), v.ID))
	}
	for _, m := range v.Messages {
		row(fmt.Sprintf("message %d", m.Number), fmt.Sprintf("%s  %s", at(m.Time), plain(m.Text)))
	}
	return w.Flush()
}

// limits is what stops each turn of the session; "" is nothing.
func limits(l event.Limits) string {
	var all []string
	if l.Steps > 0 {
		all = append(all, cmdutil.Count(l.Steps, "step"))
	}
	if l.Cost != nil {
		all = append(all, money(l.Cost.Amount, l.Cost.Currency, false))
	}
	if l.Time > 0 {
		all = append(all, l.Time.String())
	}
	if len(all) == 0 {
		return ""
	}
	return strings.Join(all, ", ") + " a turn"
}

// state is the state with what is behind it.
func (v shown) state() string {
	text := v.State
	if v.Reason != "" {
		text += " (" + plain(v.Reason) + ")"
	}
	pending := v.Interrupted
	if v.Running != nil {
		pending = v.Running.Turn
		text += ", open in another process (" + v.Running.Holder + ")"
	}
	if pending == nil {
		return text
	}
	for _, c := range pending.Calls {
		text += "; without a result: " + plain(cmp.Or(c.Title, c.Name))
	}
	if pending.Question != "" {
		text += "; waits for an answer: " + plain(pending.Question)
	}
	return text
}

// share is how much of what was read came from the cache.
func share(u message.Usage) string {
	if u.Prompt() == 0 {
		return "0%"
	}
	return fmt.Sprintf("%d%%", (100*u.CacheRead+u.Prompt()/2)/u.Prompt())
}
