// Package doctor runs checks of an installation and collects what they find, in
// the order they were given. It knows no check itself: whoever has something that
// can be wrong (configuration, keys, sandbox, sessions) writes one, and
// `reasonix doctor` lists them. A check only looks; what to do about a finding is
// text for the user.
package doctor

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Status says how bad a finding is.
type Status string

// The three states, from good to bad.
const (
	OK   Status = "ok"
	Warn Status = "warn"
	Fail Status = "fail"
)

// Finding is the result of one check.
type Finding struct {
	Status Status `json:"status"`
	Detail string `json:"detail"`        // one or more lines of what is the case
	Fix    string `json:"fix,omitempty"` // what to do about it; empty when OK
}

// Check looks at one thing. Run must return soon after ctx ends, and is called
// together with the other checks.
type Check interface {
	Name() string
	Run(ctx context.Context) Finding
}

// Func returns a Check that calls run.
func Func(name string, run func(ctx context.Context) Finding) Check {
	return check{name, run}
}

type check struct {
	name string
	run  func(ctx context.Context) Finding
}

func (c check) Name() string                    { return c.name }
func (c check) Run(ctx context.Context) Finding { return c.run(ctx) }

// Result is a finding with the name of its check.
type Result struct {
	Name string `json:"name"`
	Finding
}

// Run runs the checks at once, each for at most limit, and returns their results
// in the order of checks. A check that does not return in time is reported as
// failed and left behind; its result is dropped.
func Run(ctx context.Context, limit time.Duration, checks ...Check) []Result {
	results := make([]Result, len(checks))
	var wg sync.WaitGroup
	for i, c := range checks {
		wg.Go(func() { results[i] = Result{c.Name(), one(ctx, limit, c)} })
	}
	wg.Wait()
	return results
}

func one(ctx context.Context, limit time.Duration, c Check) Finding {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan Finding, 1)
	go func() { done <- c.Run(ctx) }()
	select {
	case f := <-done:
		return f
	case <-ctx.Done():
	}
	select {
	case f := <-done: // it noticed the end itself and knows more
		return f
	default:
		return Finding{
			Status: Fail, Detail: fmt.Sprintf("the check gave no answer within %v", limit),
			Fix: "run it again; if it stays, what it looks at hangs",
		}
	}
}

// Worst returns the worst status of the results, OK for none.
func Worst(results []Result) Status {
	worst := OK
	for _, r := range results {
		if r.Status == Fail || r.Status == Warn && worst == OK {
			worst = r.Status
		}
	}
	return worst
}
