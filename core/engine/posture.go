package engine

import (
	"reasonix/core/event"
	"reasonix/core/permission"
)

// pendingAsk is why a person is being asked about a call.
type pendingAsk struct{ why permission.Reason }

// pose asks about a call, and keeps the question in sight of a change of the posture
// until unwatch: from the moment it can be answered on. spared says that the posture
// spares the question by now.
func (b *rulebook) pose(q event.Question, why permission.Reason) (answered <-chan event.Answered, spared bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if spares(b.posture, why) {
		return nil, true, nil
	}
	if answered, err = b.asks.pose(q); err != nil {
		return nil, false, err
	}
	if b.pending == nil {
		b.pending = map[event.RequestID]pendingAsk{}
	}
	b.pending[q.ID] = pendingAsk{why}
	return answered, false, nil
}

func (b *rulebook) unwatch(id event.RequestID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.pending, id)
}

// spares reports whether a posture answers a question in the place of a person. Only
// yolo does.
func spares(p permission.Posture, why permission.Reason) bool {
	return p == permission.PostureYolo && p.Apply(why) == permission.Allow
}

// stance is the posture that counts.
func (b *rulebook) stance() permission.Posture {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.posture
}

// setPosture counts from the next call on. Yolo also answers the questions about
// calls that it would not have asked about; auto leaves them to the person.
func (b *rulebook) setPosture(p permission.Posture) {
	b.mu.Lock()
	b.posture = p
	var settled []event.RequestID
	for id, ask := range b.pending {
		if spares(p, ask.why) {
			settled = append(settled, id)
		}
	}
	b.mu.Unlock()
	for _, id := range settled {
		b.asks.settle(id, event.Answered{ID: id, Answer: event.Answer{Choice: []string{optionOnce}}, By: event.ByPolicy})
	}
}
