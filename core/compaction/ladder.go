package compaction

// Step is what to do next about a conversation that is too large.
type Step string

// The steps. The last three end a run.
const (
	StepSnip    Step = "snip"    // Snip
	StepPrune   Step = "prune"   // Prune
	StepSummary Step = "summary" // PlanFold, requests of at most Run.Piece tokens
	StepSqueeze Step = "squeeze" // Squeeze
	StepPieces  Step = "pieces"  // the same with smaller requests
	StepDrop    Step = "drop"    // Drop

	Send  Step = "send"  // send the request
	Defer Step = "defer" // tell the user that it did not work, and send the request
	Stop  Step = "stop"  // tell the user that the conversation does not fit
)

// Trigger is why a conversation is compacted.
type Trigger string

// The triggers: a threshold, the user, or an endpoint that refused the prompt as
// too long.
const (
	Automatic Trigger = "automatic"
	Manual    Trigger = "manual"
	Refused   Trigger = "refused"
)

// Result is how a step ended.
type Result int

// The results. Nothing is a plan without edits. The others are a summary's:
// TooLong that its request did not fit, Useless that it was empty or no shorter
// than the work, Failed everything else.
const (
	Done Result = iota
	Nothing
	TooLong
	Useless
	Failed
)

// Run is one way down the ladder: snip, prune, summary and then, only when the
// prompt cannot be sent as it is, squeeze, summary in pieces, drop. Every step is
// taken at most once, a summary in pieces once for each halving of the pieces, so
// that a run ends. The value belongs to one request; Next and Refuse return what
// follows.
type Run struct {
	Trigger Trigger
	Step    Step
	Tokens  int // of the prompt as it stands
	Piece   int // tokens of a piece

	settings Settings
	taken    uint8 // steps, by their place in order
	refusals int
	gaveUp   bool // no summary can be had, or there is nothing left to summarize
}

// order is the steps from gentle to hard.
var order = [...]Step{StepSnip, StepPrune, StepSummary, StepSqueeze, StepPieces, StepDrop}

// Begin starts a run for a prompt of so many tokens. deferred is the tokens at
// which the last run ended with Defer, 0 for none: an automatic run waits until
// half of MinGain was added. Step is Send when nothing has to be done. When
// compaction is off, that is always, but for a refusal, which then is Stop.
func Begin(s Settings, t Trigger, tokens, deferred int) Run {
	s = s.withDefaults()
	r := Run{Trigger: t, Tokens: tokens, settings: s, Piece: s.FirstPiece(), Step: Send}
	switch level := s.Level(tokens); {
	case t == Refused:
		return r.Refuse(tokens)
	case s.Window <= 0:
		return r
	case t == Manual:
		return r.take(StepSummary)
	case level < Over && deferred > 0 && tokens < deferred+s.share(s.MinGain)/2:
		return r
	case level >= Pruning:
		return r.take(StepPrune)
	case level == Snipping:
		return r.take(StepSnip)
	}
	return r
}

// Settings are the run's: after a refusal the window is what the endpoint can
// take at most.
func (r Run) Settings() Settings { return r.settings }

// Force reports whether a step goes ahead that frees little.
func (r Run) Force() bool { return r.Trigger != Automatic || r.refusals > 0 || r.level() >= Forced }

// Goal is the tokens a run wants to get below.
func (r Run) Goal() int {
	if r.refusals > 0 {
		return r.settings.Window >> r.refusals
	}
	return r.settings.share(r.settings.Prune)
}

// Over reports whether the run ended.
func (r Run) Over() bool { return r.Step == Send || r.Step == Defer || r.Step == Stop }

// Refuse says that the endpoint refused the prompt of so many tokens as too long.
// Each refusal of a request takes the run further down; the third ends it at the
// latest.
func (r Run) Refuse(tokens int) Run {
	r.Tokens = tokens
	if r.settings.Window <= 0 {
		return r.end(Stop)
	}
	if tokens > 0 {
		r.settings.Window = min(r.settings.Window, tokens)
	}
	r.refusals++
	r.Piece = max(MinPiece, min(r.Piece, r.settings.FirstPiece()))
	return r.harder(StepPrune)
}

// Abandon ends a run that cannot go on, e.g. because the originals cannot be
// archived.
func (r Run) Abandon() Run {
	if r.fits() {
		return r.end(Defer)
	}
	return r.end(Stop)
}

// Next says what follows a step that left so many tokens.
func (r Run) Next(how Result, tokens int) Run {
	r.Tokens = tokens
	switch r.Step {
	case StepSnip:
		return r.afterSnip()
	case StepPrune:
		return r.afterPrune()
	case StepSummary, StepPieces:
		return r.afterSummary(how)
	case StepSqueeze:
		return r.afterSqueeze()
	case StepDrop:
		return r.afterDrop()
	case Send, Defer, Stop: // ends, no steps
	}
	return r
}

func (r Run) afterSnip() Run {
	if r.level() >= Pruning {
		return r.take(StepPrune)
	}
	return r.end(Send)
}

func (r Run) afterPrune() Run {
	if r.Tokens < r.Goal() {
		return r.end(Send)
	}
	return r.harder(StepSummary)
}

func (r Run) afterSummary(how Result) Run {
	switch {
	case how == Done || how == Nothing:
		if r.crowded() {
			r.gaveUp = true // there is no more to summarize
			return r.harder(StepSqueeze)
		}
		return r.end(Send)
	case how == TooLong && r.Piece/2 >= MinPiece:
		r.Piece /= 2
		return r.take(StepPieces)
	case r.fits():
		return r.end(Defer)
	}
	r.gaveUp = r.Step == StepPieces
	return r.harder(StepSqueeze)
}

func (r Run) afterSqueeze() Run {
	switch {
	case r.Tokens < r.Goal() || r.fits() && !r.crowded():
		return r.end(Send)
	case r.gaveUp:
		return r.harder(StepDrop)
	}
	return r.harder(StepPieces)
}

func (r Run) afterDrop() Run {
	switch {
	case !r.fits():
		return r.end(Stop)
	case r.crowded() && r.refusals == 0:
		return r.end(Defer)
	}
	return r.end(Send)
}

// fits reports whether the prompt can be sent as far as is known.
func (r Run) fits() bool {
	if r.refusals > 0 {
		return r.Tokens < r.settings.Window
	}
	return r.level() < Over
}

// crowded reports whether more has to give although there is nothing to fold.
func (r Run) crowded() bool {
	if r.refusals > 0 {
		return r.Tokens >= r.Goal()
	}
	return r.Trigger != Manual && r.level() >= Forced || !r.fits()
}

func (r Run) level() Level { return r.settings.Level(r.Tokens) }

// harder takes the first step from here on that was not taken.
func (r Run) harder(from Step) Run {
	reached := false
	for i, s := range order {
		reached = reached || s == from
		if !reached || r.taken&(1<<i) != 0 || r.gaveUp && s == StepPieces {
			continue
		}
		return r.take(s)
	}
	if r.fits() && r.refusals == 0 {
		return r.end(Defer)
	}
	return r.end(Stop)
}

func (r Run) take(s Step) Run {
	for i := range order {
		if order[i] == s {
			r.taken |= 1 << i
		}
	}
	r.Step = s
	return r
}

func (r Run) end(s Step) Run {
	r.Step = s
	return r
}
