package wire

import (
	"reasonix/core/config"
	"reasonix/core/protocol"
	"reasonix/core/trust"
)

// grants serves what a person lets count, or no longer, of the configuration that a
// session's workspace brought along.
type grants struct {
	world     World
	cfg       *config.Config
	workspace string                    // as the list of grants knows it
	start     func(config.Server) error // a server that is granted starts at once
}

// serve grants a part as it was shown, or takes it back. A server that was waiting for
// it is started; the rest counts from the next session on.
func (g grants) serve(op protocol.Trust) error {
	store := trust.Open(g.world.Home)
	if op.Revoke {
		_, err := store.Revoke(g.workspace, func(known trust.Grant) bool { return known.Part == op.Name && known.Hash == op.Hash })
		return err
	}
	for _, p := range g.cfg.Ungranted {
		if p.Label() != op.Name || p.Hash != op.Hash {
			continue
		}
		if err := store.Grant(g.workspace, g.world.Now(), GrantOf(p)); err != nil {
			return err
		}
		if p.Kind == config.PartServer {
			return g.startServer(serverName(p))
		}
		return nil
	}
	return &protocol.BadOp{Op: "Trust", Field: "Hash", Reason: "no part of this project's configuration is as it says; it may have changed"}
}

// startServer starts a server as the configuration has it now.
func (g grants) startServer(name string) error {
	cfg, err := g.world.load(g.workspace)
	if err != nil {
		return err
	}
	if s, ok := cfg.Server(name); ok && s.Usable() {
		return g.start(s)
	}
	return nil
}
