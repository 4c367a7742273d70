package wire

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"reasonix/core/event"
	"reasonix/sandbox"
)

// accounting runs what no call of the model stands for, hooks and servers, and tells what
// the sandbox put back when it ended: in a call's result nobody would read it.
type accounting struct {
	sandbox.Runner
	emit func(event.Payload) error
}

// Run implements sandbox.Runner.
func (a accounting) Run(ctx context.Context, cmd sandbox.Cmd) (sandbox.Exit, error) {
	exit, err := a.Runner.Run(ctx, cmd)
	if paths := slices.Concat(exit.Restored, exit.Unclear, exit.Others); len(paths) > 0 {
		slices.Sort(paths)
		list := filepath.ToSlash(strings.Join(slices.Compact(paths), ", "))
		_ = a.emit(event.Notice{ // a journal that cannot take it is told elsewhere
			Level: event.LevelWarning, Code: "put_back_behind", Args: []string{list},
			Text: "changed by a hook, a server or what ran beside it, and put back, because a person must allow it first: " + list,
		})
	}
	return exit, err
}
