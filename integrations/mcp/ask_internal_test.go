package mcp

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"reasonix/core/event"
)

// TestFloodOfQuestions: a server's questions are asked one at a time, a few wait, and
// the rest are declined. Without a call under way there is one, until the next call.
func TestFloodOfQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		var mu sync.Mutex
		asked, now, most := 0, 0, 0
		l := bare(t, World{Ask: func(ctx context.Context, _ event.Question) (event.Answer, error) {
			mu.Lock()
			asked++
			now++
			most = max(most, now)
			mu.Unlock()
			select {
			case <-gate:
			case <-ctx.Done():
			}
			mu.Lock()
			now--
			mu.Unlock()
			return event.Answer{Choice: []string{Accept}}, context.Cause(ctx)
		}})
		flood := func(ctx context.Context) map[string]int {
			answers := map[string]int{}
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() {
					res, err := l.host.elicit(ctx, &sdk.ElicitRequest{Params: &sdk.ElicitParams{Message: "?"}})
					mu.Lock()
					defer mu.Unlock()
					if err != nil {
						t.Error(err)
						return
					}
					answers[res.Action]++
				})
			}
			synctest.Wait()
			if now != 1 {
				t.Errorf("%d are asked", now)
			}
			for range answersLeft(20, answers) {
				gate <- struct{}{}
			}
			all.Wait()
			return answers
		}
		_, err := request(t.Context(), l, DefaultCallTimeout, func(ctx context.Context, _ string) (int, error) {
			if d := cmp.Diff(flood(ctx), map[string]int{Accept: 1 + maxWaiting, Decline: 19 - maxWaiting}); d != "" {
				t.Error(d)
			}
			return 0, nil
		})
		if err != nil || asked != 1+maxWaiting || most != 1 {
			t.Errorf("%d asked, %d at once, %v", asked, most, err)
		}
		if d := cmp.Diff(flood(t.Context()), map[string]int{Accept: 1, Decline: 19}); d != "" {
			t.Error(d)
		}
		for range 3 {
			res, err := l.host.elicit(t.Context(), &sdk.ElicitRequest{Params: &sdk.ElicitParams{Message: "?"}})
			if err != nil || res.Action != Decline {
				t.Error(res, err)
			}
		}
	})
}

// TestFloodOfSamples: a few at once during a call, and one between calls.
func TestFloodOfSamples(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		l := bare(t, World{Sample: func(ctx context.Context, _ SampleRequest) (SampleReply, error) {
			<-gate
			return SampleReply{Text: "yes"}, nil
		}})
		flood := func(ctx context.Context) (sampled int) {
			var mu sync.Mutex
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() {
					_, err := l.host.sample(ctx, &sdk.CreateMessageRequest{Params: &sdk.CreateMessageParams{}}) //nolint:staticcheck // SA1019: servers of today sample
					mu.Lock()
					defer mu.Unlock()
					if err == nil {
						sampled++
					} else if !errors.Is(err, errFlood) {
						t.Error(err)
					}
				})
			}
			synctest.Wait()
			close(gate)
			all.Wait()
			gate = make(chan struct{})
			return sampled
		}
		n, err := request(t.Context(), l, DefaultCallTimeout, func(ctx context.Context, _ string) (int, error) { return flood(ctx), nil })
		if err != nil || n != 1+maxWaiting {
			t.Errorf("%d during a call, %v", n, err)
		}
		if n := flood(t.Context()); n != 1 {
			t.Errorf("%d without a call", n)
		}
		if n := flood(t.Context()); n != 0 {
			t.Errorf("%d more without a call", n)
		}
	})
}

// TestOpensWhatWasShown: whatever way the server spells an address.
func TestOpensWhatWasShown(t *testing.T) {
	var shown, opened string
	l := bare(t, World{
		Ask: func(_ context.Context, q event.Question) (event.Answer, error) {
			shown = q.Body
			return event.Answer{Choice: []string{Accept}}, nil
		},
		Open: func(address string) error {
			opened = address
			return nil
		},
	})
	_, err := l.host.elicit(t.Context(), &sdk.ElicitRequest{Params: &sdk.ElicitParams{Mode: "url", URL: "HTTPS://example.com/a b\u202e"}})
	if err != nil || shown == "" || opened != shown {
		t.Errorf("shown %q, opened %q, %v", shown, opened, err)
	}
}

func answersLeft(all int, answers map[string]int) int {
	for _, n := range answers {
		all -= n
	}
	return all
}
