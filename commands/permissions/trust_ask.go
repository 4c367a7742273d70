package permissions

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
)

// choose asks which of the parts that were shown to grant.
func (t *truster) choose(ctx context.Context, off []config.Part) ([]config.Part, error) {
	switch {
	case t.yes:
		return off, nil
	case !t.app.StdinTTY:
		return nil, cmdutil.WithHint(cmdutil.Usagef("nothing was granted: nobody can be asked here"),
			"--yes grants what is shown, --show only shows")
	case *t.format == cmdutil.JSON:
		return nil, cmdutil.WithHint(cmdutil.Usagef("nothing was granted: JSON asks no questions"), "add --yes or --show")
	}
	if len(off) == 1 {
		return t.each(ctx, off)
	}
	for {
		word, err := t.ask(ctx, "Grant all of it (a), decide one by one (o), or nothing (n)? [n] ")
		if err != nil {
			return nil, err
		}
		switch strings.ToLower(word) {
		case "a", "all":
			return off, nil
		case "o", "one":
			return t.each(ctx, off)
		case "", "n", "no", "none", "q":
			return nil, nil
		}
	}
}

// each asks about every part by itself.
func (t *truster) each(ctx context.Context, off []config.Part) ([]config.Part, error) {
	var chosen []config.Part
	for i, p := range off {
		value := p.Text
		if value != "" {
			value = " = " + value
		}
		yes, err := t.yesOrNo(ctx, fmt.Sprintf("%d  %s%s\n   Grant it? [y/N] ", i+1, p.Label(), value))
		if err != nil {
			return nil, err
		}
		if yes {
			chosen = append(chosen, p)
		}
	}
	return chosen, nil
}

// yesOrNo asks until the answer is one of the two; an empty one is no.
func (t *truster) yesOrNo(ctx context.Context, prompt string) (bool, error) {
	for {
		word, err := t.ask(ctx, prompt)
		if err != nil {
			return false, err
		}
		switch strings.ToLower(word) {
		case "y", "yes":
			return true, nil
		case "", "n", "no":
			return false, nil
		}
	}
}

// ask reads one line from the terminal. When ctx ends it returns its cause at
// once; the read under way is left behind, because the command ends then.
func (t *truster) ask(ctx context.Context, prompt string) (string, error) {
	fmt.Fprint(t.app.Out, prompt)
	type answer struct {
		text string
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		text, err := readLine(t.app.In)
		done <- answer{text, err}
	}()
	select {
	case a := <-done:
		if errors.Is(a.err, io.EOF) {
			fmt.Fprintln(t.app.Out)
			return "", cmdutil.Usagef("nothing was granted: the input ended before the answer")
		}
		return strings.TrimSpace(a.text), a.err
	case <-ctx.Done():
		fmt.Fprintln(t.app.Out)
		return "", context.Cause(ctx)
	}
}

// readLine reads byte by byte, so that what is typed ahead is there for the next
// question.
func readLine(in io.Reader) (string, error) {
	var line []byte
	var b [1]byte
	for {
		n, err := in.Read(b[:])
		switch {
		case n == 1 && b[0] == '\n':
			return string(line), nil
		case n == 1:
			line = append(line, b[0])
		case err != nil:
			return "", err
		}
	}
}
