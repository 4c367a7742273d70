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
func (j *journal) inBackground() (call string) {
	j.with(func(h *history) {
		if n := len(h.now.Jobs); n > 0 {
			call = h.now.Jobs[n-1].Call
		}
	})
	return call
}

// drifted records what a command in the background changed since the last call ended.
func (t *tracker) drifted(ctx context.Context) error {
	c, call, idle := t.checkpoints, t.behind, t.idle
	if t.idle = false; c == nil || call == "" {
		return nil
	}
	files, err := c.Between(ctx)
	if err != nil {
		if err := t.troubled(files, err); err != nil || len(files) == 0 {
			return err
		}
	}
	t.behind = t.rec.j.inBackground()
	for i := range files {
		if idle && files[i].Lost == "" {
			files[i].Lost = whileIdle
		}
	}
	return t.changed(call, files)
}

// recover records what the call changed that the process before ended in.
func (t *tracker) recover(ctx context.Context) error {
	if t.checkpoints == nil {
		return nil
	}
	var cut []gap
	t.rec.j.with(func(h *history) { cut = h.recoverable() })
	return t.recoverCalls(ctx, cut)
}

// recoverLate tries once more what the opening could not find out, before the first call
// that has a log of its own.
func (t *tracker) recoverLate(ctx context.Context) error {
	if len(t.cut) == 0 {
		return nil
	}
	err := t.recoverCalls(ctx, t.cut)
	if err == nil {
		t.cut = nil
	}
	return err
}

// recoverCalls records what calls changed that were cut off together. They follow each
// other: what is found is the last one's, and the others changed nothing more. What is
// known of them is there until it is recorded.
func (t *tracker) recoverCalls(ctx context.Context, cut []gap) error {
	if len(cut) == 0 {
		return nil
	}
	files, known, err := t.checkpoints.Recover(ctx)
	if ctx.Err() != nil {
		return fmt.Errorf("find out what a call changed that was cut off: %w", context.Cause(ctx))
	}
	if err != nil {
		t.cut = cut
		return t.rec.j.openedWith(unrecorded(err))
	}
	if !known {
		return nil
	}
	last := len(cut) - 1
	for _, g := range cut[:last] {
		if err := t.rec.emit(event.FilesChanged{Call: g.call}); err != nil {
			return err
		}
	}
	if len(files) == 0 {
		err = t.rec.emit(event.FilesChanged{Call: cut[last].call})
	} else {
		err = t.changed(cut[last].call, files)
	}
	if err != nil {
		return err
	}
	if err := t.rec.j.sync(); err != nil {
		return err
	}
	return t.checkpoints.Forget()
}
