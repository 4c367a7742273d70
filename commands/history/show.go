package history

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/event"
	"reasonix/core/history"
)

const (
	defaultLines = 20
	maxLines     = 1000
	// entryBytes is how much of each entry is shown: long results are cut in the
	// middle.
	entryBytes = 16 << 10
)

type entry struct {
	Seq  event.Seq  `json:"seq"`
	Turn int        `json:"turn,omitempty"`
	Time *time.Time `json:"time,omitempty"`
	Role string     `json:"role"`
	Tool string     `json:"tool,omitempty"`
	Text string     `json:"text"`
	Cut  int        `json:"cut,omitempty"` // bytes left out of text
}

type transcript struct {
	Session   string  `json:"session"`
	Workspace string  `json:"workspace,omitempty"`
	Title     string  `json:"title,omitempty"`
	Earlier   bool    `json:"earlier"` // there is more in front
	Later     bool    `json:"later"`
	Entries   []entry `json:"entries"`
}

func newShow(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show SESSION",
		Short: "Print a part of a session's transcript",
		Long: `Print a part of a session's transcript: its end, or what is around a hit.

SESSION is an id or the beginning of one, of this workspace or another, or archive/NAME as search prints
it. Long results are cut in the middle. reasonix session export writes a whole session. The number before
a message of yours, #N, is one that reasonix session rewind --to '#N' goes back to before.`,
		Example: `  reasonix history show 20260102-150405-a1b2c3
  reasonix history show 20260102-1504 --around 120 --lines 6
  reasonix history show 20260102-1504 --output-format json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeSessions(app),
	}
	around := cmd.Flags().Uint64("around", 0, "the number of a hit: show what is before and behind it")
	lines := cmd.Flags().Int("lines", defaultLines, fmt.Sprintf("prompts, replies and results to show, up to %d", maxLines))
	format := cmdutil.OutputFormat(cmd)
	cmdutil.MayExit(cmd, cmdutil.CodeSIGINT, cmdutil.CodeSIGTERM)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *lines < 1 || *lines > maxLines {
			return cmdutil.Usagef("--lines must be from 1 to %d", maxLines)
		}
		h, err := open(app)
		if err != nil {
			return err
		}
		ctx, stop := cmdutil.WithSignals(cmd.Context())
		defer stop()
		t, err := h.Show(ctx, window(args[0], event.Seq(*around), *lines))
		if err != nil {
			return noSession(err)
		}
		if *format == cmdutil.JSON {
			return cmdutil.PrintJSON(app.Out, entries(t))
		}
		return printTranscript(app, t)
	}
	return cmd
}

// window is n entries: the last ones, or half of them before a hit.
func window(session string, around event.Seq, n int) history.Window {
	w := history.Window{Session: session, Around: around, Before: n, Text: entryBytes}
	if around > 0 {
		w.Before = n / 2
		w.After = n - w.Before - 1
	}
	return w
}

func entries(t history.Transcript) transcript {
	out := transcript{
		Session: t.Session, Workspace: slash(t.Workspace), Title: t.Title,
		Earlier: t.Earlier, Later: t.Later, Entries: []entry{},
	}
	for _, e := range t.Entries {
		out.Entries = append(out.Entries, entry{
			Seq: e.Seq, Turn: e.Turn, Time: stamp(e.Time), Role: string(e.Role), Tool: e.Tool, Text: e.Text, Cut: e.Cut,
		})
	}
	return out
}

func printTranscript(app *cmdutil.App, t history.Transcript) error {
	title := t.Session
	for _, part := range []string{oneLine(t.Title), slash(t.Workspace)} {
		if part != "" {
			title += "  " + part
		}
	}
	fmt.Fprintln(app.Out, title)
	if t.Earlier {
		fmt.Fprintln(app.Out, "(earlier entries are not shown)")
	}
	for _, e := range t.Entries {
		fmt.Fprintf(app.Out, "\n#%d  %s  %s\n%s\n", e.Seq, local(e.Time), who(string(e.Role), e.Tool), indented(e.Text))
	}
	if t.Later {
		fmt.Fprintln(app.Out, "\n(later entries are not shown)")
	}
	return nil
}

// indented is text that no terminal obeys, two blanks before each line.
func indented(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.TrimRight(text, "\n"))
	return "  " + strings.ReplaceAll(text, "\n", "\n  ")
}

func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}
