package engine

import (
	"context"
	"fmt"

	"reasonix/core/event"
)

// whileIdle is why a change that was found while a command ran in the background is not
// put back: between turns a person is as likely to have made it.
const whileIdle = "it was changed between two turns, by a command in the background or by somebody else"

// inBackground is the call of the newest command that runs in the background.
func (s *sess) inBackground() (call string) {
	s.j.with(func(h *history) {
		if n := len(h.now.Jobs); n > 0 {
			call = h.now.Jobs[n-1].Call
		}
	})
	return call
}

// drifted records what a command in the background changed since the last call ended.
func (s *sess) drifted(ctx context.Context) error {
	c, call, idle := s.organs.Checkpoints, s.behind, s.idle
	if s.idle = false; c == nil || call == "" {
		return nil
	}
	files, err := c.Between(ctx)
	if err != nil {
		if err := s.troubled(files, err); err != nil || len(files) == 0 {
			return err
		}
	}
	s.behind = s.inBackground()
	for i := range files {
		if idle && files[i].Lost == "" {
			files[i].Lost = whileIdle
		}
	}
	return s.changed(call, files)
}

// recoverFiles records what the process before did to files and did not live to record:
// the changes of the call that it ended in, and a rewind.
func (s *sess) recoverFiles(ctx context.Context) error {
	c := s.organs.Checkpoints
	if c == nil || s.opened.Reason == event.OpenedNew || s.opened.Reason == event.OpenedForked {
		return nil
	}
	var cut []gap
	s.j.with(func(h *history) { cut = h.recoverable() })
	if err := s.recoverCalls(ctx, cut); err != nil {
		return err
	}
	return s.rewinder.resume()
}

// recoverLate tries once more what the opening could not find out, before the first call
// that has a log of its own.
func (s *sess) recoverLate(ctx context.Context) error {
	if len(s.cut) == 0 {
		return nil
	}
	err := s.recoverCalls(ctx, s.cut)
	if err == nil {
		s.cut = nil
	}
	return err
}

// recoverCalls records what calls changed that were cut off together. They follow each
// other: what is found is the last one's, and the others changed nothing more. What is
// known of them is there until it is recorded.
func (s *sess) recoverCalls(ctx context.Context, cut []gap) error {
	if len(cut) == 0 {
		return nil
	}
	files, known, err := s.organs.Checkpoints.Recover(ctx)
	if ctx.Err() != nil {
		return fmt.Errorf("find out what a call changed that was cut off: %w", context.Cause(ctx))
	}
	if err != nil {
		s.cut = cut
		return s.j.openedWith(unrecorded(err))
	}
	if !known {
		return nil
	}
	last := len(cut) - 1
	for _, g := range cut[:last] {
		if err := s.rec.emit(event.FilesChanged{Call: g.call}); err != nil {
			return err
		}
	}
	if len(files) == 0 {
		err = s.rec.emit(event.FilesChanged{Call: cut[last].call})
	} else {
		err = s.changed(cut[last].call, files)
	}
	if err != nil {
		return err
	}
	if err := s.j.sync(); err != nil {
		return err
	}
	return s.organs.Checkpoints.Forget()
}
