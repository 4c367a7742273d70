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
func (s *sess) load(ctx context.Context) error {
	s.j.id = s.id
	after := s.j.recall()
	records := 0
	for env, err := range s.store.Read(ctx, s.id, after) {
		var lost *session.DamageError
		if errors.As(err, &lost) {
			s.j.damage.add(lost.Damage)
			continue
		}
		if err != nil {
			return errors.Join(err, s.j.log.Close())
		}
		s.j.folded.apply(env)
		s.j.turn = max(s.j.turn, env.Turn)
		records++
	}
	s.j.seq = s.j.log.Last()
	if records >= worthKeeping {
		s.j.keepLocked() // nobody else has it yet
	}
	s.damage = s.j.damage
	if torn := s.j.log.Torn(); torn != nil {
		s.damage.add(*torn)
	}
	for _, j := range s.j.folded.untold {
		s.mail.jobEnded(j)
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
