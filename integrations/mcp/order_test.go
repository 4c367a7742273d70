package mcp_test

import (
	"context"
	"testing"
	"time"

	"reasonix/core/event"
)

// TestOrdersAreObeyedInTheirOrder: whatever is asked in whatever haste, the last word
// counts, and a disconnect does not wait for a server that never starts.
func TestOrdersAreObeyedInTheirOrder(t *testing.T) {
	d := newDesk(t)
	hangs := fakeServer("hangs", "hang-start")
	hangs.StartTimeout = time.Hour
	set := d.start(fakeServer("good", "plain"), hangs)
	ask := func(server string, actions ...string) error {
		t.Helper()
		var last <-chan error
		for _, a := range actions {
			outcome, err := set.Submit(server, a)
			if err != nil {
				t.Fatal(err)
			}
			last = outcome
		}
		select {
		case err := <-last:
			return err
		case <-time.After(patience):
			t.Fatal("not done")
			return nil
		}
	}
	for _, c := range []struct {
		server  string
		actions []string
		want    string
	}{
		{"good", []string{"connect", "disconnect"}, event.ServerStopped},
		{"good", []string{"disconnect", "connect"}, event.ServerReady},
		{"good", []string{"restart", "connect", "disconnect", "restart", "connect", "connect"}, event.ServerReady},
		{"good", []string{"connect", "restart", "restart", "disconnect"}, event.ServerStopped},
		{"hangs", []string{"connect", "disconnect"}, event.ServerStopped},
		{"hangs", []string{"restart", "connect", "connect", "disconnect", "disconnect"}, event.ServerStopped},
	} {
		if err := ask(c.server, c.actions...); err != nil {
			t.Errorf("%v: %v", c.actions, err)
		}
		if got := state(t, set, c.server).State; got != c.want {
			t.Errorf("%v: it is %s", c.actions, got)
		}
	}
	overruled, err := set.Submit("hangs", "connect")
	if err != nil {
		t.Fatal(err)
	}
	if err := ask("hangs", "disconnect"); err != nil {
		t.Error(err)
	}
	if err := <-overruled; err == nil {
		t.Error("it is connected")
	}
	for _, c := range [][2]string{{"poor", "connect"}, {"good", "dance"}} {
		if _, err := set.Submit(c[0], c[1]); err == nil {
			t.Error(c)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := set.Act(ctx, "hangs", "connect"); err == nil {
		t.Error("it waits for nobody")
	}
	_ = set.Close()
	if _, err := set.Submit("good", "connect"); err == nil {
		t.Error("a closed set takes orders")
	}
}
