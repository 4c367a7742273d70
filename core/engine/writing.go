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

// writing surrounds a call that may change something: it waits for the workspace, and
// records what the call did to files. What cannot be recorded is told and stops nothing.
func (s *sess) writing(ctx context.Context, req agent.Request) (over func() error, err error) {
	if err := s.hold(ctx, req.Call.Name); err != nil {
		return nil, err
	}
	c := s.organs.Checkpoints
	if c == nil {
		return func() error { return nil }, nil
	}
	if err := s.recoverLate(ctx); err != nil {
		return nil, err
	}
	scan := req.Subject.Kind != "edit" || s.hooks.wants(hook.PostToolUse, req.Call.Name) // which may change what it likes
	if err := c.Begin(ctx, scan); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return func() error { return s.unrecorded(err) }, nil
	}
	return func() error { return s.written(context.WithoutCancel(ctx), req.Call.ID) }, nil
}

func (s *sess) written(ctx context.Context, call string) error {
	files, err := s.organs.Checkpoints.End(ctx)
	if err != nil {
		if err := s.troubled(files, err); err != nil {
			return err
		}
	}
	s.behind = s.inBackground()
	if len(files) == 0 && err == nil {
		s.rec.touched.follow(event.FilesChanged{Call: call}, s.e.p.Now) // it named files and changed none
	}
	return s.changed(call, files)
}

func (s *sess) changed(call string, files []event.File) error {
	for _, p := range changesOf(call, files) {
		if err := s.rec.emit(p); err != nil {
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
func (s *sess) troubled(files []event.File, err error) error {
	if len(files) == 0 {
		return s.unrecorded(err)
	}
	return s.rec.emit(event.Notice{
		Level: event.LevelWarning, Code: "checkpoint_incomplete", Args: []string{err.Error()},
		Text: "what the call changed is recorded, but: " + err.Error(),
	})
}

func (s *sess) unrecorded(err error) error { return s.rec.emit(unrecorded(err)) }

func unrecorded(err error) event.Notice {
	return event.Notice{
		Level: event.LevelWarning, Code: "checkpoint_failed", Args: []string{err.Error()},
		Text: "what the call changed is not recorded and cannot be put back: " + err.Error(),
	}
}

// hold takes the workspace for the rest of the turn.
func (s *sess) hold(ctx context.Context, call string) error {
	if s.organs.Lease == nil || s.release != nil {
		return nil
	}
	var waited bool
	release, err := s.organs.Lease(ctx, func(holder string) {
		waited = true
		_ = s.rec.emit(event.Phase{Name: event.PhaseWorkspace, Detail: call, Holder: holder}) // not stored
	})
	if err != nil {
		return fmt.Errorf("wait for the workspace: %w", err)
	}
	s.release = release
	if waited {
		return s.rec.emit(event.Phase{Name: event.PhaseTool, Detail: call})
	}
	return nil
}

// giveBack lets others write the workspace.
func (s *sess) giveBack() error {
	err := s.safely("the record of what changed", func() error { return s.drifted(context.Background()) })
	s.idle = true
	s.rec.touched.drop()
	if s.release == nil {
		return err
	}
	release := s.release
	s.release = nil
	return errors.Join(err, s.safely("the lease of the workspace", release))
}
