package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"reasonix/commands/cmdutil"
)

const (
	// maxStdin bounds what standard input adds to the task, in bytes.
	maxStdin = 1 << 20
	// stdinPatience is how long an open pipe may stay silent beside a task.
	stdinPatience = time.Second
)

// task is what the user says: words from the command line, and what standard input
// brought, which nobody typed.
type task struct{ text, data string }

// readTask takes the task from the arguments and standard input. An argument "-"
// waits for standard input. warn is told when it was left
// alone. Without any task there is an error, unless it is optional.
func readTask(ctx context.Context, app *cmdutil.App, args []string, optional bool, warn func(string)) (task, error) {
	words := slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "-" })
	forced := len(words) < len(args)
	text := strings.TrimSpace(strings.Join(words, " "))
	piped, err := readStdin(ctx, app, forced || text == "" && !optional, warn)
	if err != nil {
		return task{}, err
	}
	switch {
	case text == "" && piped == "" && !optional:
		return task{}, cmdutil.WithHint(cmdutil.Usagef("no task given"), `reasonix run "what to do", or pipe the task in`)
	case piped == "" || text == "" && !optional:
		return task{text, piped}, nil
	}
	return task{text, "<stdin>\n" + piped + "\n</stdin>"}, nil
}

// readStdin returns what a file or pipe on standard input delivers. Unless wait
// is set, a pipe that stays silent is left alone: it may be one that nobody
// closes.
func readStdin(ctx context.Context, app *cmdutil.App, wait bool, warn func(string)) (string, error) {
	if app.StdinTTY || app.In == nil {
		return "", nil
	}
	type delivery struct {
		text string
		err  error
	}
	begun := make(chan struct{}, 1)
	whole := make(chan delivery, 1)
	go func() {
		text, err := readCapped(app.In, wait, begun)
		whole <- delivery{text, err}
	}()
	if !wait {
		patience := time.NewTimer(stdinPatience)
		defer patience.Stop()
		select {
		case <-begun:
		case <-patience.C:
			warn(`standard input gave nothing within a second and was not read; add "-" to wait for it`)
			return "", nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
	select {
	case d := <-whole:
		if d.err != nil {
			return "", fmt.Errorf("read standard input: %w", d.err)
		}
		return d.text, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// unreadable reports whether err says that standard input is nothing one could
// read: closed, opened for writing as nohup does, or a directory.
func unreadable(err error) bool {
	return errors.Is(err, os.ErrClosed) || errors.Is(err, syscall.EBADF) || errors.Is(err, syscall.EISDIR)
}

// readCapped reads r up to the cap and signals begun at the first byte or the
// end. An input that cannot be read at all is empty unless it is wanted.
func readCapped(r io.Reader, wanted bool, begun chan<- struct{}) (string, error) {
	var b strings.Builder
	buf := make([]byte, 64<<10)
	signalled := false
	for {
		n, err := r.Read(buf)
		if !signalled && (n > 0 || err != nil) {
			signalled = true
			begun <- struct{}{}
		}
		b.Write(buf[:min(n, maxStdin-b.Len())])
		if b.Len() >= maxStdin {
			return cutText(b.String()), nil
		}
		if errors.Is(err, io.EOF) || !wanted && unreadable(err) {
			return printable(b.String()), nil
		}
		if err != nil {
			return "", err
		}
	}
}

func cutText(s string) string {
	return printable(s) + fmt.Sprintf("\n[standard input was cut here, at %d bytes]", maxStdin)
}

// printable makes piped text valid UTF-8 and takes the last line end off.
func printable(s string) string {
	s = strings.TrimPrefix(strings.TrimRight(s, "\r\n"), "\ufeff")
	if utf8.ValidString(s) && !strings.ContainsRune(s, 0) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == 0 || r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[i])
		} else {
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}
