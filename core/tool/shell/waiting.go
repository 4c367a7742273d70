package shell

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"reasonix/core/tool"
)

const (
	defaultWait = 30 * time.Second
	maxWait     = 10 * time.Minute
	waitSchema  = `{"properties":{` +
		`"job_ids":{"items":{"type":"string"},"type":"array"},` +
		`"timeout_ms":{"type":"integer"}},"type":"object"}`
)

// waiting is the wait tool. The zero value describes; Bind returns the one that
// runs.
type waiting struct {
	env  tool.Env
	jobs *jobs
}

func (waiting) Name() string            { return "wait" }
func (waiting) Schema() json.RawMessage { return json.RawMessage(waitSchema) }
func (waiting) ReadOnly() bool          { return true }
func (waiting) Description() string {
	return "Wait for background jobs, or for all."
}

func (waiting) Bind(env tool.Env) (tool.Tool, error) {
	js, err := sharedJobs(env)
	if err != nil {
		return nil, err
	}
	return waiting{env: env, jobs: js}, nil
}

// Subject names the jobs.
func (waiting) Subject(raw json.RawMessage) tool.Subject {
	return tool.Subject{Title: "Wait for " + jobNames(raw, "background jobs"), Kind: "other"}
}

// Execute returns when all jobs are over or the time is.
func (t waiting) Execute(ctx context.Context, raw json.RawMessage) (string, error) {
	if t.jobs == nil {
		return "", tool.ErrUnbound
	}
	var args struct {
		Jobs      []string `json:"job_ids"`
		TimeoutMS int64    `json:"timeout_ms"`
	}
	if err := tool.Decode(raw, json.RawMessage(waitSchema), &args); err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	named, err := t.named(args.Jobs)
	if err != nil {
		return "", err
	}
	if len(named) == 0 {
		return "nothing is running; " + list(t.jobs.known()), nil
	}
	limit := defaultWait
	if args.TimeoutMS > 0 {
		limit = time.Duration(min(args.TimeoutMS, maxWait.Milliseconds())) * time.Millisecond
	}
	told, err := waitFor(ctx, named, limit)
	if err != nil && !told {
		return "", err
	}
	return remarks(others(t.env.Run)) + t.report(named, limit), err
}

// named are the jobs of these ids, each once, or all that run.
func (t waiting) named(ids []string) ([]*job, error) {
	if len(ids) == 0 {
		return t.jobs.runningJobs(), nil
	}
	var named []*job
	for _, id := range ids {
		j, err := t.jobs.find(id)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(named, j) {
			named = append(named, j)
		}
	}
	return named, nil
}

// waitFor waits for all jobs, for at most limit. Only the context's end is an
// error; told is whether an end came that must be reported even so.
func waitFor(ctx context.Context, named []*job, limit time.Duration) (told bool, err error) {
	for _, j := range named {
		j.watch()
	}
	err = untilOver(ctx, named, limit)
	for _, j := range named {
		told = j.leave() || told
	}
	return told, err
}

func untilOver(ctx context.Context, named []*job, limit time.Duration) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for _, j := range named {
		select {
		case <-j.done:
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// report says how each job is, with the end of its output.
func (t waiting) report(named []*job, limit time.Duration) string {
	const line = 200 // what stands above a job's output, about
	room := newExcerpt(t.env.Settings).cap/len(named) - line
	var b strings.Builder
	late := 0
	for _, j := range named {
		status := j.status()
		if status == statusRunning {
			late++
			status += t.since(j)
		}
		fmt.Fprintf(&b, "[%s: %s (%s)]\n", j.id, status, j.title)
		tail, more := j.out.last(max(0, min(maxTail, room)))
		if more {
			fmt.Fprintf(&b, "[... the end of all output, which is in %s]\n", slashed(j.path))
		}
		if tail != "" {
			b.WriteString(strings.TrimSuffix(tail, "\n") + "\n")
		}
	}
	if late > 0 {
		fmt.Fprintf(&b, "[%d of %d still running after %v]", late, len(named), limit)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// since tells how long a job has been running, in whole minutes: looking again
// within one is nothing new.
func (t waiting) since(j *job) string {
	if minutes := int(t.env.Now().Sub(j.begun).Minutes()); minutes > 0 {
		return fmt.Sprintf(" for %d min", minutes)
	}
	return ""
}
