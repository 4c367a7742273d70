package sandbox

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// system is how a way runs commands.
type system struct {
	// wrap returns the command line that runs argv held to c.
	wrap func(c confinement, argv []string) []string
}

// sandboxExec is the program that puts a command under a Seatbelt profile.
const sandboxExec = "/usr/bin/sandbox-exec"

// waysOf lists the ways to choose from.
func waysOf(o Options) []*way {
	names := o.Ways
	if names == nil {
		names = []string{WaySeatbelt}
	}
	ways := make([]*way, len(names))
	for i, name := range names {
		switch name {
		case WaySeatbelt:
			ways[i] = seatbeltWay()
		case WayOff:
			ways[i] = offWay()
		default:
			ways[i] = unknownWay(name)
		}
	}
	return ways
}

func seatbeltWay() *way {
	return &way{
		name:  WaySeatbelt,
		probe: probeSeatbelt,
		holds: seatbeltHolds,
		system: system{wrap: func(c confinement, argv []string) []string {
			return append([]string{sandboxExec, "-p", seatbeltProfile(c)}, argv...)
		}},
	}
}

// probeSeatbelt runs a program under a profile that allows everything; inside
// another sandbox that fails.
func probeSeatbelt() error {
	said, err := exec.CommandContext(context.Background(), sandboxExec, "-p", "(version 1)(allow default)", "/usr/bin/true").CombinedOutput()
	if err == nil {
		return nil
	}
	return &defect{
		why: fmt.Errorf("%s fails: %w: %s", sandboxExec, err, strings.TrimSpace(string(said))),
		fix: "start reasonix outside of other sandboxes",
	}
}

// confine runs cmd held by w. Rules of a profile name paths, there or not.
func (r *confined) confine(ctx context.Context, w *way, cmd Cmd) (Exit, error) {
	if w.wrap == nil {
		return r.off.Run(ctx, cmd)
	}
	path, err := lookPath(cmd)
	if err != nil {
		return Exit{}, err
	}
	argv := append([]string{path}, cmd.Argv[1:]...)
	return r.kept(cmd, func(holdable []string) (writable, changeable []string) {
		held := cmd
		held.Protected = holdable
		c := r.ledger.confinement(held, true)
		changeable = unheld(cmd, c)
		cmd.Argv = w.wrap(c, argv)
		return c.Writable, changeable
	}, func() (Exit, error) { return r.off.Run(ctx, cmd) })
}
