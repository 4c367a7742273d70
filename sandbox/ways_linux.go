package sandbox

import (
	"context"
	"errors"
)

// system is how a way starts supervisors.
type system struct {
	// launch prepares the start of a supervisor for c; nil is one without
	// confinement.
	launch func(c confinement) (launch, error)
	// mounts is set when what is there of Cmd.Protected is held by itself, and
	// sockets are masked by name.
	mounts bool
}

// waysOf lists the ways to choose from.
func waysOf(o Options) []*way {
	names := o.Ways
	if names == nil {
		names = []string{WayBwrap, WayLandlock}
	}
	ways := make([]*way, len(names))
	for i, name := range names {
		switch name {
		case WayBwrap:
			ways[i] = bwrapWay(o.Path)
		case WayLandlock:
			ways[i] = landlockWay()
		case WayOff:
			ways[i] = offWay()
		default:
			ways[i] = unknownWay(name)
		}
	}
	return ways
}

func landlockWay() *way {
	return &way{
		name:  WayLandlock,
		probe: probeLandlock,
		holds: landlockHolds,
		eager: true,
		system: system{launch: func(c confinement) (launch, error) {
			l, err := plain()
			l.argv = append(l.argv, WayLandlock)
			l.held = &c
			return l, err
		}},
	}
}

// confine runs cmd held by w.
func (r *confined) confine(ctx context.Context, w *way, cmd Cmd) (exit Exit, err error) {
	if w.launch == nil {
		return r.off.Run(ctx, cmd)
	}
	key := ""
	for {
		var c confinement
		again := false
		exit, failed := r.kept(cmd, func(holdable []string) (writable, changeable []string) {
			held := cmd
			held.Protected = holdable
			c = w.confinement(&r.ledger, held)
			again = key != c.key()
			return c.Writable, unheld(cmd, c)
		}, func() (Exit, error) {
			if !again {
				return exit, err
			}
			key = c.key()
			return r.pool.run(ctx, cmd, w.name+key, func() (launch, error) { return r.launch(w, c) })
		})
		// A supervisor does not start over a file that has gone meanwhile.
		if !again || !errors.As(failed, new(unstarted)) {
			return exit, failed
		}
		err = failed
	}
}

// Warm starts a supervisor for commands like cmd if none waits.
func (r *confined) Warm(cmd Cmd) error {
	if cmd.Unconfined {
		return r.pool.warm("", plain)
	}
	w, _ := r.candidate()
	if w == nil {
		return nil
	}
	if w.launch == nil {
		return r.pool.warm("", plain)
	}
	c := w.confinement(&r.ledger, cmd)
	return r.pool.warm(w.name+c.key(), func() (launch, error) { return r.launch(w, c) })
}

// launch prepares a supervisor of w, which gets less time when it has not worked yet
// and there is another to give way to.
func (r *confined) launch(w *way, c confinement) (launch, error) {
	l, err := w.launch(c)
	if ways := waysOf(r.options); w.name != ways[len(ways)-1].name && !r.works(w) {
		l.patience = probePatience
	}
	return l, err
}

// confinement is what cmd is held to at present.
func (w *way) confinement(l *ledger, cmd Cmd) confinement {
	c := l.confinement(cmd, false)
	if !w.mounts { // puts back what it does not hold
		c.Protected = nil
	} else if c.Network {
		c.mask(daemonSockets(cmd.Env))
	} else {
		c.mask(usableSockets(cmd))
	}
	return c
}
