package mcp

import (
	"errors"
	"testing"

	"reasonix/commands/cmdutil"
)

// What goes wrong at the end of servers is told, whatever went wrong before.
func TestTheEndOfServersIsTold(t *testing.T) {
	worse, stopped := cmdutil.Usagef("no such tool"), errors.New("a process is left")
	for _, c := range []struct {
		err, stop error
		code      int
		says      string
	}{
		{nil, nil, 0, ""},
		{nil, stopped, 1, "a process is left"},
		{worse, stopped, 2, "no such tool\na process is left"},
		{cmdutil.Exit(3, nil), stopped, 3, "a process is left"},
		{cmdutil.Exit(3, nil), nil, 3, "exit 3"},
	} {
		l := &live{stop: func() error { return c.stop }}
		err := l.end(c.err)
		says := ""
		if err != nil {
			says = err.Error()
		}
		if cmdutil.CodeOf(err) != c.code || says != c.says {
			t.Errorf("%v, %v: exit %d, %q", c.err, c.stop, cmdutil.CodeOf(err), says)
		}
	}
}
