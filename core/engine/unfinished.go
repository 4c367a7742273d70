package engine

import (
	"cmp"
	"context"
	"slices"

	"reasonix/core/event"
)

// endsIntent reports whether a session that goes on with p goes on without the rewind
// that is unfinished: the conversation stays where it is. A fork leaves it to its parent.
func endsIntent(p event.Payload) bool {
	switch p := p.(type) {
	case event.PromptQueued, event.TurnStarted, event.UserSaid, event.Folded:
		return true
	case event.Opened:
		return p.Reason == event.OpenedForked
	default:
		return false
	}
}

// leftBy notes that p left a conversation. One rewind after another that was given up is
// the second try: who undoes it undoes both.
func (h *history) leftBy(p event.Rewound) {
	since, gaveUp := h.at, h.intent != nil && h.intent.Head != p.Head && p.Head == p.Was
	if h.givenUp != 0 {
		since = h.givenUp
	}
	if h.givenUp = 0; gaveUp {
		h.givenUp = since
	}
	h.left[p.Was] = since
}

// resumeRewind ends a rewind in the middle of which the process before was killed. What
// is as it should be by now was put back by that one.
func (s *sess) resumeRewind() error {
	intent := s.unfinished()
	if intent == nil || s.organs.Checkpoints == nil {
		return nil
	}
	release, err := s.leaseNow()
	if err != nil {
		return s.openedWith(event.Notice{
			Level: event.LevelWarning, Code: "rewind_unfinished", Args: []string{err.Error()},
			Text: "a rewind was interrupted and cannot be finished now, the next opening tries again unless the session goes on before: " + err.Error(),
		})
	}
	defer func() { _ = release() }() // as in putBack
	done, kept := s.organs.Checkpoints.Restore(context.Background(), inverse(intent.Files))
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
	err = s.rewound(event.Rewound{Head: intent.Head, Was: intent.Was, Files: done, Kept: append(slices.Clone(intent.Kept), kept...)})
	if err != nil {
		return err
	}
	return s.openedWith(event.Notice{
		Level: event.LevelInfo, Code: "rewind_finished",
		Text: "a rewind was interrupted before this session was opened; it is finished now",
	})
}

// giveUpRewind ends a rewind that failed in this process, or that it could not finish
// when it opened the session, because the session goes on: the conversation stays as it
// is, and what was put back until then is recorded.
func (s *sess) giveUpRewind() error {
	intent := s.unfinished()
	if intent == nil {
		return nil
	}
	rec := event.Rewound{Kept: slices.Clone(intent.Kept)}
	s.j.with(func(h *history) { rec.Head, rec.Was = h.head(), h.head() })
	left := s.notBack(intent.Files)
	for _, f := range intent.Files {
		if left[f.Path] {
			rec.Kept = append(rec.Kept, event.Kept{Path: f.Path, Reason: givenUp})
		} else {
			rec.Files = append(rec.Files, f)
		}
	}
	if err := s.rewound(rec); err != nil {
		return err
	}
	return s.emit(event.Notice{
		Level: event.LevelWarning, Code: "rewind_given_up",
		Text: "a rewind could not be finished and is given up: the conversation is as it was, files that were put back by then stay so",
	})
}

// givenUp is why a rewind left a path.
const givenUp = "the rewind ended before it was put back"

// notBack are the files that are not as the rewind that names them would have them.
func (s *sess) notBack(files []event.File) map[string]bool {
	if s.organs.Checkpoints == nil {
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
	_, kept := s.organs.Checkpoints.Restore(context.Background(), same)
	return pathsOf(kept)
}

func pathsOf(kept []event.Kept) map[string]bool {
	all := make(map[string]bool, len(kept))
	for _, k := range kept {
		all[k.Path] = true
	}
	return all
}

func (s *sess) unfinished() (intent *event.Rewinding) {
	s.j.with(func(h *history) { intent = h.intent })
	return intent
}

// openedWith tells what an opening has to say behind its records, also to who joins later.
func (s *sess) openedWith(n event.Notice) error {
	s.j.with(func(*history) { s.j.notices = append(s.j.notices, n) })
	return s.emit(n)
}
