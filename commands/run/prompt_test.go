package run

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
)

// question is one with everything in it.
func question() event.Question {
	return event.Question{
		Kind: event.AskPermission, Tool: "bash", Dir: "/work", Body: "go test ./... && touch x\x1b[2J\u202e", Reason: "to see",
		Why: "the rule Bash(touch:*) (user) asks", Sandbox: "bwrap: writes in the workspace and caches; network on, Unix sockets reachable",
		Parts: []event.Part{
			{Text: "go test ./...", Verdict: "allow", Rule: "Bash(go test:*) (project)"}, {Text: "touch x", Verdict: "ask", Why: "no rule"},
		},
		Options: []event.Option{
			{ID: "allow_once", Label: "Allow once", Kind: event.AllowOnce},
			{ID: "allow_session", Label: "Allow for this session", Kind: event.AllowAlways, Rules: []string{"Bash(touch x)"}},
			{ID: "allow_always_prefix", Label: "Always", Kind: event.AllowAlways, Rules: []string{"Bash(touch:*)"}, Example: "touch y"},
			{ID: "reject_once", Label: "Deny", Kind: event.RejectOnce},
		},
	}
}

func TestTheTerminalShowsAllOfAQuestion(t *testing.T) {
	var out bytes.Buffer
	a := &asker{in: strings.NewReader("s\n"), out: &out}
	if got := a.ask(question()); !cmp.Equal(got.Choice, []string{"allow_session"}) {
		t.Errorf("answered %+v", got)
	}
	want := `
bash  In /work
  | go test ./... && touch x<U+001B>[2J<U+202E>
  Reason: to see
  Asked because: the rule Bash(touch:*) (user) asks
  Held by: bwrap: writes in the workspace and caches; network on, Unix sockets reachable
  Its parts:
    allowed: go test ./...  (Bash(go test:*) (project))
    asked: touch x  (no rule)
  s  Allow for this session
       Bash(touch x)
  A  Always allow commands like it
       Bash(touch:*)
       would also allow: touch y
o once · s session · A like it, always · d deny [why] ? `
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// PM-14: nothing but an offered letter is consent.
func TestPM14OnlyALetterIsConsent(t *testing.T) {
	for typed, want := range map[string]event.Answer{
		"o\n":                  {Choice: []string{"allow_once"}},
		" A \n":                {Choice: []string{"allow_always_prefix"}},
		"d use make instead\n": {Choice: []string{"reject_once"}, Text: "use make instead"},
		"d\n":                  {Choice: []string{"reject_once"}},
		"yes\no\n":             {Choice: []string{"allow_once"}},
		"":                     {Cancelled: true},
		"\n\n\n\n":             {Cancelled: true},
		"yes\ny\nok\no\n":      {Cancelled: true},
		"a\na\na\n":            {Cancelled: true}, // not offered
	} {
		a := &asker{in: strings.NewReader(typed), out: &bytes.Buffer{}}
		if d := cmp.Diff(want, a.ask(question())); d != "" {
			t.Errorf("%q: -want +got\n%s", typed, d)
		}
	}
}

func TestADiffIsColouredOnATerminalOnly(t *testing.T) {
	q := event.Question{Kind: event.AskPermission, Tool: "edit_file", Diffs: []event.Diff{{Unified: "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+two\n"}}}
	for color, want := range map[painter]string{
		false: "  @@ -1 +1 @@\n  -one\n  +two\n",
		true:  "  \x1b[36m@@ -1 +1 @@\x1b[0m\n  \x1b[31m-one\x1b[0m\n  \x1b[32m+two\x1b[0m\n",
	} {
		var out bytes.Buffer
		a := &asker{in: strings.NewReader(""), out: &out, paint: color}
		a.ask(q)
		if !strings.Contains(out.String(), want) {
			t.Errorf("colour %v: %q lacks %q", color, out.String(), want)
		}
	}
}

func TestAQuestionOfTheAgentTakesNumbersOrWords(t *testing.T) {
	q := event.Question{Kind: event.AskQuestion, Title: "Base", Body: "Which?", Options: []event.Option{{ID: "q1:1", Label: "SQLite"}, {ID: "q1:2", Label: "Postgres"}}}
	for typed, want := range map[string]event.Answer{
		"2\n": {Choice: []string{"q1:2"}}, "neither\n": {Text: "neither"}, "1 2\n": {Text: "1 2"}, "\n": {Cancelled: true}, "3\n": {Text: "3"},
	} {
		a := &asker{in: strings.NewReader(typed), out: &bytes.Buffer{}}
		if d := cmp.Diff(want, a.ask(q)); d != "" {
			t.Errorf("%q: -want +got\n%s", typed, d)
		}
	}
	q.Multi = true
	a := &asker{in: strings.NewReader("1, 2\n"), out: &bytes.Buffer{}, lang: "zh-CN"}
	if got := a.ask(q); !cmp.Equal(got.Choice, []string{"q1:1", "q1:2"}) {
		t.Errorf("several: %+v", got)
	}
}
