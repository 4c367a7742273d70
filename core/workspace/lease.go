package workspace

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"reasonix/core/durable"
)

// leaseEvery is how often a lease that somebody has is asked for again.
const leaseEvery = 100 * time.Millisecond

// Lease waits until nobody else writes the directory that file stands for, and returns
// what lets the next one. It holds between processes and between the sessions of one;
// a holder that is killed holds it no more. waiting is called with the holder, in words,
// when there is one and each time it is another; the end of ctx ends the wait.
func Lease(ctx context.Context, file string, waiting func(holder string)) (release func() error, err error) {
	if err := durable.MkdirAll(filepath.Dir(file)); err != nil {
		return nil, fmt.Errorf("take the lease of the workspace: %w", err)
	}
	var told string
	for {
		lock, err := durable.Acquire(file)
		if err == nil {
			return lock.Release, nil
		}
		held, ok := errors.AsType[*durable.HeldError](err)
		if !ok {
			return nil, fmt.Errorf("take the lease of the workspace: %w", err)
		}
		if told != held.Holder {
			told = held.Holder
			waiting(told)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(leaseEvery):
		}
	}
}
