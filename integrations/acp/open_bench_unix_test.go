//go:build unix

package acp_test

import (
	"io"
	"runtime"
	"testing"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/provider/providertest"
	"reasonix/integrations/acp"
)

// openBare opens a session without a server and reads until what can be chosen is known.
func openBare(b *testing.B, host protocol.Host, dir string) protocol.Session {
	b.Helper()
	s, err := host.Open(b.Context(), protocol.Spec{Workspace: dir, Interactive: true})
	if err != nil {
		b.Fatal(err)
	}
	for env, err := range s.Events(b.Context(), 0) {
		if err != nil {
			b.Fatal(err)
		}
		if _, ok := env.Payload.(event.Offered); ok {
			break
		}
	}
	return s
}

// serving is a client of a server on host.
func serving(b *testing.B, host protocol.Host) *client {
	b.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := newClient(b, inW, outR)
	go func() {
		if err := acp.Serve(b.Context(), host, acp.Options{}, inR, outW); err != nil {
			b.Errorf("serve: %v", err)
		}
		outW.Close()
	}()
	b.Cleanup(func() {
		inW.Close()
		<-c.ended
	})
	return c
}

// BenchmarkOpen is what session/new and session/close cost beside the opening and the
// closing of the session itself: at most 1.2 times.
func BenchmarkOpen(b *testing.B) {
	b.Run("engine", func(b *testing.B) {
		host, dir := engine(b, providertest.New(b)), b.TempDir()
		for b.Loop() {
			openBare(b, host, dir).Close()
		}
	})
	b.Run("acp", func(b *testing.B) {
		host, dir := engine(b, providertest.New(b)), b.TempDir()
		c := serving(b, host)
		for b.Loop() {
			c.result("session/close", object{"sessionId": c.open(dir)}, &object{})
			c.forget()
		}
	})
}

// BenchmarkIdleSession is the memory that an open session without a turn keeps: heap
// and stacks, of the session alone and with the server.
func BenchmarkIdleSession(b *testing.B) {
	const many = 50
	inUse := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // what finalizers let go of
		runtime.ReadMemStats(&m)
		return m.HeapInuse + m.StackInuse
	}
	measure := func(b *testing.B, open func()) {
		for b.Loop() {
			open() // what is made once
			before := inUse()
			for range many {
				open()
			}
			b.ReportMetric(float64(inUse()-before)/many/1024, "KiB/session")
		}
	}
	b.Run("engine", func(b *testing.B) {
		host, dir := engine(b, providertest.New(b)), b.TempDir()
		measure(b, func() {
			s := openBare(b, host, dir)
			b.Cleanup(func() { s.Close() })
		})
	})
	b.Run("acp", func(b *testing.B) {
		host, dir := engine(b, providertest.New(b)), b.TempDir()
		c := serving(b, host)
		measure(b, func() {
			c.open(dir)
			c.forget()
		})
	})
}
