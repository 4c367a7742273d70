package compaction_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reasonix/core/compaction"
	"reasonix/core/message"
)

// endpoint is a model server as the ladder sees it.
type endpoint struct {
	takes     int                      // tokens of a prompt it takes; 0: any
	summarize func(text string) string // nil: a short answer; "" is an empty one
	down      int                      // requests for a summary that fail
	asked     int                      // requests for a summary
	read      int                      // tokens of them
}

// session is a conversation with what the agent keeps beside it.
type session struct {
	talk
	overhead int // tokens of tool schemas
	settings compaction.Settings
	endpoint *endpoint
	archive  []message.Message
	deferred int
	digests  int
	steps    []compaction.Step
	lost     int // tokens of the prefix, in all
}

func (s *session) tokens() int { return s.overhead + total(s.ms) }

// compact goes down the ladder and returns the step it ended with.
func (s *session) compact(t compaction.Trigger) compaction.Run {
	return s.follow(compaction.Begin(s.settings, t, s.tokens(), s.deferred))
}

func (s *session) follow(r compaction.Run) compaction.Run {
	before := s.ms
	for n := 0; !r.Over(); n++ {
		s.steps = append(s.steps, r.Step)
		if n > 40 {
			panic(fmt.Sprintf("no end: %v", s.steps))
		}
		in := s.input()
		in.Tokens, in.Force, in.Goal = s.tokens(), r.Force(), r.Goal()
		how, p := compaction.Done, compaction.Plan{}
		switch r.Step {
		case compaction.StepSnip:
			p = compaction.Snip(in, r.Settings())
		case compaction.StepPrune:
			p = compaction.Prune(in, r.Settings())
		case compaction.StepSqueeze:
			p = compaction.Squeeze(in, r.Settings())
		case compaction.StepDrop:
			p = compaction.Drop(in, r.Settings())
		default:
			how, p = s.summary(in, r, before)
		}
		if len(p.Edits) == 0 && how == compaction.Done {
			how = compaction.Nothing
		}
		gone, err := compaction.Originals(s.ms, p.Edits)
		if err != nil {
			panic(err)
		}
		was := s.tokens()
		s.lost += p.Lost(in)
		s.archive = append(s.archive, gone...)
		if s.ms, err = compaction.Apply(s.ms, p.Edits); err != nil {
			panic(err)
		}
		if len(p.Edits) > 0 && s.tokens() >= was {
			panic(fmt.Sprintf("%s did not make it smaller: %d -> %d", r.Step, was, s.tokens()))
		}
		r = r.Next(how, s.tokens())
	}
	if s.deferred = 0; r.Step == compaction.Defer {
		s.deferred = s.tokens()
	}
	s.steps = append(s.steps, r.Step)
	return r
}

func (s *session) summary(in compaction.Input, r compaction.Run, before []message.Message) (compaction.Result, compaction.Plan) {
	f := compaction.PlanFold(in, r.Settings())
	if f.Empty() {
		return compaction.Nothing, compaction.Plan{}
	}
	f.WithOriginals(before)
	asked := f.Requests("", r.Piece)
	var parts []string
	for _, ms := range asked {
		s.endpoint.asked++
		s.endpoint.read += total(ms)
		if s.endpoint.takes > 0 && total(ms) > s.endpoint.takes {
			return compaction.TooLong, compaction.Plan{}
		}
		if s.endpoint.down > 0 {
			s.endpoint.down--
			return compaction.Failed, compaction.Plan{}
		}
		text := short
		if s.endpoint.summarize != nil {
			text = s.endpoint.summarize(ms[1].Content)
		}
		parts = append(parts, text)
	}
	text := compaction.Join(parts)
	if f.Check(text) != nil {
		return compaction.Useless, compaction.Plan{}
	}
	s.digests++
	return compaction.Done, f.Edits(text, message.ID(fmt.Sprintf("d%d", s.digests)))
}

