package run

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"reasonix/commands/cmdutil"
	"reasonix/core/event"
)

// endedError is a turn that ended in another outcome than completed. It was
// shown by the printer already where a machine reads.
type endedError struct {
	ended event.TurnEnded
}

func (e *endedError) Error() string {
	if e.ended.Detail != "" {
		return e.ended.Detail
	}
	return string(e.ended.Outcome)
}

// Hint says what to do about a fault of the endpoint, whose kinds are
// core/provider's.
func (e *endedError) Hint() string {
	if e.ended.Reason == "context" {
		return "begin a new session, or choose a model with a larger window: --model"
	}
	if e.ended.Outcome == event.Limit {
		return "reasonix run --continue goes on from here"
	}
	if e.ended.Failure == nil {
		return ""
	}
	switch e.ended.Failure.Kind {
	case "auth":
		return "reasonix setup key NAME stores another key, reasonix doctor --online tests it"
	case "connection", "not_a_stream":
		return "check base_url and that the server runs: reasonix doctor --online"
	}
	if !e.ended.Failure.Retryable {
		return "what was done is kept; the endpoint will refuse the same again"
	}
	return "what was done is kept: reasonix run --continue tries again"
}

func (e *endedError) ExitCode() int { return cmdutil.CodeOfTurn(e.ended) }

// askOnTerminal shows the question in a line and reads one letter.
func askOnTerminal(app *cmdutil.App, q event.Question) event.Answer {
	fmt.Fprintf(app.Err, "\n%s in %s\n", cmp.Or(q.Tool, q.Title), q.Dir)
	for line := range strings.Lines(terminalSafe(q.Body)) {
		fmt.Fprintf(app.Err, "  | %s\n", strings.TrimSuffix(line, "\n"))
	}
	if q.Reason != "" {
		fmt.Fprintf(app.Err, "  why: %s\n", terminalSafe(q.Reason))
	}
	if q.Sandbox != "" {
		fmt.Fprintf(app.Err, "  %s\n", q.Sandbox)
	}
	keys := map[string]string{}
	for i, o := range q.Options {
		key := fmt.Sprint(i + 1)
		keys[key] = o.ID
		fmt.Fprintf(app.Err, "  %s %s", key, o.Label)
		if o.Detail != "" {
			fmt.Fprintf(app.Err, " [%s]", o.Detail)
		}
		fmt.Fprintln(app.Err)
	}
	fmt.Fprint(app.Err, "? ")
	line, err := bufio.NewReader(oneLine{app.In}).ReadString('\n')
	if err != nil && line == "" {
		return event.Answer{Cancelled: true}
	}
	if id, ok := keys[strings.TrimSpace(line)]; ok {
		return event.Answer{Choice: []string{id}}
	}
	return event.Answer{Cancelled: true, Text: strings.TrimSpace(line)}
}

// oneLine reads byte by byte, so that nothing behind the line is taken.
type oneLine struct{ r io.Reader }

func (o oneLine) Read(p []byte) (int, error) { return o.r.Read(p[:1]) }
