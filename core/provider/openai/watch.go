package openai

import (
	"context"
	"fmt"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"

	"reasonix/core/provider"
)

// The limits when the configuration names none.
const (
	defaultConnect   = 30 * time.Second
	defaultFirstByte = 120 * time.Second
	defaultIdle      = 120 * time.Second

	// Behind a finish_reason only usage and [DONE] are still to come.
	tailLimit = 5 * time.Second
	// Behind [DONE] only the end of the body is, which lets the connection be
	// used again. A checksum at that end is worth a longer wait.
	graceLimit    = 25 * time.Millisecond
	checksumLimit = 500 * time.Millisecond
)

// limits are the three waits of a request.
type limits struct{ connect, firstByte, idle time.Duration }

func limitsOf(o provider.Options) limits {
	return limits{
		connect:   orDefault(o.Connect, defaultConnect),
		firstByte: orDefault(o.FirstByte, defaultFirstByte),
		idle:      orDefault(o.Idle, defaultIdle),
	}
}

func orDefault(d, def time.Duration) time.Duration {
	if d == 0 {
		return def
	}
	return d
}

// stall is the cause with which a watch cancels a request.
type stall struct {
	phase string
	after time.Duration
}

func (s *stall) Error() string {
	switch s.phase {
	case provider.PhaseConnect:
		return fmt.Sprintf("no connection within %s", s.after)
	case provider.PhaseFirstByte:
		return fmt.Sprintf("no answer within %s", s.after)
	}
	return fmt.Sprintf("the stream was silent for %s", s.after)
}

// watch cancels a request that is silent for longer than its phase allows. Every
// byte in either direction counts as a sign of life. A limit below zero is none.
type watch struct {
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	timer *time.Timer
	phase string
	limit time.Duration

	reused, answered atomic.Bool // the connection was used before; a byte came back
}

func newWatch(cancel context.CancelCauseFunc) *watch { return &watch{cancel: cancel} }

// enter begins a phase, or changes its limit.
func (w *watch) enter(phase string, limit time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.phase, w.limit = phase, limit
	if w.timer != nil {
		w.timer.Stop()
	}
	if limit > 0 {
		w.timer = time.AfterFunc(limit, func() { w.cancel(&stall{phase, limit}) })
	} else {
		w.timer = nil
	}
}

// touch is a sign of life.
func (w *watch) touch() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Reset(w.limit)
	}
}

func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
}

func (w *watch) current() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.phase
}

// trace lets the watch see how far the transport is.
func (w *watch) trace(ctx context.Context, l limits) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			w.reused.Store(info.Reused)
			w.enter(provider.PhaseFirstByte, l.firstByte)
		},
		WroteRequest:         func(httptrace.WroteRequestInfo) { w.touch() },
		GotFirstResponseByte: func() { w.answered.Store(true) },
	})
}