// send asks the endpoint as the agent does: a refusal takes the run further down.
func (s *session) send(t compaction.Trigger) compaction.Step {
	r := s.compact(t)
	for r.Step != compaction.Stop && s.endpoint.takes > 0 && s.tokens() > s.endpoint.takes {
		if r.Trigger != compaction.Refused {
			r = compaction.Begin(s.settings, compaction.Refused, s.tokens(), 0)
		} else {
			r = r.Refuse(s.tokens())
		}
		r = s.follow(r)
	}
	return r.Step
}

func newSession(window int) *session {
	return &session{talk: *newTalk(), settings: compaction.Settings{Window: window}, endpoint: &endpoint{}}
}

func TestLadder(t *testing.T) {
	const w = 10_000
	type move struct {
		how    compaction.Result
		tokens int
	}
	cases := []struct {
		name     string
		trigger  compaction.Trigger
		tokens   int
		deferred int
		moves    []move
		want     string
	}{
		{"calm", compaction.Automatic, 5999, 0, nil, "send"},
		{"snip", compaction.Automatic, 6000, 0, []move{{0, 4000}}, "snip send"},
		{"nothing to snip", compaction.Automatic, 7000, 0, []move{{compaction.Nothing, 7000}}, "snip send"},
		{"prune suffices", compaction.Automatic, 8000, 0, []move{{0, 7000}}, "prune send"},
		{"prune, then fold", compaction.Automatic, 8500, 0, []move{{0, 8100}, {0, 3000}}, "prune summary send"},
		{"fold skipped below force", compaction.Automatic, 8500, 0, []move{{compaction.Nothing, 8500}, {compaction.Nothing, 8500}}, "prune summary send"},
		{"nothing left to fold", compaction.Automatic, 9500, 0, []move{{compaction.Nothing, 9500}, {compaction.Nothing, 9500}, {0, 9200}, {0, 8000}}, "prune summary squeeze drop send"},
		{"still crowded", compaction.Automatic, 9500, 0, []move{{1, 9500}, {1, 9500}, {1, 9500}, {1, 9500}}, "prune summary squeeze drop defer"},
		{"never fits", compaction.Automatic, 12_000, 0, []move{{0, 11_000}, {1, 11_000}, {1, 11_000}, {1, 11_000}}, "prune summary squeeze drop stop"},
		{"failed, told, later", compaction.Automatic, 8500, 0, []move{{1, 8500}, {compaction.Failed, 8500}}, "prune summary defer"},
		{"after a deferral", compaction.Automatic, 8600, 8500, nil, "send"},
		{"after a deferral, grown", compaction.Automatic, 9000, 8500, []move{{0, 7000}}, "prune send"},
		{"after a deferral, over", compaction.Automatic, 10_000, 9900, []move{{0, 7000}}, "prune send"},
		{"useless, does not fit", compaction.Automatic, 12_000, 0, []move{{1, 12_000}, {compaction.Useless, 12_000}, {0, 10_500}, {0, 4000}}, "prune summary squeeze pieces send"},
		{"failed, does not fit", compaction.Automatic, 12_000, 0, []move{{1, 12_000}, {compaction.Failed, 12_000}, {0, 10_500}, {compaction.Failed, 10_500}, {0, 4000}}, "prune summary squeeze pieces drop send"},
		{"squeezing suffices", compaction.Automatic, 12_000, 0, []move{{1, 12_000}, {compaction.Failed, 12_000}, {0, 8500}}, "prune summary squeeze send"},
		{"request too long", compaction.Automatic, 8500, 0, []move{{1, 8500}, {compaction.TooLong, 8500}, {compaction.TooLong, 8500}, {0, 3000}}, "prune summary pieces pieces send"},
		{"request always too long", compaction.Automatic, 8500, 0, []move{{1, 8500}, {2, 8500}, {2, 8500}, {2, 8500}, {2, 8500}}, "prune summary pieces pieces pieces defer"},
		{"by hand", compaction.Manual, 3000, 0, []move{{0, 1000}}, "summary send"},
		{"by hand, nothing", compaction.Manual, 3000, 0, []move{{1, 3000}}, "summary send"},
		{"by hand, failed", compaction.Manual, 3000, 0, []move{{compaction.Failed, 3000}}, "summary defer"},
		{"refused", compaction.Refused, 6000, 0, []move{{0, 2900}}, "prune send"},
		{"refused, fold", compaction.Refused, 6000, 0, []move{{0, 4000}, {0, 2000}}, "prune summary send"},
		{"refused, down", compaction.Refused, 6000, 0, []move{{1, 6000}, {compaction.Failed, 6000}, {0, 4000}, {compaction.Failed, 4000}}, "prune summary squeeze pieces defer"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := compaction.Begin(compaction.Settings{Window: w}, c.trigger, c.tokens, c.deferred)
			steps := []string{string(r.Step)}
			for _, m := range c.moves {
				r = r.Next(m.how, m.tokens)
				steps = append(steps, string(r.Step))
			}
			if d := cmp.Diff(c.want, strings.Join(steps, " ")); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestWindowZeroDisables(t *testing.T) {
	for trigger, want := range map[compaction.Trigger]compaction.Step{compaction.Automatic: compaction.Send, compaction.Manual: compaction.Send, compaction.Refused: compaction.Stop} {
		if r := compaction.Begin(compaction.Settings{}, trigger, 1<<30, 0); r.Step != want {
			t.Errorf("%s: got %s, want %s", trigger, r.Step, want)
		}
	}
}

func TestAbandonedRuns(t *testing.T) {
	for tokens, want := range map[int]compaction.Step{8500: compaction.Defer, 10_000: compaction.Stop} {
		if r := compaction.Begin(small, compaction.Automatic, tokens, 0).Abandon(); r.Step != want {
			t.Errorf("%d tokens: got %s, want %s", tokens, r.Step, want)
		}
	}
	if r := compaction.Begin(small, compaction.Refused, 5000, 0).Abandon(); r.Step != compaction.Stop {
		t.Errorf("refused: got %s", r.Step)
	}
}

// Whatever happens, a run ends: no step comes twice but for pieces, and those
// only smaller.
func TestEveryRunEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := compaction.Settings{Window: rapid.IntRange(1, 2_000_000).Draw(t, "window")}
		tokens := rapid.IntRange(0, 2*s.Window).Draw(t, "tokens")
		trigger := rapid.SampledFrom([]compaction.Trigger{compaction.Automatic, compaction.Manual, compaction.Refused}).Draw(t, "trigger")
		r := compaction.Begin(s, trigger, tokens, 0)
		taken := map[string]bool{}
		for refusals := 0; ; refusals++ {
			for !r.Over() {
				key := string(r.Step)
				if r.Step == compaction.StepPieces {
					key += fmt.Sprint(r.Piece)
				}
				if taken[key] {
					t.Fatalf("%s comes again", key)
				}
				taken[key] = true
				how := compaction.Result(rapid.IntRange(0, int(compaction.Failed)).Draw(t, "how"))
				tokens = rapid.IntRange(0, tokens).Draw(t, "after")
				r = r.Next(how, tokens)
			}
			if r.Step == compaction.Stop {
				return
			}
			if refusals > len(taken)+6 {
				t.Fatal("refusals do not end it")
			}
			r = r.Refuse(tokens)
		}
	})
}

