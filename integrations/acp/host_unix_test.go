//go:build unix

package acp_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"testing"
	"time"

	"reasonix/commands/wire"
	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/provider/providertest"
)

// engine is the real host in a home of its own, with a scripted model.
func engine(t testing.TB, model *providertest.Server) protocol.Host {
	t.Helper()
	return engineWith(t, t.TempDir(), model, "")
}

// engineWith is engine in a home, with more to be said of the provider of its model.
func engineWith(t testing.TB, home string, model *providertest.Server, more string) protocol.Host {
	t.Helper()
	if err := os.WriteFile(filepath.Join(home, "config.toml"), fmt.Appendf(nil, oneProvider+more, model.BaseURL(), ""), 0o600); err != nil {
		t.Fatal(err)
	}
	host, err := wire.New(wire.World{Home: home, Version: "v0", Environ: os.Environ(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return host
}

// meddling is an opener whose sessions have something happen whenever their past is read.
type meddling struct {
	protocol.Opener
	whenRead func(protocol.Session)
}

func (m *meddling) Open(ctx context.Context, spec protocol.Spec) (protocol.Session, error) {
	s, err := m.Opener.Open(ctx, spec)
	if err != nil {
		return nil, err
	}
	return &meddled{s, m}, nil
}

type meddled struct {
	protocol.Session
	by *meddling
}

func (m *meddled) Events(ctx context.Context, after event.Seq) iter.Seq2[event.Envelope, error] {
	if after != event.Tail && m.by.whenRead != nil {
		m.by.whenRead(m.Session)
	}
	return m.Session.Events(ctx, after)
}
