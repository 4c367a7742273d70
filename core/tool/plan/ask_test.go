package plan_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/tool"
	"reasonix/core/tool/tooltest"
)

const three = `{"questions":[
	{"header":"Database","question":"Which one\nshall it be?","options":[{"label":"SQLite","description":"one file"},{"label":"Postgres"}]},
	{"header":"Targets","question":"Which?","options":[{"label":"linux"},{"label":"darwin"},{"label":"windows"}],"multi_select":true},
	{"header":"Name","question":"What name?","options":[{"label":"a"},{"label":"b"}]}]}`

type asker func(ctx context.Context, q event.Question) (event.Answer, error)

// run asks three questions of a.
func (a asker) run(t *testing.T, ctx context.Context) (string, error) {
	t.Helper()
	env := tooltest.Env(t, t.TempDir())
	env.Ask = a
	bound := tooltest.Bind(t, builtin(t, "ask"), env)
	return bound.Execute(tool.WithCall(ctx, &tool.Call{ID: "call-7"}), []byte(three))
}

func TestAnswersAreToldByTheirLabels(t *testing.T) {
	var asked []event.Question
	answers := []event.Answer{{Choice: []string{"q1:2"}}, {Choice: []string{"q2:1", "q2:3"}, Text: "  and plan9\n"}, {Text: "zoe"}}
	got, err := asker(func(_ context.Context, q event.Question) (event.Answer, error) {
		asked = append(asked, q)
		return answers[len(asked)-1], nil
	}).run(t, t.Context())
	want := `Database: Which one shall it be?
chosen: Postgres
Targets: Which?
chosen: linux
chosen: windows
typed: and plan9
Name: What name?
typed: zoe`
	if err != nil || got != want {
		t.Errorf("got %q, %v\nwant %q", got, err, want)
	}
	first := event.Question{
		Kind: event.AskQuestion, Call: "call-7", Title: "Database", Body: "Which one\nshall it be?",
		Options: []event.Option{{ID: "q1:1", Label: "SQLite", Detail: "one file"}, {ID: "q1:2", Label: "Postgres"}},
	}
	if diff := cmp.Diff(first, asked[0]); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if !asked[1].Multi || asked[2].Multi || asked[1].Options[2].ID != "q2:3" {
		t.Errorf("asked %+v", asked[1:])
	}
}

func TestADismissedQuestionIsSaidSo(t *testing.T) {
	n := 0
	got, err := asker(func(context.Context, event.Question) (event.Answer, error) {
		n++
		return event.Answer{Cancelled: n == 1, Choice: []string{"q1:1"}}, nil
	}).run(t, t.Context())
	want := "Database: Which one shall it be?\nthe user dismissed the question without an answer\n" +
		"Targets: Which?\nthe user chose none of the options\nName: What name?\nthe user chose none of the options"
	if err != nil || got != want {
		t.Errorf("got %q, %v\nwant %q", got, err, want)
	}
}

// Nothing is chosen in the user's name when nobody can be asked.
func TestWithNobodyToAskTheModelMustAssume(t *testing.T) {
	nobody := asker(func(context.Context, event.Question) (event.Answer, error) { return event.Answer{}, tool.ErrNobody })
	for name, a := range map[string]asker{"nobody": nobody, "no way to ask": nil} {
		got, err := a.run(t, t.Context())
		if err != nil || strings.Count(got, "[model assumption] no user was asked; state the assumption you make") != 3 ||
			strings.Contains(got, "chosen") || strings.Contains(got, "SQLite") {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

func TestStoppingEndsAQuestion(t *testing.T) {
	stop := errors.New("stopped by the user")
	ctx, cancel := context.WithCancelCause(t.Context())
	n := 0
	got, err := asker(func(ctx context.Context, _ event.Question) (event.Answer, error) {
		if n++; n == 1 {
			return event.Answer{Choice: []string{"q1:1"}}, nil
		}
		cancel(stop)
		<-ctx.Done()
		return event.Answer{Cancelled: true}, ctx.Err()
	}).run(t, ctx)
	if !errors.Is(err, stop) || got != "Database: Which one shall it be?\nchosen: SQLite" || n != 2 {
		t.Errorf("got %q, %v after %d questions", got, err, n)
	}
	broken := errors.New("disk full")
	if _, err := asker(func(context.Context, event.Question) (event.Answer, error) { return event.Answer{}, broken }).run(t, t.Context()); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestQuestionsThatCannotBeAskedAreRefused(t *testing.T) {
	options := func(labels ...string) []map[string]any {
		var all []map[string]any
		for _, l := range labels {
			all = append(all, map[string]any{"label": l})
		}
		return all
	}
	ask := func(header, text string, labels ...string) map[string]any {
		return map[string]any{"header": header, "question": text, "options": options(labels...)}
	}
	good := ask("h", "q", "a", "b")
	for name, c := range map[string]struct {
		questions []any
		pointer   string
	}{
		"none":         {[]any{}, "/questions"},
		"four":         {[]any{good, good, good, good}, "/questions"},
		"one option":   {[]any{good, ask("h", "q", "a")}, "/questions/1/options"},
		"five options": {[]any{ask("h", "q", "a", "b", "c", "d", "e")}, "/questions/0/options"},
		"no header":    {[]any{ask(" ", "q", "a", "b")}, "/questions/0"},
		"no question":  {[]any{ask("h", "\x00", "a", "b")}, "/questions/0"},
		"same label":   {[]any{ask("h", "q", "a", "a ")}, "/questions/0/options"},
		"empty label":  {[]any{ask("h", "q", "a", "")}, "/questions/0/options"},
	} {
		env := tooltest.Env(t, t.TempDir())
		env.Ask = func(context.Context, event.Question) (event.Answer, error) {
			t.Errorf("%s: was asked", name)
			return event.Answer{}, nil
		}
		_, err := tooltest.Bind(t, builtin(t, "ask"), env).Execute(t.Context(), encode(t, map[string]any{"questions": c.questions}))
		var arg *tool.ArgError
		if !errors.As(err, &arg) || arg.Pointer != c.pointer {
			t.Errorf("%s: got %v, want a refusal at %s", name, err, c.pointer)
		}
	}
}