// Random conversations, endpoints and summarizers: always usable in the end,
// pairs in place, the user's words there, and everything that went is archived.
func TestAnyConversationGetsOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSession(rapid.IntRange(2000, 60_000).Draw(t, "window"))
		s.overhead = rapid.IntRange(0, s.settings.Window/4).Draw(t, "tools")
		if rapid.Bool().Draw(t, "smaller endpoint") {
			s.endpoint.takes = rapid.IntRange(1000, s.settings.Window).Draw(t, "takes")
		}
		s.endpoint.down = rapid.IntRange(0, 4).Draw(t, "down")
		switch rapid.IntRange(0, 3).Draw(t, "summaries") {
		case 0:
			s.endpoint.summarize = func(string) string { return "" }
		case 1:
			s.endpoint.summarize = func(text string) string { return text }
		}
		said := append([]message.Message(nil), s.ms...)
		result := rapid.Custom(func(t *rapid.T) string {
			begin := rapid.SampledFrom([]string{"", "", "", "error: ", "denied: "}).Draw(t, "begin")
			return begin + lines(rapid.IntRange(0, 12_000).Draw(t, "bytes"))
		})
		for range rapid.IntRange(1, 12).Draw(t, "turns") {
			s.user(lines(rapid.SampledFrom([]int{30, 200, 400, 12_000}).Draw(t, "user")))
			said = append(said, s.ms[len(s.ms)-1])
			for range rapid.IntRange(0, 4).Draw(t, "rounds") {
				s.work(rapid.SliceOfN(result, 1, 4).Draw(t, "results")...)
				if step := s.send(compaction.Automatic); step == compaction.Stop && left(s) {
					t.Fatalf("gave up with work to drop: %v", s.steps)
				}
			}
			s.says("done")
		}
		if w := wrong(still(said, s.ms), s.ms); w != "" {
			t.Fatalf("%s\n%v", w, s.steps)
		}
		if id := s.unaccounted(); id != "" {
			t.Fatalf("%s is neither in the conversation nor in the archive", id)
		}
	})
}

