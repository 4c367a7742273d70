package run

import (
	"fmt"
	"io"
	"strings"
	"time"

	"reasonix/commands/cmdutil"
	"reasonix/core/event"
)

// textPrinter shows a run to a person: the answer on stdout, the rest on stderr.
type textPrinter struct {
	ledger
	out, err       io.Writer
	live           bool // stdout is a terminal: text appears as it is written
	print          bool // only the final answer
	quiet, verbose bool
	passing        bool // no session is left to name
	dim, plain     string
	shown          string          // text of the reply in flight that stands on the terminal
	commands       map[string]bool // calls that run a command, by id
	skip           int             // bytes of a repeated reply that stand there already
	midLine        bool            // stdout's cursor is not at the start of a line
	status         *statusLine     // nil: no terminal
	asked          int             // questions on the terminal: no live line below them
}

func newTextPrinter(app *cmdutil.App, o *options, l ledger) *textPrinter {
	p := &textPrinter{
		ledger: l, out: app.Out, err: app.Err, live: app.StdoutTTY && !o.print, print: o.print,
		quiet: o.quiet, verbose: o.verbose, passing: o.passing(), commands: map[string]bool{},
	}
	if app.ColorErr() {
		p.dim, p.plain = "\x1b[2m", "\x1b[0m"
	}
	if app.StderrTTY && app.Getenv("TERM") != "dumb" && !o.quiet && !o.print && !o.verbose {
		p.status = &statusLine{w: app.Err, columns: columnsOf(app.Err), now: app.Now}
		p.out, p.err = p.status.over(app.Out, app.StdoutTTY), p.status.over(app.Err, false)
		p.status.start()
	}
	return p
}

// columnsOf asks the terminal behind w how wide it is.
func columnsOf(w io.Writer) func() int {
	if t, ok := w.(interface{ Columns() int }); ok {
		return t.Columns
	}
	return func() int { return 0 }
}

// doing sets the live line.
func (p *textPrinter) doing(text string, wait time.Duration) {
	if p.status != nil && p.asked == 0 {
		p.status.set(text, wait)
	}
}

// asking leaves the terminal to a question.
func (p *textPrinter) asking() {
	p.newLine()
	if p.status != nil {
		p.status.clear()
	}
	p.asked++
}

func (p *textPrinter) quietly() {
	if p.status != nil {
		p.status.end()
	}
}

func (p *textPrinter) begin(_ string, at event.CaughtUp) {
	p.ledger.begin(at)
	for _, n := range at.Notices {
		p.say("%s: %s", n.Level, n.Text)
	}
}

func (p *textPrinter) draw(env event.Envelope) {
	p.add(env.Payload)
	switch e := env.Payload.(type) {
	case event.TextDelta:
		p.delta(e)
	case event.ReasoningDelta:
		if p.verbose {
			fmt.Fprint(p.err, p.dim+terminalSafe(e.Text)+p.plain)
		}
	case event.Replied:
		p.replied(e)
	case event.Retrying:
		p.retrying(e)
	case event.Phase:
		switch e.Name {
		case event.PhaseStarting:
			if e.Detail != "" {
				p.doing("waiting for "+e.Detail, 0)
			}
		case event.PhaseModel:
			p.doing("waiting for "+e.Detail, 0)
		case event.PhasePlanning:
			p.doing("planning with "+e.Detail, 0)
		case event.PhaseCompacting:
			p.doing("compacting the conversation", 0)
		}
	case event.Asked:
		p.asking()
	case event.Answered:
		if e.By != event.ByGuardian { // which answers what nobody was asked
			p.asked = max(0, p.asked-1)
		}
	case event.ToolStarted:
		p.doing(e.Title, 0)
		if e.Kind == "execute" {
			p.commands[e.Call] = true
		}
		if p.verbose {
			p.say("%s: runs because: %s%s", oneLineTitle(e.Title), e.Rule, heldWord(e.Held))
		}
	case event.ToolFinished:
		p.tool(e)
	case event.ServerChanged:
		switch e.State {
		case event.ServerFailed:
			p.say("MCP server %s failed: %s", oneLineTitle(e.Name), strings.ReplaceAll(e.Detail, "\n", " "))
		case event.ServerUntrusted:
			p.say("MCP server %s is not trusted: %s", oneLineTitle(e.Name), oneLineTitle(e.Detail))
		}
	case event.ToolProgress:
		p.doing(progressWord(e), 0)
	case event.ToolOutput:
		if p.verbose {
			fmt.Fprint(p.err, p.dim+terminalSafe(e.Text)+p.plain)
		}
	case event.Notice:
		if e.Code != event.NoticeReport {
			p.say("%s: %s", e.Level, e.Text)
		} else if !p.print { // it is the answer
			p.write(e.Text)
			p.newLine()
		}
	case event.Repaired:
		p.say("repaired: %s", e.Reason)
	case event.Folded:
		p.say("%s", foldLine(e))
	default: // the rest is for front ends with a screen
	}
}

