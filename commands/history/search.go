package history

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/event"
	"reasonix/core/history"
)

type mark struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

type hit struct {
	Session   string     `json:"session"`
	Seq       event.Seq  `json:"seq"`
	Workspace string     `json:"workspace,omitempty"`
	Title     string     `json:"title,omitempty"`
	Turn      int        `json:"turn,omitempty"`
	Time      *time.Time `json:"time,omitempty"`
	Role      string     `json:"role"` // user, assistant, tool
	Tool      string     `json:"tool,omitempty"`
	Score     float64    `json:"score"`
	Terms     []string   `json:"terms"`
	Snippet   string     `json:"snippet"`
	Marks     []mark     `json:"marks"` // bytes of snippet
}

type found struct {
	Hits     []hit  `json:"hits"`
	Sessions int    `json:"sessions"` // searched
	Advice   string `json:"advice,omitempty"`
}

func newSearch(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "search QUERY...",
		Short: "Find what was said by the words in it",
		Long: `Find what was said by the words in it, best first.

Words are compared in lower case; an identifier is found by its parts, Chinese, Japanese and Korean by
neighbouring characters. Each hit says session, number, time, who and the part that fits; show reads on
from there. Nothing found is no error; when other workspaces have something, that is said. The first search of
many sessions takes a while, because it makes the index.`,
		Example: `  reasonix history search retryBackoff
  reasonix history search --limit 20 --scope global "disk full"
  reasonix history search flaky test --output-format json`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	scope := cmdutil.EnumFlag(cmd, "scope", string(history.Project), "whose sessions", string(history.Project), string(history.Global))
	limit := cmd.Flags().Int("limit", history.DefaultLimit, fmt.Sprintf("hits at most, up to %d", history.MaxLimit))
	format := cmdutil.OutputFormat(cmd)
	cmdutil.MayExit(cmd, cmdutil.CodeSIGINT, cmdutil.CodeSIGTERM)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *limit < 1 || *limit > history.MaxLimit {
			return cmdutil.Usagef("--limit must be from 1 to %d", history.MaxLimit)
		}
		h, err := open(app)
		if err != nil {
			return err
		}
		ctx, stop := cmdutil.WithSignals(cmd.Context())
		defer stop()
		q := history.Query{Text: strings.Join(args, " "), Scope: history.Scope(*scope), Limit: *limit}
		r, err := h.Search(ctx, q)
		if err != nil {
			return err
		}
		var advice string
		if len(r.Hits) == 0 {
			if advice, err = advise(ctx, h, q, r); err != nil {
				return err
			}
		}
		if *format == cmdutil.JSON {
			return cmdutil.PrintJSON(app.Out, inJSON(r, advice))
		}
		return printHits(app, r, advice)
	}
	return cmd
}

// elsewhere is how long journals of other workspaces are read to say that they have what
// was not found here.
const elsewhere = 2 * time.Second

// advise says what to do where nothing was found: whether it is anywhere else.
func advise(ctx context.Context, h *history.History, q history.Query, r history.Result) (string, error) {
	if q.Scope == history.Global {
		return r.Advice(q.Scope), nil
	}
	q.Scope, q.Limit, q.Patience = history.Global, 1, elsewhere
	all, err := h.Search(ctx, q)
	if err != nil || len(all.Hits) == 0 {
		return all.Advice(q.Scope), err
	}
	return fmt.Sprintf("Nothing fits in %s of this workspace; there is something elsewhere: add --scope global.", cmdutil.Count(r.Sessions, "session")), nil
}

func inJSON(r history.Result, advice string) found {
	out := found{Hits: []hit{}, Sessions: r.Sessions, Advice: advice}
	for _, h := range r.Hits {
		marks := []mark{}
		for _, m := range h.Marks {
			marks = append(marks, mark(m))
		}
		out.Hits = append(out.Hits, hit{
			Session: h.Session, Seq: h.Seq, Workspace: slash(h.Workspace), Title: h.Title, Turn: h.Turn, Time: stamp(h.Time),
			Role: string(h.Role), Tool: h.Tool, Score: h.Score, Terms: h.Terms, Snippet: h.Snippet, Marks: marks,
		})
	}
	return out
}

func printHits(app *cmdutil.App, r history.Result, advice string) error {
	if len(r.Hits) == 0 {
		_, err := fmt.Fprintln(app.Err, advice)
		return err
	}
	for i, h := range r.Hits {
		if i > 0 {
			fmt.Fprintln(app.Out)
		}
		fmt.Fprintln(app.Out, heading(h))
		if _, err := fmt.Fprintln(app.Out, "  "+marked(h, app.ColorOut())); err != nil {
			return err
		}
	}
	return nil
}

// heading is "session #number  time  who  title  workspace".
func heading(h history.Hit) string {
	parts := []string{fmt.Sprintf("%s #%d", h.Session, h.Seq)}
	for _, part := range []string{local(h.Time), who(string(h.Role), h.Tool), oneLine(h.Title)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if !h.Own && h.Workspace != "" {
		parts = append(parts, slash(h.Workspace))
	}
	return strings.Join(parts, "  ")
}

func who(role, tool string) string {
	if tool != "" {
		return role + " " + tool
	}
	return role
}

// marked is the snippet, on a terminal with what fits in bold.
func marked(h history.Hit, bold bool) string {
	if !bold {
		return h.Snippet
	}
	var b strings.Builder
	at := 0
	for _, m := range h.Marks {
		b.WriteString(h.Snippet[at:m.Start] + "\x1b[1m" + h.Snippet[m.Start:m.End] + "\x1b[0m")
		at = m.End
	}
	return b.String() + h.Snippet[at:]
}