// still is what the user said less the oldest of it, where a note says that it went.
func still(said, ms []message.Message) []message.Message {
	ids, told := map[message.ID]bool{}, false
	for _, m := range ms {
		ids[m.ID] = true
		told = told || strings.Contains(m.Content, "went the user's oldest messages")
	}
	rest := said[1:] // behind the system message
	for told && len(rest) > 0 && !ids[rest[0].ID] {
		rest = rest[1:]
	}
	return append([]message.Message{said[0]}, rest...)
}

// left reports whether something before the tail could still go that is not the user's
// own words, which go in the order of the refusals and not all at once.
func left(s *session) bool {
	in := s.input()
	in.Tokens, in.Goal = s.tokens(), 1
	p := compaction.Drop(in, s.settings)
	gone, err := compaction.Originals(s.ms, p.Edits)
	if err != nil {
		panic(err)
	}
	frees := p.Frees
	for i := range gone {
		if m := &gone[i]; m.Role == message.User && !strings.HasPrefix(m.Content, "[") {
			frees -= in.Estimate(m)
		}
	}
	return len(p.Edits) > 0 && s.tokens()-frees < s.endpoint.takes && s.endpoint.takes > 0
}

// A conversation of nothing but the user's words gets out too: the oldest go when
// nothing else is left to go, and the note says so.
func TestWordsAloneDoNotEndASession(t *testing.T) {
	s := newSession(32_000)
	for i := range 200 {
		s.user(lines(1000))
		s.says("ok")
		if step := s.send(compaction.Automatic); step == compaction.Stop {
			t.Fatalf("turn %d: %v", i, s.steps)
		}
	}
	first, note := false, false
	for _, m := range s.ms {
		first = first || m.ID == "u0"
		note = note || strings.Contains(m.Content, "went the user's oldest messages")
	}
	if first || !note {
		t.Errorf("the oldest are there: %v; the note says so: %v", first, note)
	}
	if id := s.unaccounted(); id != "" {
		t.Errorf("%s is neither in the conversation nor in the archive", id)
	}
}

// unaccounted is the id of a message that was said and is nowhere.
func (s *session) unaccounted() message.ID {
	kept := map[message.ID]bool{}
	for _, ms := range [][]message.Message{s.ms, s.archive} {
		for i := range ms {
			kept[ms[i].ID] = true
		}
	}
	for i := range s.said {
		if id := message.ID(fmt.Sprintf("m%d", i)); !kept[id] {
			return id
		}
	}
	return ""
}
