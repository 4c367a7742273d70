package plan_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/tool"
	"reasonix/core/tool/tooltest"
)

// planner is todo_write bound to a session, and what it recorded.
type planner struct {
	t       *testing.T
	tool    tool.Tool
	planned []event.Planned
	broken  error // of the journal
}

func newPlanner(t *testing.T, restored ...event.Todo) *planner {
	env := tooltest.Env(t, t.TempDir())
	env.Todos = restored
	return &planner{t: t, tool: tooltest.Bind(t, builtin(t, "todo_write"), env)}
}

// write sends a list in short: one item a line, indented when it is a sub-step,
// with a mark for its status: "- " pending, "> " in_progress, "x " completed.
func (p *planner) write(short string) (string, error) {
	p.t.Helper()
	type item map[string]any
	items := []item{}
	for line := range strings.Lines(short) {
		text := strings.TrimSpace(line)
		if text == "" {
			continue
		}
		level := 0
		if strings.HasPrefix(line, "  ") {
			level = 1
		}
		status := map[byte]string{'-': "pending", '>': "in_progress", 'x': "completed"}[text[0]]
		items = append(items, item{"content": strings.TrimSpace(text[1:]), "status": status, "level": level})
	}
	call := &tool.Call{ID: "c", Note: func(e event.Payload) error {
		if p.broken != nil {
			return p.broken
		}
		p.planned = append(p.planned, e.(event.Planned))
		return nil
	}}
	return p.tool.Execute(tool.WithCall(p.t.Context(), call), encode(p.t, map[string]any{"todos": items}))
}

func (p *planner) accepted(short, want string) {
	p.t.Helper()
	n := len(p.planned)
	if got, err := p.write(short); err != nil || got != want || len(p.planned) != n+1 {
		p.t.Errorf("%s\n got %q, %v, %d records; want %q", short, got, err, len(p.planned)-n, want)
	}
}

func (p *planner) refused(short string, want ...string) {
	p.t.Helper()
	n := len(p.planned)
	got, err := p.write(short)
	if err == nil || len(p.planned) != n {
		p.t.Errorf("%s\nwas accepted: %q", short, got)
		return
	}
	for _, w := range append(want, "todo list unchanged") {
		if !strings.Contains(err.Error(), w) {
			p.t.Errorf("%s\n got %v\nwant %q in it", short, err, w)
		}
	}
}

