package plan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"reasonix/core/event"
	"reasonix/core/tool"
)

// Bounds of one call.
const (
	maxQuestions           = 3
	minOptions, maxOptions = 2, 4
)

const askSchema = `{"properties":{"questions":{"items":{"properties":{` +
	`"header":{"type":"string"},` +
	`"multi_select":{"type":"boolean"},` +
	`"options":{"items":{"properties":{"description":{"type":"string"},"label":{"type":"string"}},"type":"object"},"type":"array"},` +
	`"question":{"type":"string"}},` +
	`"required":["header","question","options"],"type":"object"},"type":"array"}},"required":["questions"],"type":"object"}`

type askArguments struct {
	Questions []question `json:"questions"`
}

type question struct {
	Header      string   `json:"header"`
	Question    string   `json:"question"`
	Options     []option `json:"options"`
	MultiSelect bool     `json:"multi_select"`
}

type option struct {
	Label       string `json:"label"`
	Description string `json:"description"`
}

// assumption is the answer to a question that nobody heard.
const assumption = "[model assumption] no user was asked; state the assumption you make"

// ask puts questions to the user, one after the other. The zero value describes;
// Bind returns the one that runs.
type ask struct {
	bound bool
	put   func(ctx context.Context, q event.Question) (event.Answer, error)
}

func (ask) Name() string { return "ask" }

func (ask) Description() string {
	return "Ask the user 1-3 questions with 2-4 options each."
}

func (ask) Schema() json.RawMessage { return json.RawMessage(askSchema) }
func (ask) ReadOnly() bool          { return false }

func (ask) Bind(env tool.Env) (tool.Tool, error) { return ask{bound: true, put: env.Ask}, nil }

// Subject is the first question's header.
func (t ask) Subject(raw json.RawMessage) tool.Subject {
	var args askArguments
	_ = json.Unmarshal(raw, &args) // a call that cannot be decoded is refused later
	title := "Ask the user"
	if len(args.Questions) > 0 {
		if header := oneLine(args.Questions[0].Header); header != "" {
			title = "Ask: " + header
		}
	}
	return tool.Subject{Title: title, Kind: "think"}
}

// Execute waits for the answers. Where nobody can be asked it returns at once.
func (t ask) Execute(ctx context.Context, raw json.RawMessage) (string, error) {
	if !t.bound {
		return "", tool.ErrUnbound
	}
	var args askArguments
	if err := tool.Decode(raw, json.RawMessage(askSchema), &args); err != nil {
		return "", err
	}
	if err := args.check(); err != nil {
		return "", err
	}
	var text strings.Builder
	for i, q := range args.Questions {
		answer, err := t.one(ctx, i+1, q)
		if err != nil {
			return strings.TrimSuffix(text.String(), "\n"), fmt.Errorf("ask %q: %w", oneLine(q.Header), err)
		}
		fmt.Fprintf(&text, "%s: %s\n%s\n", oneLine(q.Header), oneLine(q.Question), answer)
	}
	return strings.TrimSuffix(text.String(), "\n"), nil
}

// one puts question number n and says in words what was answered.
func (t ask) one(ctx context.Context, n int, q question) (string, error) {
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if t.put == nil {
		return assumption, nil
	}
	put := q.event(n)
	put.Call = tool.CallFrom(ctx).ID
	answer, err := t.put(ctx, put)
	switch {
	case errors.Is(err, tool.ErrNobody):
		return assumption, nil
	case err != nil && ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		return "", err
	}
	return inWords(put, answer), nil
}

func (q question) event(n int) event.Question {
	e := event.Question{Kind: event.AskQuestion, Title: oneLine(q.Header), Body: lines(q.Question), Multi: q.MultiSelect}
	for i, o := range q.Options {
		e.Options = append(e.Options, event.Option{
			ID: fmt.Sprintf("q%d:%d", n, i+1), Label: oneLine(o.Label), Detail: lines(o.Description),
		})
	}
	return e
}

// inWords is an answer by the labels of its options.
func inWords(q event.Question, a event.Answer) string {
	if a.Cancelled {
		return "the user dismissed the question without an answer"
	}
	var parts []string
	for _, id := range a.Choice {
		if i := slices.IndexFunc(q.Options, func(o event.Option) bool { return o.ID == id }); i >= 0 {
			parts = append(parts, "chosen: "+q.Options[i].Label)
		}
	}
	if typed := strings.TrimSpace(a.Text); typed != "" {
		parts = append(parts, "typed: "+typed)
	}
	if len(parts) == 0 {
		return "the user chose none of the options"
	}
	return strings.Join(parts, "\n")
}

// check refuses what the schema cannot say.
func (a askArguments) check() error {
	if n := len(a.Questions); n < 1 || n > maxQuestions {
		return refused("/questions", "1 to 3 questions", fmt.Sprint(n))
	}
	for i, q := range a.Questions {
		at := fmt.Sprintf("/questions/%d", i)
		if n := len(q.Options); n < minOptions || n > maxOptions {
			return refused(at+"/options", "2 to 4 options", fmt.Sprint(n))
		}
		if oneLine(q.Header) == "" || oneLine(q.Question) == "" {
			return refused(at, "a header and a question with text", "an empty one")
		}
		if err := q.checkLabels(at + "/options"); err != nil {
			return err
		}
	}
	return nil
}

func (q question) checkLabels(at string) error {
	seen := map[string]bool{}
	for _, o := range q.Options {
		label := oneLine(o.Label)
		if label == "" || seen[label] {
			return refused(at, "options whose labels differ and are not empty", fmt.Sprintf("%q again or empty", label))
		}
		seen[label] = true
	}
	return nil
}

func refused(pointer, expected, got string) error {
	return &tool.ArgError{
		Pointer: pointer, Expected: expected, Got: got,
		Example: `{"questions":[{"header":"Database","question":"Which one?","options":[{"label":"SQLite"},{"label":"Postgres"}]}]}`,
	}
}
