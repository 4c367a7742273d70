package workspace_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/workspace"
)

func TestALeaseHasOneHolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a", "workspace.lock")
	release, err := workspace.Lease(t.Context(), file, func(string) { t.Error("it waits for nobody") })
	if err != nil {
		t.Fatal(err)
	}
	waiting, got := make(chan string, 1), make(chan error, 1)
	go func() {
		next, err := workspace.Lease(t.Context(), file, func(holder string) { waiting <- holder })
		if err == nil {
			err = next()
		}
		got <- err
	}()
	if holder := <-waiting; !strings.HasPrefix(holder, "pid ") {
		t.Errorf("held by %q", holder)
	}
	select {
	case err := <-got:
		t.Fatalf("two have it: %v", err)
	default:
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Error(err)
	}
}

func TestWaitingForALeaseEndsWithItsContext(t *testing.T) {
	file := filepath.Join(t.TempDir(), "workspace.lock")
	release, err := workspace.Lease(t.Context(), file, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	if _, err := workspace.Lease(ctx, file, func(string) { cancel(enough) }); !errors.Is(err, enough) {
		t.Errorf("%v, want the cause", err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
}
