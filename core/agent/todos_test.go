package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/provider"
	_ "reasonix/core/tool/plan"
)

// plan is a call of todo_write; each word is an item, ! marks the one in progress
// and ~ what is completed.
func plan(words string) []provider.Chunk {
	var items []string
	for word := range strings.FieldsSeq(words) {
		text := strings.TrimLeft(word, "!~")
		status := map[byte]string{'!': "in_progress", '~': "completed"}[word[0]]
		if status == "" {
			status = "pending"
		}
		items = append(items, fmt.Sprintf(`{"content":%q,"status":%q}`, text, status))
	}
	return calls(message.ToolCall{ID: "c", Name: "todo_write", Arguments: `{"todos":[` + strings.Join(items, ",") + `]}`})
}

func lookAt(path string) []provider.Chunk {
	return calls(message.ToolCall{ID: "c", Name: "look", Arguments: fmt.Sprintf(`{"path":%q}`, path)})
}

// rounds plays the script and then, round and round, a pair of calls that were
// made before: no two rounds in a row are the same.
func rounds(script ...[]provider.Chunk) *scripted {
	p := &scripted{replies: append(script, lookAt("a"), lookAt("b"))}
	for range 20 {
		p.replies = append(p.replies, lookAt("a"), lookAt("b"))
	}
	return p
}

// nudges are the requests at which the model was told that nothing is new, from 1.
func (r *rig) nudges() (at []int) {
	said := 0
	for i, body := range r.provider.bodies {
		if n := strings.Count(string(body), "[host] The last 8 rounds"); n > said {
			said, at = n, append(at, i+1)
		}
	}
	return at
}

func wantPause(t *testing.T, r *rig, nudged, rounds int) {
	t.Helper()
	stop := outcome(t, r.Run(t.Context(), r.in))
	at := r.nudges()
	if stop.Reason != agent.ReasonNoProgress || len(r.provider.bodies) != rounds || len(at) != 1 || at[0] != nudged {
		t.Errorf("%+v: nudged at requests %v, paused after %d; want %d and %d", stop, at, len(r.provider.bodies), nudged, rounds)
	}
}

func withPlan(t *testing.T, p *scripted) *rig {
	t.Helper()
	return newRig(t, p, echo("look", true))
}

func TestAnOpenTodoIsNudgedAfter8AndPausedAfter16(t *testing.T) {
	// Round 1 plans, 2 and 3 look at something new, 4 to 19 repeat.
	wantPause(t, withPlan(t, rounds(plan("!one two"))), 3+8+1, 3+16)
}

func TestCompletingATodoRenewsTheLease(t *testing.T) {
	script := [][]provider.Chunk{plan("!one two"), lookAt("a"), lookAt("b"), lookAt("a"), lookAt("b"), plan("~one !two")}
	// The two looks after the completion are repeats as well: 6 + 16 rounds.
	wantPause(t, withPlan(t, rounds(script...)), 6+8+1, 6+16)
}

func TestWithoutAnOpenTodoRepeatsMayGoOn(t *testing.T) {
	for name, script := range map[string][][]provider.Chunk{
		"no list":       nil,
		"all completed": {plan("!one"), plan("~one")},
		"cleared":       {plan("!one"), plan("")},
		"refused":       {plan("!one !two")},
	} {
		p := rounds(script...)
		p.replies = append(p.replies, says("done"))
		r := withPlan(t, p)
		if err := r.Run(t.Context(), r.in); err != nil || len(r.nudges()) > 0 {
			t.Errorf("%s: %v, nudged at %v", name, err, r.nudges())
		}
	}
}

func TestATodoListOfAnEarlierTurnCounts(t *testing.T) {
	r := withPlan(t, rounds())
	r.in.Todos = []event.Todo{{Text: "one", Status: "completed"}, {Text: "two", Status: "pending"}}
	wantPause(t, r, 2+8+1, 2+16)
	// A turn that begins with a list that is done has none to hold it to.
	p := rounds()
	p.replies = append(p.replies, says("done"))
	r = withPlan(t, p)
	r.in.Todos = []event.Todo{{Text: "one", Status: "completed"}}
	if err := r.Run(t.Context(), r.in); err != nil {
		t.Error(err)
	}
}

// A completion that was in the list of before is none of this turn.
func TestWritingAKnownListAgainIsNoProgress(t *testing.T) {
	r := withPlan(t, rounds(plan("~one !two")))
	r.in.Todos = []event.Todo{{Text: "one", Status: "completed"}, {Text: "two", Status: "in_progress"}}
	// A call not made before is progress once; the repeats of it are not.
	for i := range r.provider.replies {
		r.provider.replies[i] = plan("~one !two")
	}
	wantPause(t, r, 1+8+1, 1+16)
}
