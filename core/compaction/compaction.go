// Package compaction decides how a conversation that fills its model's window is
// made smaller: old tool results are shortened (snip), then replaced by
// placeholders (prune), then the work of assistant and tools is folded into a
// digest (summary). What the user said and earlier digests stay word for word, a
// call is never parted from its result, and the recent tail is left alone as long
// as anything else can give.
//
// It is arithmetic on messages: it calls no model, writes no file and knows no
// clock. A Ladder says which step comes next, functions such as Prune and
// PlanFold say which edits a step means, Apply makes them. The agent carries the
// steps out: it archives the originals, asks its provider for the summary and
// records each edit before the next request is sent. Planning again what was
// applied gives nothing.
package compaction

import (
	"cmp"

	"reasonix/core/message"
)

// Stage is what an edit does to a conversation.
type Stage string

// The stages. Squeezing is pruning that goes further and is recorded as prune, and
// dropping is a summary without words.
const (
	StageSnip    Stage = "snip"
	StagePrune   Stage = "prune"
	StageSummary Stage = "summary"
)

// Settings are the thresholds. A zero field other than Window is its default.
// Shares are of Window and grow in the order of the fields.
type Settings struct {
	Window int // tokens the model takes; 0: no compaction

	Soft  float64 // the user is told once; 0: 0.5
	Snip  float64 // stale tool results are shortened; 0: 0.6
	Prune float64 // they are replaced, and the work is folded if that is not enough; 0: 0.8
	Force float64 // it is folded even when that frees little; 0: 0.9

	// The recent tail is the last TailTurns user turns or TailShare of the window,
	// whichever is smaller.
	TailTurns int     // 0: 2
	TailShare float64 // 0: 0.2

	PinTokens int     // a longer user turn folds with the work; 0: 2000
	MinGain   float64 // a step that frees less waits until it is forced; 0: 0.1
}

func (s Settings) withDefaults() Settings {
	s.Soft = cmp.Or(s.Soft, 0.5)
	s.Snip = cmp.Or(s.Snip, 0.6)
	s.Prune = cmp.Or(s.Prune, 0.8)
	s.Force = cmp.Or(s.Force, 0.9)
	s.TailTurns = cmp.Or(s.TailTurns, 2)
	s.TailShare = cmp.Or(s.TailShare, 0.2)
	s.PinTokens = cmp.Or(s.PinTokens, 2000)
	s.MinGain = cmp.Or(s.MinGain, 0.1)
	return s
}

// share is so much of the window, in tokens.
func (s Settings) share(of float64) int { return int(of * float64(s.Window)) }

// Level is how full a window is.
type Level int

// The levels, each from its threshold on. Over means that the prompt does not fit.
const (
	Calm Level = iota
	Soft
	Snipping
	Pruning
	Forced
	Over
)

// Level says how full a prompt of so many tokens makes the window; Calm when
// compaction is off.
func (s Settings) Level(tokens int) Level {
	s = s.withDefaults()
	switch {
	case s.Window <= 0:
		return Calm
	case tokens >= s.Window:
		return Over
	case tokens >= s.share(s.Force):
		return Forced
	case tokens >= s.share(s.Prune):
		return Pruning
	case tokens >= s.share(s.Snip):
		return Snipping
	case tokens >= s.share(s.Soft):
		return Soft
	}
	return Calm
}

// Input is a conversation to plan for. History may begin with system messages;
// its ids must be unique.
type Input struct {
	History []message.Message
	Tokens  int // of the next request as it stands, tool schemas included
	// Estimate is the tokens of one message on the endpoint's own scale.
	Estimate func(*message.Message) int
	// Failed reports tool results that are errors though their text does not say
	// so; may be nil.
	Failed func(*message.Message) bool
	// Archive is where originals go, in words for the model; may be empty.
	Archive string
	// Force lets a step through that frees less than MinGain.
	Force bool
	// Goal is the tokens that dropping tries to reach; 0: Settings.Prune.
	Goal int
}

// Edit replaces the messages from First to Last, both included, by With, which
// may be empty. First and Last are ids of the conversation the edit was planned
// for.
type Edit struct {
	First, Last message.ID
	With        []message.Message
}

// Plan is one stage: edits in the order of the conversation, and the tokens they
// free by estimate. A plan without edits does nothing.
type Plan struct {
	Stage Stage
	Edits []Edit
	Frees int
}

// worthwhile is p, or nothing when it frees too little for the prefix it breaks.
func (p Plan) worthwhile(in Input, s Settings) Plan {
	if p.Frees <= 0 || !in.Force && p.Frees < s.share(s.MinGain) {
		return Plan{Stage: p.Stage}
	}
	return p
}

// Lost is the tokens that the endpoint has to read anew, by estimate: everything
// from the first edit on as it stood.
func (p Plan) Lost(in Input) int {
	if len(p.Edits) == 0 {
		return 0
	}
	sum := 0
	for i := len(in.History) - 1; i >= 0; i-- {
		sum += in.Estimate(&in.History[i])
		if in.History[i].ID == p.Edits[0].First {
			break
		}
	}
	return sum
}
