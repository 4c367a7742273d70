package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"reasonix/commands/cmdutil"
)

// errEnded says that the input ended before the last answer.
var errEnded = errors.New("setup: the input ended before the last answer: nothing was changed")

// A console asks on a terminal. It reads byte by byte, so that what is typed
// ahead is there for the next question and no part of a key is kept in a buffer.
type console struct {
	in  io.Reader
	out io.Writer
}

func newConsole(app *cmdutil.App, out io.Writer) *console { return &console{in: app.In, out: out} }

func (c *console) say(text string) { fmt.Fprintln(c.out, text) }

// line asks for one line, without the white space around it. When ctx ends it
// returns its cause at once; the read under way is left behind, because the
// command ends then.
func (c *console) line(ctx context.Context, prompt string) (string, error) {
	fmt.Fprint(c.out, prompt)
	text, err := c.await(ctx, c.readLine)
	if err != nil {
		fmt.Fprintln(c.out)
	}
	return text, err
}

// hidden is line without an echo, which is off before the prompt is seen. The
// terminal is as it was when hidden returns, also when ctx ends first.
func (c *console) hidden(ctx context.Context, prompt string) (string, error) {
	file, ok := c.in.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return c.line(ctx, prompt)
	}
	before, err := term.MakeRaw(int(file.Fd()))
	if err != nil {
		return "", fmt.Errorf("read a key: %w", err)
	}
	fmt.Fprint(c.out, prompt)
	text, err := c.await(ctx, c.readRaw)
	err = errors.Join(err, term.Restore(int(file.Fd()), before))
	fmt.Fprintln(c.out)
	return text, err
}

func (c *console) await(ctx context.Context, read func() (string, error)) (string, error) {
	type answer struct {
		text string
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		text, err := read()
		done <- answer{strings.TrimSpace(text), err}
	}()
	select {
	case a := <-done:
		if errors.Is(a.err, io.EOF) {
			return "", cmdutil.Usage(errEnded)
		}
		return a.text, a.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (c *console) readLine() (string, error) {
	var line []byte
	var b [1]byte
	for {
		n, err := c.in.Read(b[:])
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

// The control bytes of a terminal in raw mode that readRaw understands.
const (
	interrupt = 0x03
	endOfText = 0x04
	backspace = 0x08
	eraseAll  = 0x15
	del       = 0x7f
)

// readRaw reads a line from a terminal in raw mode, which edits nothing and sends
// no signals by itself.
func (c *console) readRaw() (string, error) {
	var line []byte
	var b [1]byte
	for {
		if _, err := io.ReadFull(c.in, b[:]); err != nil {
			return "", err
		}
		switch b[0] {
		case '\r', '\n':
			return string(line), nil
		case interrupt:
			return "", &cmdutil.SignalError{Signal: os.Interrupt}
		case endOfText:
			if len(line) == 0 {
				return "", io.EOF
			}
		case backspace, del:
			_, size := utf8.DecodeLastRune(line)
			line = line[:len(line)-size]
		case eraseAll:
			line = line[:0]
		default:
			line = append(line, b[0])
		}
	}
}
