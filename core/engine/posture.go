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
func (g *gate) pose(q event.Question, why permission.Reason) (answered <-chan event.Answered, spared bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if spares(g.posture, why) {
		return nil, true, nil
	}
	if answered, err = g.asks.pose(q); err != nil {
		return nil, false, err
	}
	if g.pending == nil {
		g.pending = map[event.RequestID]pendingAsk{}
	}
	g.pending[q.ID] = pendingAsk{why}
	return answered, false, nil
}

func (g *gate) unwatch(id event.RequestID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.pending, id)
}

// spares reports whether a posture answers a question in the place of a person. Only
// yolo does.
func spares(p permission.Posture, why permission.Reason) bool {
	return p == permission.PostureYolo && p.Apply(why) == permission.Allow
}

// stance is the posture that counts.
func (g *gate) stance() permission.Posture {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.posture
}

// setPosture counts from the next call on. Yolo also answers the questions about
// calls that it would not have asked about; auto leaves them to the person.
func (g *gate) setPosture(p permission.Posture) {
	g.mu.Lock()
	g.posture = p
	var settled []event.RequestID
	for id, ask := range g.pending {
		if spares(p, ask.why) {
			settled = append(settled, id)
		}
	}
	g.mu.Unlock()
	for _, id := range settled {
		g.asks.settle(id, event.Answered{ID: id, Answer: event.Answer{Choice: []string{optionOnce}}, By: event.ByPolicy})
	}
}
