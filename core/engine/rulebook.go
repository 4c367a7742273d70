package engine

import (
	"context"
	"slices"
	"strings"
	"sync"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/permission"
)

// rulebook is what holds for calls now: the policy, the posture, and what answers granted,
// which it records. It knows the questions that are open, because a change of the posture
// may answer them. Safe for concurrent use.
type rulebook struct {
	rec       *recorder
	asks      *questions
	workspace string
	// store is Approvals.Keep.
	store func(ctx context.Context, rules []string) (file string, err error)

	mu      sync.Mutex
	posture permission.Posture
	pending map[event.RequestID]pendingAsk // calls a person is asked about
	policy  permission.Policy              // with what was granted for longer than the session
	granted []permission.Rule              // for the session
}

// rules are the policy as it stands for one call, and the session's grants.
func (b *rulebook) rules(req agent.Request) (permission.Policy, []permission.Rule) {
	b.mu.Lock()
	defer b.mu.Unlock()
	policy := b.policy
	policy.Dir = req.Subject.Dir
	return policy, b.granted
}

// follow takes in what was recorded.
func (b *rulebook) follow(p event.Payload) {
	if granted, ok := p.(event.Granted); ok {
		b.observe(granted)
	}
}

// observe obeys what an answer to a tool's own question granted: a directory that
// may be written for the rest of the session.
func (b *rulebook) observe(p event.Granted) {
	dir, ok := strings.CutPrefix(p.Rule, event.GrantWrite)
	if !ok {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.policy.Places.Write = append(slices.Clone(b.policy.Places.Write), dir)
}
