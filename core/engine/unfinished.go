package engine

import (
	"cmp"
	"context"
	"slices"

	"reasonix/core/event"
)

// resume ends a rewind in the middle of which the process before was killed. What
// is as it should be by now was put back by that one.
func (r *rewinder) resume() error {
	intent := r.unfinished()
	if intent == nil || r.checkpoints == nil {
		return nil
	}
	release, err := r.leaseNow()
	if err != nil {
		return r.j.openedWith(event.Notice{
			Level: event.LevelWarning, Code: "rewind_unfinished", Args: []string{err.Error()},
			Text: "a rewind was interrupted and cannot be finished now, the next opening tries again unless the session goes on before: " + err.Error(),
		})
	}
	defer func() { _ = release() }() // as in putBack
	done, kept := r.restore(inverse(intent.Files))
	said := pathsOf(kept)
	for _, f := range done {
		said[f.Path] = true
	}
	for _, f := range intent.Files {
		if !said[f.Path] {
			done = append(done, f)
		}
	}
	slices.SortFunc(done, func(a, b event.File) int { return cmp.Compare(a.Path, b.Path) })
	err = r.rewound(event.Rewound{Head: intent.Head, Was: intent.Was, Files: done, Kept: append(slices.Clone(intent.Kept), kept...)})
	if err != nil {
		return err
	}
	return r.j.openedWith(event.Notice{
		Level: event.LevelInfo, Code: "rewind_finished",
		Text: "a rewind was interrupted before this session was opened; it is finished now",
	})
}

// giveUp ends a rewind that failed in this process, or that it could not finish
// when it opened the session, because the session goes on: the conversation stays as it
// is, and what was put back until then is recorded.
func (r *rewinder) giveUp() error {
	intent := r.unfinished()
	if intent == nil {
		return nil
	}
	rec := event.Rewound{Kept: slices.Clone(intent.Kept)}
	r.j.with(func(h *history) { rec.Head, rec.Was = h.head(), h.head() })
	left := r.notBack(intent.Files)
	for _, f := range intent.Files {
		if left[f.Path] {
			rec.Kept = append(rec.Kept, event.Kept{Path: f.Path, Reason: givenUp})
		} else {
			rec.Files = append(rec.Files, f)
		}
	}
	if err := r.rewound(rec); err != nil {
		return err
	}
	return r.j.emit(event.Notice{
		Level: event.LevelWarning, Code: "rewind_given_up",
		Text: "a rewind could not be finished and is given up: the conversation is as it was, files that were put back by then stay so",
	})
}

// givenUp is why a rewind left a path.
const givenUp = "the rewind ended before it was put back"

// notBack are the files that are not as the rewind that names them would have them.
func (r *rewinder) notBack(files []event.File) map[string]bool {
	if r.checkpoints == nil {
		all := map[string]bool{}
		for _, f := range files {
			all[f.Path] = true
		}
		return all
	}
	same := make([]event.File, len(files))
	for i, f := range files { // as they are to be and are expected to be: nothing is written
		same[i] = event.File{Path: f.Path, Before: f.After, After: f.After, ModeWas: f.Mode, Mode: f.Mode}
	}
	_, kept := r.checkpoints.Restore(context.Background(), same)
	return pathsOf(kept)
}

func pathsOf(kept []event.Kept) map[string]bool {
	all := make(map[string]bool, len(kept))
	for _, k := range kept {
		all[k.Path] = true
	}
	return all
}

func (r *rewinder) unfinished() (intent *event.Rewinding) {
	r.j.with(func(h *history) { intent = h.intent })
	return intent
}
