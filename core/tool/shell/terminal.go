package shell

import (
	"context"
	"errors"
	"slices"
	"strings"

	"reasonix/core/tool"
	"reasonix/sandbox"
)

// seen runs the command in the editor's terminal, where a person can see it, when there
// is one and nothing confines the command anyway. It is false when the command has to
// run here.
func (b bash) seen(ctx context.Context, cmd sandbox.Cmd) (exit sandbox.Exit, ran bool, err error) {
	if b.env.Terminal == nil || !cmd.Unconfined && b.env.Run.Way() != sandbox.WayOff {
		return sandbox.Exit{}, false, nil
	}
	code, err := b.env.Terminal.Run(ctx, tool.TerminalCommand{
		Call: tool.CallFrom(ctx).ID, Argv: cmd.Argv, Dir: cmd.Dir, Env: b.added(cmd.Env),
	}, func(p []byte) {
		_, _ = cmd.Out.Write(p) // it keeps what it can and fails never
	})
	if errors.Is(err, errors.ErrUnsupported) {
		return sandbox.Exit{}, false, nil
	}
	return sandbox.Exit{Code: code}, true, err
}

// added is what a command's environment has beside that of the session's start: an
// editor's terminal has one of its own, with what it needs. The temporary directory is
// always named.
func (b bash) added(environ []string) []string {
	var all []string
	for _, kv := range environ {
		switch key, _, _ := strings.Cut(kv, "="); {
		case key == "TMPDIR" || key == "TMP" || key == "TEMP" || !slices.Contains(b.env.Settings.Environ, kv):
			all = append(all, kv)
		}
	}
	return all
}