// foldLine says what a compaction did.
func foldLine(f event.Folded) string {
	if f.Failure != nil {
		return "compaction failed, the conversation is as it was: " + oneLineTitle(f.Failure.Text)
	}
	line := fmt.Sprintf("compacted (%s): about %d tokens before, %d after; %d of them are no longer cached", f.Stage, f.Before, f.After, f.Lost)
	if f.Archive != "" {
		line += "; originals in archive/" + f.Archive
	}
	return line
}

// delta writes text as it comes. A reply that is written again after a cut
// stands on the terminal already as far as it is the same.
func (p *textPrinter) delta(e event.TextDelta) {
	if !p.live {
		return
	}
	if p.skip > 0 {
		p.skipped(e)
		return
	}
	p.shown += e.Text
	p.write(e.Text)
}

// skipped compares a second attempt with what stands there.
func (p *textPrinter) skipped(e event.TextDelta) {
	at := len(p.shown) - p.skip
	n := min(len(e.Text), p.skip)
	if p.shown[at:at+n] != e.Text[:n] {
		p.newLine()
		p.note("the text above was cut off by the endpoint and is replaced by what follows")
		whole := p.shown[:at] + e.Text
		p.shown, p.skip = whole, 0
		p.write(whole)
		return
	}
	p.skip -= n
	p.shown += e.Text[n:]
	p.write(e.Text[n:])
}

func (p *textPrinter) replied(e event.Replied) {
	switch {
	case p.print: // the answer is printed at the end
	case p.live:
		p.newLine()
	case e.Message.Content != "":
		p.write(e.Message.Content)
		p.newLine()
	}
	p.shown, p.skip = "", 0
	switch e.Finish {
	case event.FinishLength:
		p.note("the reply reached the endpoint's output limit and is cut")
	case event.FinishCut, event.FinishCancelled, event.FinishLimit:
		if e.Message.Content != "" {
			p.note("the reply above is incomplete (" + e.Finish + ")")
		}
	}
}

func (p *textPrinter) retrying(e event.Retrying) {
	p.say("retrying in %s (try %d of %d): %s", round(e.After), e.Attempt, e.Of, e.Failure.Text)
	p.skip = len(p.shown)
	p.doing("retrying in", e.After)
}

func (p *textPrinter) tool(e event.ToolFinished) {
	line := oneLineTitle(e.Title)
	if p.commands[e.Call] {
		line = "$ " + line
		delete(p.commands, e.Call)
	}
	switch e.Status {
	case event.StatusOK:
		p.say("%s%s", line, tookWord(e.Took))
	case event.StatusDenied:
		p.say("%s: denied: %s", line, e.Reason)
	case event.StatusFailed, event.StatusCancelled, event.StatusInterrupted:
		p.say("%s: %s%s", line, failedWord(e), tookWord(e.Took))
	}
}

