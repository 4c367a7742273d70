package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"reasonix/core/event"
)

// Rounds without progress until the model is nudged, and until the turn pauses.
const (
	nudgeAfter = 8
	pauseAfter = 16
)

// lease is the progress lease of one turn: a round that brings something new
// renews it, one that repeats does not. The zero value is a fresh lease.
type lease struct {
	seen   map[[sha256.Size]byte]struct{}
	idle   int               // rounds since the last new thing
	last   [sha256.Size]byte // the last round, calls and results
	same   int               // how often it came in a row
	nudged bool
}

type ruling int

const (
	goOn ruling = iota
	nudge
	pause
)

// deed is one finished call as the lease sees it.
type deed struct {
	name, args string // normalised
	result     string
	reads      bool
	ok         bool
	changed    bool // it changed a file
	completed  bool // it completed a todo
}

// round judges the calls of one reply. With an open todo every repeat counts;
// without one only identical rounds do, results included, so that polling a
// command or a growing file is no loop.
func (l *lease) round(deeds []deed, openTodo bool) ruling {
	if l.seen == nil {
		l.seen = map[[sha256.Size]byte]struct{}{}
	}
	progress := false
	whole := sha256.New()
	for _, d := range deeds {
		fmt.Fprintf(whole, "%s\x00%s\x00%s\x00", d.name, d.args, d.result)
		progress = l.isNew(d) || progress
	}
	l.count(progress, [sha256.Size]byte(whole.Sum(nil)))
	idle := l.same
	if openTodo {
		idle = l.idle
	}
	switch {
	case idle >= pauseAfter:
		return pause
	case idle >= nudgeAfter && openTodo && !l.nudged:
		l.nudged = true
		return nudge
	}
	return goOn
}

func (l *lease) count(progress bool, round [sha256.Size]byte) {
	if progress {
		l.idle, l.nudged = 0, false
	} else {
		l.idle++
	}
	if round == l.last {
		l.same++
	} else {
		l.last, l.same = round, 1
	}
}

// isNew reports whether d is a mutation, a completion, a command not run before
// or a read of content not seen before.
func (l *lease) isNew(d deed) bool {
	if d.changed || d.completed {
		return true
	}
	key := d.name + "\x00" + d.args
	if d.reads {
		key += "\x00" + d.result
	}
	sum := sha256.Sum256([]byte(key))
	_, known := l.seen[sum]
	l.seen[sum] = struct{}{}
	return !known && (d.ok || !d.reads)
}

// judge lets the lease see a finished round.
func (a *Agent) judge(t *turn, jobs []*job) error {
	deeds := make([]deed, len(jobs))
	for i, j := range jobs {
		deeds[i] = deed{
			name: j.call.Name, args: normalised(j.call.Arguments), result: j.result.Message.Content,
			reads: j.reads(), ok: j.result.Status == event.StatusOK, changed: len(j.result.Diffs) > 0,
			completed: j.completed.Load(),
		}
	}
	switch t.lease.round(deeds, a.todos.open()) {
	case nudge:
		return a.note("no_progress", noteNoProgress)
	case pause:
		return &Stop{
			Outcome: event.Limit, Reason: ReasonNoProgress,
			Detail: fmt.Sprintf("%d rounds brought nothing new; the work so far is kept and the session can be resumed", pauseAfter),
		}
	case goOn:
	}
	return nil
}

// normalised writes equal arguments as equal text.
func normalised(args string) string {
	var v any
	dec := json.NewDecoder(bytes.NewReader([]byte(args)))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return args
	}
	out, err := json.Marshal(v)
	if err != nil {
		return args
	}
	return string(out)
}
