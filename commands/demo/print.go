package demo

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"reasonix/commands/cmdutil"
	"reasonix/core/event"
)

// printer shows the demo in one format.
type printer interface {
	begin(dir string, id event.SessionID)
	draw(p event.Payload)
	end(r *report)
	warn(text string)
}

func newPrinter(app *cmdutil.App, format string) printer {
	if format == cmdutil.JSON {
		return &jsonPrinter{app: app}
	}
	return &textPrinter{out: app.Out, err: app.Err, now: app.Now, began: app.Now()}
}

// textPrinter tells it to a person, in plain text.
type textPrinter struct {
	out, err io.Writer
	now      func() time.Time
	began    time.Time
	dir      string
	session  event.SessionID
}

const opening = `The demo project is in %s. One of its tests fails, and
the agent now repairs it. No real model is involved: the demo model, a small fixed
program, stands in for one. The rest is as always.

> %s

`

const closing = `
No real model was involved: the demo model searches for a repair and can do nothing
else. To connect a real one: reasonix setup
`

func (p *textPrinter) begin(dir string, id event.SessionID) {
	p.dir, p.session = filepath.ToSlash(dir), id
	fmt.Fprintf(p.out, opening, p.dir, task)
}

func (p *textPrinter) draw(payload event.Payload) {
	switch e := payload.(type) {
	case event.Replied:
		if text := strings.TrimSpace(e.Message.Content); text != "" {
			fmt.Fprintln(p.out, text)
		}
	case event.ToolFinished:
		fmt.Fprintf(p.out, "  · %s\n", toolLine(e))
	case event.Notice:
		fmt.Fprintf(p.out, "  · %s: %s\n", e.Level, e.Text)
	default: // the rest is for front ends with a screen
	}
}

// toolLine is a finished call in one line.
func toolLine(f event.ToolFinished) string {
	line, _, _ := strings.Cut(f.Title, "\n")
	if f.Message.Name == toolRun {
		line = "Run " + line
	}
	line += ": " + string(f.Status)
	switch {
	case f.Exit != nil && *f.Exit != 0:
		line += fmt.Sprintf(", exit %d", *f.Exit)
	case f.Reason != "":
		line += ": " + f.Reason
	case f.Status != event.StatusOK:
		why, _, _ := strings.Cut(strings.TrimPrefix(f.Message.Content, "error: "), "\n")
		line += ": " + why
	}
	return line
}

func (p *textPrinter) end(r *report) {
	if len(r.diffs) > 0 {
		fmt.Fprintf(p.out, "\nThe change:\n\n%s", r.diffs)
	}
	if r.tests != "" {
		fmt.Fprintf(p.out, "\nThe last run of the tests:\n\n%s\n", strings.TrimRight(r.tests, "\n"))
	}
	fmt.Fprintf(p.out, "\n%s: %d steps, %s, session %s, in %s\n", r.ended.Outcome, r.ended.Steps,
		p.now().Sub(p.began).Round(time.Millisecond), p.session, p.dir)
	fmt.Fprint(p.out, closing)
}

func (p *textPrinter) warn(text string) { fmt.Fprintf(p.err, "warning: %s\n", text) }

// jsonPrinter prints one object at the end.
type jsonPrinter struct {
	app     *cmdutil.App
	dir     string
	session event.SessionID
}

// object is the demo as a program reads it.
type object struct {
	Directory string          `json:"directory"`
	Outcome   event.Outcome   `json:"outcome"`
	Steps     int             `json:"steps"`
	Diff      string          `json:"diff"`
	Tests     string          `json:"tests"`
	Session   event.SessionID `json:"session_id"`
}

func (p *jsonPrinter) begin(dir string, id event.SessionID) {
	p.dir, p.session = filepath.ToSlash(dir), id
}

func (p *jsonPrinter) draw(event.Payload) {}

// end prints the object. A stdout that cannot be written has nobody left to be
// told.
func (p *jsonPrinter) end(r *report) {
	_ = cmdutil.PrintJSON(p.app.Out, object{p.dir, r.ended.Outcome, r.ended.Steps, r.diffs.String(), r.tests, p.session})
}

// warn prints nothing: a machine's stderr stays empty, and doctor says it too.
func (p *jsonPrinter) warn(string) {}
