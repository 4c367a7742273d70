package setup

import (
	"context"
	"sync"
	"time"

	"reasonix/commands/wire"
	"reasonix/core/config"
)

// localLimit is how long a server on this machine has to answer.
const localLimit = 700 * time.Millisecond

// running asks every local server of the catalogue at once what models it has.
// One that does not answer with a list in time is not in the result.
func running(ctx context.Context, w wire.World, cfg *config.Config, entries []entry) map[string][]string {
	ctx, cancel := context.WithTimeout(ctx, localLimit)
	defer cancel()
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		found = map[string][]string{}
	)
	for _, e := range entries {
		if !e.local {
			continue
		}
		wg.Go(func() {
			p := e.provider()
			models, err := w.ListModels(ctx, cfg, config.Model{Provider: &p, Name: anyModel}, "")
			if err != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			found[e.name] = models
		})
	}
	wg.Wait()
	return found
}

// anyModel stands for a model while none is chosen: a list is asked for without
// naming one.
const anyModel = "any"
