package shell

import (
	"context"
	"errors"
	"fmt"
	"time"

	"reasonix/core/event"
	"reasonix/core/tool"
)

// startPatience is how long the start of a job waits for a failure that comes at
// once, such as a program that does not exist.
const startPatience = 300 * time.Millisecond

// background starts the command as a job, where a call would run. What the job
// does to its directory and variables stays with it.
func (b bash) background(ctx context.Context, args arguments) (string, error) {
	call := tool.CallFrom(ctx)
	at := b.state.now(b.env.Files.Dir())
	j, err := b.jobs.add(b.title(args), b.env.Now())
	if err != nil {
		return "", err
	}
	j.watch()
	if err := b.start(j, call, args, at); err != nil {
		b.jobs.drop(j)
		return "", fmt.Errorf("start background job: %w", err)
	}
	early := time.NewTimer(startPatience)
	defer early.Stop()
	select {
	case <-j.done:
		return b.endedAtOnce(ctx, j, at)
	case <-early.C:
		if j.leave() {
			return b.endedAtOnce(ctx, j, at)
		}
		return fmt.Sprintf("running in the background as %s\n%s", j.id, remarks(at.notes)), nil
	case <-ctx.Done():
		j.stop(errKilled)
		<-j.done
		return "", context.Cause(ctx)
	}
}

// start records the job and runs it. An error means that it does not run.
func (b bash) start(j *job, call *tool.Call, args arguments, at place) error {
	l, err := b.shell.prepare(args.Command, at, b.env.Settings.Temp)
	if err != nil {
		return err
	}
	err = j.open(b.env.Settings)
	if err == nil && call.Note != nil {
		err = call.Note(event.JobStarted{Job: j.id, Call: call.ID, Title: j.title})
	}
	if err != nil {
		l.remove()
		j.out.remove()
		return err
	}
	go b.follow(j, call, l, args)
	return nil
}

// follow runs the job and records its end. It is the job's goroutine; jobs.Close
// waits for it.
func (b bash) follow(j *job, call *tool.Call, l *launch, args arguments) {
	defer b.jobs.running.Done()
	defer j.stop(nil)
	defer l.remove()
	ctx := j.ctx
	if args.TimeoutMS > 0 {
		var cancel context.CancelFunc
		limit := b.limit(args)
		ctx, cancel = context.WithTimeoutCause(ctx, limit, fmt.Errorf("timed out after %v", limit))
		defer cancel()
	}
	j.exit, j.err = b.env.Run.Run(ctx, b.cmd(l, j.out, call.Release))
	defer close(j.done)
	if j.outcome() == event.JobInterrupted {
		j.end(nil)
		return
	}
	if full := j.end(call.Save); b.env.Note != nil {
		// The session may be closing while the job ends; that is noted when it is
		// opened again.
		_ = b.env.Note(j.ended(full))
	}
}

// endedAtOnce is the result of a start whose job is over already.
func (b bash) endedAtOnce(ctx context.Context, j *job, at place) (string, error) {
	if j.err != nil && !errors.Is(j.err, errKilled) {
		return "", fmt.Errorf("start background job %s: %w", j.id, b.explain(j.err, at))
	}
	news, err := j.news(ctx, nil, newExcerpt(b.env.Settings))
	if err != nil {
		return "", fmt.Errorf("%s ended at once, %s: %w", j.id, j.status(), err)
	}
	if j.err == nil {
		tool.CallFrom(ctx).Exit = &j.exit.Code
	}
	return fmt.Sprintf("%s ended at once\n%s%s", j.id, remarks(at.notes), news), nil
}
