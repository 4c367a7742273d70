package run

import (
	"context"
	"errors"
	"slices"
	"strings"

	"reasonix/commands/cmdutil"
	"reasonix/core/event"
	"reasonix/core/protocol"
)

// named is the command that --command names, without the slash.
func (o *options) named() string { return strings.TrimPrefix(o.command, "/") }

// known refuses a --command that the session would take for text: a name that does
// not look like a command's is one only where the session offers it. About all others
// the session speaks itself, with the names that come near.
func (o *options) known(ctx context.Context, s protocol.Session) error {
	name := o.named()
	if o.command == "" || looksNamed(name) {
		return nil
	}
	ctx, done := context.WithCancel(ctx)
	defer done()
	for env, err := range s.Events(ctx, event.Tail) {
		if err != nil {
			return err
		}
		offered, ok := env.Payload.(event.Offered)
		if !ok {
			continue
		}
		if slices.ContainsFunc(offered.Commands, func(c event.Command) bool { return c.Name == name || c.Name == strings.ToLower(name) }) {
			return nil
		}
		return cmdutil.WithHint(cmdutil.Usagef("there is no command %q", "/"+name), "reasonix run --command help lists them")
	}
	return errors.New("the session closed before it said which commands it has")
}

// looksNamed reports whether name is [a-z][a-z0-9_:-]*, which no session takes for
// text.
func looksNamed(name string) bool {
	return name != "" && 'a' <= name[0] && name[0] <= 'z' && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_:-") == ""
}
