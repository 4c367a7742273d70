package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/hook"
)

// Checkpoints keeps what files were before calls changed them. Modes and hashes are
// those of event.File.
type Checkpoints interface {
	// Begin begins a call. One that scans may change anything, others say what they
	// change themselves.
	Begin(ctx context.Context, scan bool) error
	// End ends it and says what it changed. With files the error is about what could
	// not be kept of them.
	End(ctx context.Context) ([]event.File, error)
	// Between says what changed since the last call ended, as End.
	Between(ctx context.Context) ([]event.File, error)
	// Recover says what the last call of a process changed that was killed, and whether
	// that is known. It comes first, and says the same again until Forget.
	Recover(ctx context.Context) (files []event.File, known bool, err error)
	// Forget says that what Recover told is recorded.
	Forget() error
	// Restore gives files what they have as Before and ModeWas, where they are as After
	// and Mode say, and says what it changed and what it left.
	Restore(ctx context.Context, files []event.File) (done []event.File, kept []event.Kept)
}

// Lease waits until nobody else writes the workspace, and says who does.
type Lease func(ctx context.Context, waiting func(holder string)) (release func() error, err error)

// maxFiles is how many files one FilesChanged names, and maxRecords in how many of them
// the changes of one call are recorded.
const (
	maxFiles   = 5000
	maxRecords = 20
)

// tracker knows what the calls of turns do to files: it holds the workspace while they
// may write it and records what they changed, also of one that a process before did not
// live to record. The opening uses it, and then the turn's goroutine; there is one at a
// time.
type tracker struct {
	checkpoints Checkpoints // nil: nobody keeps what files were
	lease       Lease       // nil: nobody else writes the workspace
	hooks       *hooks
	rec         *recorder

	behind  string       // the call of a command that ran in the background when the last one ended
	idle    bool         // no turn ran since then
	release func() error // gives the workspace back; nil: it is not held
	cut     []gap        // calls that were cut off whose changes the opening could not find out
}

// writing surrounds a call that may change something: it waits for the workspace, and
// records what the call did to files. What cannot be recorded is told and stops nothing.
func (t *tracker) writing(ctx context.Context, req agent.Request) (over func() error, err error) {
	if err := t.hold(ctx, req.Call.Name); err != nil {
		return nil, err
	}
	c := t.checkpoints
	if c == nil {
		return func() error { return nil }, nil
	}
	if err := t.recoverLate(ctx); err != nil {
		return nil, err
	}
	scan := req.Subject.Kind != "edit" || t.hooks.wants(hook.PostToolUse, req.Call.Name) // which may change what it likes
	if err := c.Begin(ctx, scan); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return func() error { return t.unrecorded(err) }, nil
	}
	return func() error { return t.written(context.WithoutCancel(ctx), req.Call.ID) }, nil
}

func (t *tracker) written(ctx context.Context, call string) error {
	files, err := t.checkpoints.End(ctx)
	if err != nil {
		if err := t.troubled(files, err); err != nil {
			return err
		}
	}
	t.behind = t.rec.j.inBackground()
	if len(files) == 0 && err == nil {
		t.rec.touched.follow(event.FilesChanged{Call: call}, t.rec.now) // it named files and changed none
	}
	return t.changed(call, files)
}

func (t *tracker) changed(call string, files []event.File) error {
	for _, p := range changesOf(call, files) {
		if err := t.rec.emit(p); err != nil {
			return err
		}
	}
	return nil
}

// changesOf are the records of what a call changed. Where even they are too few, every
// one has More, because none of them may be taken for the whole.
func changesOf(call string, files []event.File) []event.FilesChanged {
	more := max(len(files)-maxFiles*maxRecords, 0)
	var all []event.FilesChanged
	for part := range slices.Chunk(files[:len(files)-more], maxFiles) {
		all = append(all, event.FilesChanged{Call: call, Files: part, More: more})
	}
	return all
}

// troubled tells what failed while it was found out what a call changed.
func (t *tracker) troubled(files []event.File, err error) error {
	if len(files) == 0 {
		return t.unrecorded(err)
	}
	return t.rec.emit(event.Notice{
		Level: event.LevelWarning, Code: "checkpoint_incomplete", Args: []string{err.Error()},
		Text: "what the call changed is recorded, but: " + err.Error(),
	})
}

func (t *tracker) unrecorded(err error) error { return t.rec.emit(unrecorded(err)) }

func unrecorded(err error) event.Notice {
	return event.Notice{
		Level: event.LevelWarning, Code: "checkpoint_failed", Args: []string{err.Error()},
		Text: "what the call changed is not recorded and cannot be put back: " + err.Error(),
	}
}

// hold takes the workspace for the rest of the turn.
func (t *tracker) hold(ctx context.Context, call string) error {
	if t.lease == nil || t.release != nil {
		return nil
	}
	var waited bool
	release, err := t.lease(ctx, func(holder string) {
		waited = true
		_ = t.rec.emit(event.Phase{Name: event.PhaseWorkspace, Detail: call, Holder: holder}) // not stored
	})
	if err != nil {
		return fmt.Errorf("wait for the workspace: %w", err)
	}
	t.release = release
	if waited {
		return t.rec.emit(event.Phase{Name: event.PhaseTool, Detail: call})
	}
	return nil
}

// giveBack lets others write the workspace.
func (t *tracker) giveBack() error {
	err := safely(t.rec.j.id, "the record of what changed", func() error { return t.drifted(context.Background()) })
	t.idle = true
	t.rec.touched.drop()
	if t.release == nil {
		return err
	}
	release := t.release
	t.release = nil
	return errors.Join(err, safely(t.rec.j.id, "the lease of the workspace", release))
}
