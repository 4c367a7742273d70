package memory

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"reasonix/commands/cmdutil"
	"reasonix/core/memory"
)

// write lets the person edit draft and saves the result. What they wrote is not
// lost: when it cannot be saved, its file stays and is named.
func (d *desk) write(ctx context.Context, s *memory.Store, format, verb string, draft memory.Draft) error {
	if draft.ID == "" {
		draft.Type, draft.Scope = cmp.Or(draft.Type, memory.Project), cmp.Or(draft.Scope, memory.ScopeProject)
	}
	file, text, err := d.edit(ctx, draft.Form())
	if err != nil {
		return err
	}
	if text == nil {
		_ = os.Remove(file)
		if draft.ID == "" {
			return errors.New("nothing was written: no fact is kept")
		}
		return d.save(s, format, verb, draft)
	}
	next, err := draft.Fill(text)
	if err == nil {
		err = d.save(s, format, verb, next)
	}
	if err != nil {
		return cmdutil.WithHint(coded(err), "your text is in "+filepath.ToSlash(file))
	}
	_ = os.Remove(file) // it is in the fact now
	return nil
}

// edit opens the editor with text in a file. It returns the file and its text, nil
// when that is as it was.
func (d *desk) edit(ctx context.Context, text []byte) (file string, after []byte, err error) {
	command := strings.Fields(cmp.Or(d.app.Getenv("VISUAL"), d.app.Getenv("EDITOR")))
	if len(command) == 0 {
		return "", nil, cmdutil.WithHint(cmdutil.Usagef("no editor is known"), "set EDITOR, or use --title and --body")
	}
	f, err := os.CreateTemp("", "reasonix-memory-*.md")
	if err != nil {
		return "", nil, fmt.Errorf("make a file to edit: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", nil, fmt.Errorf("make a file to edit: %w", err)
	}
	if err := d.run(ctx, append(command, f.Name())); err != nil {
		// Its exit code is no code of ours.
		err = cmdutil.Exit(cmdutil.CodeInternal, fmt.Errorf("editor %s: %w", command[0], err))
		return "", nil, cmdutil.WithHint(err, "your text is in "+filepath.ToSlash(f.Name()))
	}
	after, err = readBack(f.Name())
	if err != nil || bytes.Equal(bytes.TrimSpace(after), bytes.TrimSpace(text)) {
		after = nil
	}
	return f.Name(), after, err
}

func readBack(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read what was edited: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, memory.MaxFile))
	if err != nil {
		return nil, fmt.Errorf("read what was edited: %w", err)
	}
	return text, nil
}

// run starts a program on the terminal itself: our own streams may be pipes that
// stand before it.
func (d *desk) run(ctx context.Context, command []string) error {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = d.app.Environ
	cmd.Stdin, cmd.Stdout, cmd.Stderr = d.app.In, d.app.Out, d.app.Err
	if in, out, err := terminal(); err == nil {
		defer in.Close()
		defer out.Close()
		cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, out
	}
	return cmd.Run()
}

func terminal() (in, out *os.File, err error) {
	read, write := "/dev/tty", "/dev/tty"
	if runtime.GOOS == "windows" {
		read, write = "CONIN$", "CONOUT$"
	}
	if in, err = os.OpenFile(read, os.O_RDWR, 0); err != nil {
		return nil, nil, err
	}
	if out, err = os.OpenFile(write, os.O_RDWR, 0); err != nil {
		_ = in.Close()
		return nil, nil, err
	}
	return in, out, nil
}
