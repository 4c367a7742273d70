package wire

import (
	"context"
	"errors"
	"testing"

	"reasonix/core/event"
	"reasonix/sandbox"
)

// ends is a runner whose commands end in one way.
type ends struct {
	sandbox.Runner
	exit sandbox.Exit
	err  error
}

func (e ends) Run(context.Context, sandbox.Cmd) (sandbox.Exit, error) { return e.exit, e.err }

func TestWhatIsPutBackBehindAHookOrAServerIsTold(t *testing.T) {
	failed := errors.New("no such program")
	for _, c := range []struct {
		exit sandbox.Exit
		err  error
		told string
	}{
		{sandbox.Exit{Code: 1}, nil, ""},
		{sandbox.Exit{}, failed, ""},
		{sandbox.Exit{Restored: []string{"/w/.git/hooks/x"}, Unclear: []string{"/w/.envrc"}, Others: []string{"/w/.envrc"}}, nil, "/w/.envrc, /w/.git/hooks/x"},
		{sandbox.Exit{Code: -1, Restored: []string{"/w/a"}}, failed, "/w/a"},
	} {
		var told []event.Payload
		run := accounting{ends{exit: c.exit, err: c.err}, func(p event.Payload) error { told = append(told, p); return nil }}
		exit, err := run.Run(t.Context(), sandbox.Cmd{})
		if exit.Code != c.exit.Code || !errors.Is(err, c.err) {
			t.Errorf("%+v: got %+v, %v", c.exit, exit, err)
		}
		if got := args(told); got != c.told {
			t.Errorf("%+v: told %q", c.exit, got)
		}
	}
}

func args(told []event.Payload) (all string) {
	for _, p := range told {
		all += p.(event.Notice).Args[0]
	}
	return all
}
