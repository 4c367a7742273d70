package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"reasonix/core/event"
	"reasonix/core/session"
)

// worthKeeping is how many records behind the last state are worth another one. A
// compaction is always worth one: the state is never smaller than then.
const worthKeeping = 2000

// load folds what is in the open journal: the state that is kept of it, and what came
// behind that.
func (o *origin) load(ctx context.Context) error {
	o.j.id = o.id
	after := o.j.recall()
	records := 0
	for env, err := range o.store.Read(ctx, o.id, after) {
		var lost *session.DamageError
		if errors.As(err, &lost) {
			o.j.damage.add(lost.Damage)
			continue
		}
		if err != nil {
			return errors.Join(err, o.j.log.Close())
		}
		o.j.folded.apply(env)
		o.j.turn = max(o.j.turn, env.Turn)
		records++
	}
	o.j.seq = o.j.log.Last()
	if records >= worthKeeping {
		o.j.keepLocked() // nobody else has it yet
	}
	o.damage = o.j.damage
	if torn := o.j.log.Torn(); torn != nil {
		o.damage.add(*torn)
	}
	return nil
}

// damage counts the records of a journal that cannot be read.
type damage struct {
	count int
	first *session.Damage
}

func (d *damage) add(one session.Damage) {
	if d.count++; d.first == nil {
		d.first = &one
	}
}

func (d damage) notice(id event.SessionID) event.Notice {
	first := (&session.DamageError{ID: id, Damage: *d.first}).Error()
	return event.Notice{
		Level: event.LevelWarning, Code: "journal_damaged", Args: []string{fmt.Sprint(d.count), first},
		Text: fmt.Sprintf("damaged records of this session were skipped: %d, the first: %s", d.count, first),
	}
}

// recall begins with the state that is kept of the journal and returns its last record;
// 0 when there is none.
func (j *journal) recall() event.Seq {
	data, at := j.log.Kept()
	if len(data) == 0 || at == 0 {
		return 0
	}
	var kept state
	if err := json.Unmarshal(data, &kept); err != nil || kept.Version != stateVersion || kept.Writer != j.writer || kept.At > at {
		return 0
	}
	h, err := kept.history()
	if err != nil {
		return 0
	}
	h.past = j.past
	j.folded, j.turn = h, kept.Turn
	j.damage = damage{count: kept.Damaged, first: kept.Damage}
	j.keptAt, j.keptSize = at, len(h.messages)
	return at
}

// worth reports whether the state is to be kept behind p: it is smallest behind a
// compaction, and what was added since the last one is bounded by what that cost.
func (j *journal) worth(p event.Payload) bool {
	switch p := p.(type) {
	case event.Folded:
		return len(p.Edits) > 0
	case event.TurnEnded:
		return j.seq-j.keptAt >= event.Seq(max(worthKeeping, j.keptSize))
	default:
		return false
	}
}

// keepLocked keeps the state, for the next opening. It is best effort.
func (j *journal) keepLocked() {
	if j.log == nil {
		return
	}
	now, err := stateOf(&j.folded)
	if err != nil {
		return
	}
	now.Writer, now.Turn = j.writer, j.turn
	now.Damaged, now.Damage = j.damage.count, j.damage.first
	data, err := encode(now)
	if err != nil {
		return
	}
	j.log.Keep(data)
	j.keptAt, j.keptSize = j.seq, len(j.folded.messages)
}
