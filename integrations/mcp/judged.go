package mcp

import (
	"errors"
	"fmt"
)

// A word is what a policy judges a tool by.
type word struct{ destructive, readOnly bool }

// stricter reports whether a call that was judged by told needs to be judged anew.
func (w word) stricter(told word) bool {
	return w.destructive && !told.destructive || !w.readOnly && told.readOnly
}

func weaker(a, b word) word {
	return word{destructive: a.destructive && b.destructive, readOnly: a.readOnly || b.readOnly}
}

// judged is what was told of a tool since its calls were last looked at. The calls of
// one reply are: ReadOnly is asked of each, then each is judged, and some run before
// others are; so the weakest word since ReadOnly counts. Whoever never asks ReadOnly
// is told anew by every Approval.
type judged struct {
	word
	asked bool
}

// now is what the server says of the tool, and whether a call of it only reads, by
// its word or by that of somebody who trusts it. A tool that the server does not list
// any more makes no promise. The caller has the server's lock.
func (r remote) now() (spec, word) {
	s := r.server
	t, ok := s.known.tools().find(r.spec.Raw)
	if !ok {
		t = r.spec
		if s.known.live != nil {
			t.ReadOnly, t.Idempotent = false, false
		}
	}
	return t, word{t.Destructive, t.ReadOnly || s.cfg.trusts(t.Raw, r.full)}
}

// look is what ReadOnly tells: the calls of the tool are about to be judged.
func (r remote) look() word {
	s := r.server
	s.mu.Lock()
	defer s.mu.Unlock()
	_, w := r.now()
	s.judged[r.spec.Raw] = judged{w, true}
	return w
}

// judge is what Approval tells.
func (r remote) judge() word {
	s := r.server
	s.mu.Lock()
	defer s.mu.Unlock()
	_, w := r.now()
	told := judged{word: w}
	if before := s.judged[r.spec.Raw]; before.asked {
		told = judged{weaker(before.word, w), true}
	}
	s.judged[r.spec.Raw] = told
	return w
}

// stands refuses a call that was judged by less than what the server says now: it
// was only known from an earlier session then, or its list has changed since.
func (r remote) stands() error {
	s := r.server
	s.mu.Lock()
	defer s.mu.Unlock()
	_, w := r.now()
	told, ok := s.judged[r.spec.Raw]
	if !ok {
		told.word = word{r.spec.Destructive, r.spec.ReadOnly || s.cfg.trusts(r.spec.Raw, r.full)}
		s.judged[r.spec.Raw] = judged{word: w}
	}
	if !w.stricter(told.word) {
		return nil
	}
	says := "says that it may destroy something"
	if !w.destructive || told.destructive {
		says = "does not say any more that it only reads"
	}
	return fmt.Errorf("%w: the server %s, and the call was judged before that was known. Call %s again, so that it is judged by what it does", errJudged, says, r.full)
}

var errJudged = errors.New("it was not called")
