//go:build unix

package acp_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"reasonix/core/provider/providertest"
)

// The same with the whole engine behind it, of which a round takes fifty times as long.
func TestRaceWithTheEngine(t *testing.T) {
	begun := time.Now()
	n := rounds(t, "ACP_ENGINE_RACE_ROUNDS", 20)
	for seed := range uint64(n) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			gate := make(chan struct{})
			release := sync.OnceFunc(func() { close(gate) })
			model := providertest.New(t)
			model.Respond(func(r *providertest.Received) providertest.Reply {
				switch last := r.Last().Content; {
				case strings.Contains(last, "ask"):
					return providertest.Calls(bash("true"))
				case seed%2 == 0:
					return providertest.Text("some words").GateAt(1, gate)
				}
				return providertest.Text("some words")
			})
			race(t, engine(t, model), release, t.TempDir(), seed)
		})
		if t.Failed() {
			return
		}
	}
	t.Logf("%d rounds in %v", n, time.Since(begun).Round(time.Millisecond))
}
