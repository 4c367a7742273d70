package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
	"reasonix/core/event"
	"reasonix/integrations/mcp"
)

// An asker puts a server's questions to the person at the terminal, on stderr: stdout
// has the result alone. One question is asked at a time, which the client sees to.
type asker struct {
	out   io.Writer
	lines reader
	alone bool // nobody is there
}

// asker is for a command with a result; stdin says whether it reads its input itself.
func (d *desk) asker(format string, stdin bool) *asker {
	there := d.app.StdinTTY && d.app.StderrTTY && format == cmdutil.Text && !stdin
	return &asker{out: d.app.Err, lines: reader{in: d.app.In}, alone: !there}
}

// ask is mcp.World.Ask. With nobody there the question is declined, and that is said.
func (a *asker) ask(ctx context.Context, q event.Question) (event.Answer, error) {
	no := event.Answer{Choice: []string{mcp.Decline}}
	if a.alone {
		text := q.Body
		if q.Why != "" {
			text = q.Why + ": " + text
		}
		a.say("note: %s: %s; it was declined, because nobody can be asked here", config.Printable(q.Title), config.Printable(text))
		return no, nil
	}
	a.lines.forget()
	answer, err := a.put(ctx, q)
	if err != nil {
		a.say("")
		if cause := context.Cause(ctx); cause != nil {
			a.say("The question is closed.")
			return event.Answer{Cancelled: true}, cause
		}
		return event.Answer{Cancelled: true}, nil // the input ended
	}
	if answer == nil {
		return no, nil
	}
	return *answer, nil
}

// put asks; nil is no.
func (a *asker) put(ctx context.Context, q event.Question) (*event.Answer, error) {
	a.say("%s:", config.Printable(q.Title))
	if len(q.Schema) == 0 {
		return a.address(ctx, q)
	}
	form, err := newForm(q.Schema)
	if err != nil {
		a.say("%s\nIt cannot be answered here: %s", indented(q.Body), config.Printable(err.Error()))
		return nil, nil
	}
	a.say("%s\nIt wants to know: %s.", indented(q.Body), config.Printable(form.names()))
	if yes, err := a.yes(ctx, "Answer it? [y/N] ", false); !yes || err != nil {
		return nil, err
	}
	values, err := form.fill(ctx, a)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	a.say("  %s", config.Printable(string(data)))
	if yes, err := a.yes(ctx, "Send that? [Y/n] ", true); !yes || err != nil {
		return nil, err
	}
	return &event.Answer{Choice: []string{mcp.Accept}, Data: data}, nil
}

// address shows an address that the server wants to be opened. Nothing is opened here.
func (a *asker) address(ctx context.Context, q event.Question) (*event.Answer, error) {
	a.say("%s\nIt wants you to open this address in a browser:\n\n  %s\n\nIt is not opened for you. Look whose it is, and open it if you want that.", indented(q.Why), config.Printable(q.Body))
	if yes, err := a.yes(ctx, "Tell the server that you agree? [y/N] ", false); !yes || err != nil {
		return nil, err
	}
	return &event.Answer{Choice: []string{mcp.Accept}}, nil
}

// yes asks until it is answered with a yes or a no; an empty line is otherwise.
func (a *asker) yes(ctx context.Context, prompt string, otherwise bool) (bool, error) {
	for {
		line, err := a.line(ctx, prompt)
		if err != nil {
			return false, err
		}
		switch strings.ToLower(line) {
		case "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		case "":
			return otherwise, nil
		}
	}
}

func (a *asker) line(ctx context.Context, prompt string) (string, error) {
	fmt.Fprint(a.out, prompt)
	return a.lines.line(ctx)
}

func (a *asker) say(format string, args ...any) { fmt.Fprintf(a.out, format+"\n", args...) }

// indented is a server's text, set apart from what the command says.
func indented(text string) string {
	return "  " + strings.ReplaceAll(lines(text), "\n", "\n  ")
}
