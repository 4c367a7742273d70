package engine

import (
	"context"
	"fmt"
	"time"

	"reasonix/core/event"
	"reasonix/core/protocol"
)

// rewindPatience is how long a Rewind waits for somebody who writes the workspace.
const rewindPatience = 2 * time.Second

// rewinder moves the end of the conversation and puts files back. What it is about to
// do to files it records first, so that one who was killed in between is followed by one
// who ends it. One at a time uses it: the opening, the session's goroutine while no turn
// runs, a compaction that runs in the place of one.
type rewinder struct {
	j           *journal
	checkpoints Checkpoints // nil: files stay
	lease       Lease       // nil: nobody else writes the workspace
}

func (r *rewinder) rewind(op protocol.Rewind) error {
	bad := func(field, reason string) error {
		return &protocol.BadOp{Op: "Rewind", Field: field, Reason: reason}
	}
	switch {
	case !op.Conversation && !op.Files:
		return bad("Conversation", "neither the conversation nor files are to go back")
	case op.Files && r.checkpoints == nil:
		return bad("Files", "this session does not keep what files were")
	}
	if err := r.giveUp(); err != nil {
		return err
	}
	var to place
	var known bool
	var rec event.Rewound
	var files []event.File
	r.j.with(func(h *history) {
		to, known = h.target(op.To)
		rec.Was = h.head()
		if op.Since > 0 {
			to.since = min(to.since, op.Since)
		}
		if op.Files && known {
			files, rec.Kept = h.undo(to.since)
		}
	})
	if !known {
		return bad("To", "no message of the user, and none that was the last of a turn")
	}
	rec.Head = rec.Was
	if op.Conversation {
		rec.Head = to.head
	}
	if r.j.unwritten() {
		return nil // nothing was said or changed yet
	}
	if len(files) == 0 {
		return r.rewound(rec)
	}
	return r.putBack(files, rec)
}

func (r *rewinder) rewound(rec event.Rewound) error {
	if err := r.j.emit(rec); err != nil {
		return err
	}
	return r.j.sync()
}

// putBack puts files back and records it. What is about to be done is on the disk
// before the first file is touched: a process that is killed in between leaves the rest
// to the next one.
func (r *rewinder) putBack(files []event.File, rec event.Rewound) error {
	release, err := r.leaseNow()
	if err != nil {
		return err
	}
	defer func() { _ = release() }() // a lock; it ends with the process at the latest
	var kept []event.Kept
	intent := event.Rewinding{Head: rec.Head, Was: rec.Was, Files: inverse(files), Kept: rec.Kept}
	if err := r.j.emit(intent); err != nil {
		return err
	}
	if err := r.j.sync(); err != nil {
		return err
	}
	rec.Files, kept = r.restore(files)
	rec.Kept = append(rec.Kept, kept...)
	return r.rewound(rec)
}

// restore has files put back; what of them was done says how they were found to have
// changed.
func (r *rewinder) restore(files []event.File) (done []event.File, kept []event.Kept) {
	done, kept = r.checkpoints.Restore(context.Background(), files)
	seen := map[string]bool{}
	for _, f := range files {
		seen[f.Path] = f.Seen
	}
	for i := range done {
		done[i].Seen = seen[done[i].Path]
	}
	return done, kept
}

// leaseNow takes the workspace, for which it does not wait long.
func (r *rewinder) leaseNow() (release func() error, err error) {
	if r.lease == nil {
		return func() error { return nil }, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), rewindPatience)
	defer cancel()
	var who string
	if release, err = r.lease(ctx, func(holder string) { who = holder }); err != nil {
		return nil, fmt.Errorf("rewind: another session is writing the workspace (%s): %w", who, err)
	}
	return release, nil
}

// inverse are changes the other way round.
func inverse(files []event.File) []event.File {
	all := make([]event.File, len(files))
	for i, f := range files {
		all[i] = event.File{Path: f.Path, Before: f.After, After: f.Before, ModeWas: f.Mode, Mode: f.ModeWas, Seen: f.Seen, Lost: f.Lost}
	}
	return all
}