func TestATodoListIsReplacedAndSummedUp(t *testing.T) {
	p := newPlanner(t)
	p.accepted("- look\n- act", "0 of 2 completed; next: look")
	p.accepted("x look\n> act\n- check", "1 of 3 completed; in progress: act")
	p.accepted("- act", "0 of 1 completed; next: act")
	p.accepted("x act", "1 of 1 completed")
	p.accepted("", "none")
	last := p.planned[1]
	want := event.Planned{Todos: []event.Todo{{Text: "look", Status: "completed"}, {Text: "act", Status: "in_progress"}, {Text: "check", Status: "pending"}}}
	if diff := cmp.Diff(want, last); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestPhasesAndSubStepsGoInOrder(t *testing.T) {
	p := newPlanner(t)
	p.accepted("- A\n  > a1\n  - a2\n- B\n  - b1", "0 of 5 completed; in progress: a1")
	p.accepted("- A\n  x a1\n  - a2\n- B\n  - b1", "1 of 5 completed; next: a2")
	p.accepted("- A\n  x a1\n  > a2\n- B\n  - b1", "1 of 5 completed; in progress: a2")
	p.refused("x A\n  x a1\n  x a2\n- B\n  - b1", "item 1 (A)", "item 3 (a2)", "make the phase in_progress now")
	p.accepted("- A\n  x a1\n  x a2\n- B\n  - b1", "2 of 5 completed; next: A")
	p.accepted("> A\n  x a1\n  x a2\n- B\n  - b1", "2 of 5 completed; in progress: A")
	p.accepted("x A\n  x a1\n  x a2\n- B\n  > b1", "3 of 5 completed; in progress: b1")
	p.refused("x A\n  x a1\n  x a2\nx B\n  x b1", "item 4 (B)")
	p.accepted("x A\n  x a1\n  x a2\n> B\n  x b1", "4 of 5 completed; in progress: B")
	p.accepted("x A\n  x a1\n  x a2\nx B\n  x b1", "5 of 5 completed")
}

func TestAListThatBreaksARuleIsRefusedWhole(t *testing.T) {
	for short, want := range map[string][]string{
		"> a\n> b":                       {"item 1 (a) and item 2 (b) are both in_progress", "leave one of them pending"},
		"> A\n  > a1":                    {"item 1 (A) and item 2 (a1) are both in_progress"},
		"> A\n  - a1":                    {"item 1 (A) is in_progress before its sub-step item 2 (a1)", "keep the phase pending"},
		"x A\n  x a1\n  - a2":            {"item 1 (A) is completed before its sub-step item 3 (a2)"},
		"- A\n  - a1\n  x a2":            {"item 3 (a2) is completed before item 2 (a1) is completed", "in order"},
		"- A\n  - a1\n  > a2":            {"item 3 (a2) is in_progress before item 2 (a1)"},
		"  - a1\n- A":                    {"item 1 (a1) has level 1 and no phase above it", "make it level 0"},
		"- a\n-":                         {"item 2 has no content"},
		"- " + strings.Repeat("x", 1001): {"content of 1001 bytes", "item 1 (" + strings.Repeat("x", 59) + "…)"},
		strings.Repeat("- a\n", 101):     {"101 items are too many"},
		"- A\n  > a1\n- B\n  > b1":       {"both in_progress"},
		"- A\n- B\n> C\n  x c1\n  - c2":  {"item 3 (C) is in_progress before its sub-step item 5 (c2)"},
	} {
		p := newPlanner(t)
		p.accepted("> before", "0 of 1 completed; in progress: before")
		p.refused(short, want...)
	}
}

func TestFlatListsMayBeWorkedInAnyOrder(t *testing.T) {
	p := newPlanner(t)
	p.accepted("- a\nx b\n> c", "1 of 3 completed; in progress: c")
	p.accepted("x a\nx b\nx c", "3 of 3 completed")
	p.accepted("x a\n- again", "1 of 2 completed; next: again")
}

func TestAResumedSessionGoesOnWithItsList(t *testing.T) {
	p := newPlanner(t, event.Todo{Text: "A", Status: "pending"}, event.Todo{Text: "a1", Status: "in_progress", Level: 1})
	p.refused("x A\n  x a1", "same call as its sub-step item 2 (a1)")
	p.accepted("> A\n  x a1", "1 of 2 completed; in progress: A")
	p.accepted("x A\n  x a1", "2 of 2 completed")
}

func TestPhasesAreComparedWithTheirOwnSelvesBefore(t *testing.T) {
	for _, c := range []struct{ name, before, after, refused string }{
		{"second of a text is done, first open", "- A\n  - a1\n- A\n  x a2", "- A\n  - a1\nx A\n  x a2", ""},
		{"first of a text is done, second open", "- A\n  x a1\n- A\n  - a2", "x A\n  x a1\n- A\n  - a2", ""},
		{"second of a text was open", "> A\n  x a1\n- A\n  - a2", "x A\n  x a1\nx A\n  x a2", "item 3 (A) is completed in the same call as its sub-step item 4 (a2)"},
		{"renamed", "- A\n  - a1", "x B\n  x a1", "item 1 (B) is completed in the same call as its sub-step item 2 (a1)"},
		{"renamed, one of two was open", "- A\n  x a1\n  - a2", "x B\n  x a1\n  x a2", "sub-step item 3 (a2)"},
		{"renamed when it was done", "- A\n  x a1", "x B\n  x a1", ""},
		{"one more of a text, with a step of the old one", "- A\n  x a1\n- B\n  - b1", "x A\n  x a1\nx A\n  x b1", "item 3 (A)"},
		{"new phase, step of the same text elsewhere", "- A\n  - test", "- A\n  - test\nx B\n  x test", ""},
		{"new phase, other steps", "- A\n  - a1", "x B\n  x b1", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlanner(t)
			if _, err := p.write(c.before); err != nil {
				t.Fatal(err)
			}
			if c.refused != "" {
				p.refused(c.after, c.refused)
			} else if _, err := p.write(c.after); err != nil {
				t.Error(err)
			}
		})
	}
}

// A new session has no list before, and a new list is none of the one before.
func TestASignedOffPhaseIsAcceptedWithoutTheListBefore(t *testing.T) {
	newPlanner(t).accepted("x A\n  x a1\n- B", "2 of 3 completed; next: B")
	p := newPlanner(t)
	p.accepted("- other\n  - o1", "0 of 2 completed; next: o1")
	p.accepted("x A\n  x a1\n- B", "2 of 3 completed; next: B")
}

func TestAListThatIsNotRecordedIsNotKept(t *testing.T) {
	p := newPlanner(t)
	p.accepted("- A\n  > a1", "0 of 2 completed; in progress: a1")
	p.broken = errors.New("disk full")
	if _, err := p.write("> A\n  x a1"); !errors.Is(err, p.broken) {
		t.Fatalf("got %v", err)
	}
	p.broken = nil
	p.refused("x A\n  x a1", "same call as its sub-step")
}

func TestContentIsOneLineOfText(t *testing.T) {
	p := newPlanner(t)
	raw := encode(t, map[string]any{"todos": []map[string]any{{"content": "look\n at \x1b[31mit\x00", "status": "IN_PROGRESS", "level": "0"}}})
	got, err := p.tool.Execute(t.Context(), raw)
	if err != nil || got != "0 of 1 completed; in progress: look at [31mit" {
		t.Errorf("got %q, %v", got, err)
	}
	if s := p.tool.(tool.Subjecter).Subject(encode(t, map[string]any{"todos": []map[string]any{{"content": "look", "status": "in_progress"}}})); s.Title != "Todos: 0 of 1 completed; in progress: look" {
		t.Errorf("got %+v", s)
	}
}