// progressWord is how far a call is, by its own account.
func progressWord(e event.ToolProgress) string {
	text := fmt.Sprint(e.Done)
	if e.Total > 0 {
		text = fmt.Sprintf("%.0f%%", 100*e.Done/e.Total)
	}
	return strings.TrimSpace(text + " " + oneLineTitle(e.Text))
}

func heldWord(held string) string {
	if held == "" {
		return ""
	}
	return "; held by: " + held
}

func failedWord(e event.ToolFinished) string {
	if e.Exit != nil {
		return fmt.Sprintf("%s, exit %d", e.Status, *e.Exit)
	}
	return fmt.Sprintf("%s: %s", e.Status, oneLineTitle(strings.TrimPrefix(e.Message.Content, "error: ")))
}

// oneLineTitle is the first line of a title. What would turn the text around it is
// spelled out.
func oneLineTitle(title string) string {
	line, _, _ := strings.Cut(title, "\n")
	if r := []rune(line); len(r) > 120 {
		line = string(r[:119]) + "…"
	}
	return visible(terminalSafe(line))
}

func tookWord(d time.Duration) string {
	if d < 100*time.Millisecond {
		return ""
	}
	return " (" + round(d).String() + ")"
}

func round(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(100 * time.Millisecond)
}

func (p *textPrinter) end(ended event.TurnEnded) {
	if p.print && p.answer != "" {
		p.write(p.answer)
	}
	p.newLine()
	p.quietly()
	if p.quiet || p.print {
		return
	}
	for _, q := range p.assumed {
		p.note("nobody was asked, so the model assumed an answer: " + oneLineTitle(q))
	}
	if !p.passing {
		p.note(p.receipt(ended))
	}
}

// receipt is the run in one line.
func (p *textPrinter) receipt(t event.TurnEnded) string {
	parts := []string{string(t.Outcome), plural(t.Steps, "step")}
	if u := t.Usage; u.Prompt() > 0 {
		in := fmt.Sprintf("%d tokens in", u.Prompt())
		if u.CacheRead > 0 {
			in += fmt.Sprintf(" (%d%% cached)", u.CacheRead*100/u.Prompt())
		}
		parts = append(parts, in, fmt.Sprintf("%d out", u.Output))
	}
	if m := t.Cost; m != nil {
		about := ""
		if m.Estimated {
			about = "about "
		}
		parts = append(parts, fmt.Sprintf("%s%.4f %s", about, m.Amount, m.Currency))
	}
	return strings.Join(append(parts, round(p.now().Sub(p.began)).String(), "session "+string(p.session)), " · ")
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func (p *textPrinter) failed(error) {
	p.newLine()
	p.quietly()
}

func (p *textPrinter) warn(text string) {
	fmt.Fprintf(p.err, "warning: %s\n", cmdutil.Shown(text))
}

// write puts model text on stdout. On a terminal its control bytes are disarmed.
func (p *textPrinter) write(s string) {
	if s == "" {
		return
	}
	p.midLine = !strings.HasSuffix(s, "\n")
	if p.live {
		s = terminalSafe(s)
	}
	fmt.Fprint(p.out, s)
}

func (p *textPrinter) newLine() {
	if p.midLine {
		fmt.Fprintln(p.out)
		p.midLine = false
	}
}

// say writes a dim line on stderr unless only the answer is wanted.
func (p *textPrinter) say(format string, args ...any) {
	if p.quiet || p.print {
		return
	}
	p.note(fmt.Sprintf(format, args...))
}

func (p *textPrinter) note(line string) {
	if p.live {
		p.newLine()
	}
	fmt.Fprintf(p.err, "%s· %s%s\n", p.dim, cmdutil.Shown(line), p.plain)
}

// terminalSafe takes the bytes out that would steer a terminal.
func terminalSafe(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}
