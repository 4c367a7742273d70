package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"reasonix/core/event"
	"reasonix/core/tool"
)

const (
	// maxRunning bounds the background jobs of a session that run at once.
	maxRunning = 16
	// maxListed bounds the jobs a list names, the newest.
	maxListed = 32
)

var (
	errKilled  = errors.New("killed by kill_shell")
	errClosing = errors.New("the session is closing")
)

// jobs are the background jobs since the session was opened, running and over.
// Their numbers go on from those the session had before. Safe for concurrent use.
type jobs struct {
	mu      sync.Mutex
	all     []*job
	begun   int // in the whole session
	closed  bool
	running sync.WaitGroup
}

// sharedJobs are the jobs of env's session.
func sharedJobs(env tool.Env) (*jobs, error) {
	return tool.Shared(env, func() (*jobs, error) { return &jobs{begun: env.Jobs}, nil })
}

// add makes a job that counts as running until its done is closed and release
// was called.
func (js *jobs) add(title string, now time.Time) (*job, error) {
	js.mu.Lock()
	defer js.mu.Unlock()
	if js.closed {
		return nil, errClosing
	}
	if running := js.runningLocked(); len(running) >= maxRunning {
		return nil, fmt.Errorf("%d background jobs are running, which is the limit; end one with kill_shell: %s",
			len(running), list(running))
	}
	js.begun++
	j := &job{id: jobID(js.begun), title: title, begun: now, done: make(chan struct{})}
	j.ctx, j.stop = context.WithCancelCause(context.Background())
	js.all = append(js.all, j)
	js.running.Add(1)
	return j, nil
}

// jobID is the id of the n-th job of a session.
func jobID(n int) event.JobID { return event.JobID(fmt.Sprintf("bash-%d", n)) }

// drop forgets a job that was never started. Its number is free again unless a
// later one is taken: the session counts only jobs that started.
func (js *jobs) drop(j *job) {
	j.stop(nil)
	js.mu.Lock()
	js.all = slices.DeleteFunc(js.all, func(other *job) bool { return other == j })
	if j.id == jobID(js.begun) {
		js.begun--
	}
	js.mu.Unlock()
	js.running.Done()
}

// Close ends every job and returns when they are gone. Their end is not noted:
// the session is over by then, and when it is opened again its journal says that
// they were running.
func (js *jobs) Close() error {
	js.mu.Lock()
	js.closed = true
	all := slices.Clone(js.all)
	js.mu.Unlock()
	for _, j := range all {
		j.stop(errClosing)
	}
	js.running.Wait()
	var errs []error
	for _, j := range all {
		if err := os.Remove(j.path); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// runningJobs are those that are not over.
func (js *jobs) runningJobs() []*job {
	js.mu.Lock()
	defer js.mu.Unlock()
	return js.runningLocked()
}

func (js *jobs) runningLocked() []*job {
	return slices.DeleteFunc(slices.Clone(js.all), (*job).over)
}

// known are all jobs, oldest first.
func (js *jobs) known() []*job {
	js.mu.Lock()
	defer js.mu.Unlock()
	return slices.Clone(js.all)
}

// find looks a job up; the error names those that there are.
func (js *jobs) find(id string) (*job, error) {
	known := js.known()
	for _, j := range known {
		if string(j.id) == strings.TrimSpace(id) {
			return j, nil
		}
	}
	return nil, fmt.Errorf("no background job %q; %s", clean(id), list(known))
}

// list names jobs and how they are.
func list(all []*job) string {
	if len(all) == 0 {
		return "no background job was started since the session was opened"
	}
	var b strings.Builder
	if left := len(all) - maxListed; left > 0 {
		fmt.Fprintf(&b, "%d older ones; ", left)
		all = all[left:]
	}
	for i, j := range all {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s %s (%s)", j.id, j.status(), j.title)
	}
	return b.String()
}
