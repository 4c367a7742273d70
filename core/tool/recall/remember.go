package recall

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"reasonix/core/event"
	"reasonix/core/memory"
	"reasonix/core/tool"
)

const rememberSchema = `{"properties":{"body":{"type":"string"},"description":{"type":"string"},` +
	`"id":{"description":"fact to replace","type":"string"},"keywords":{"items":{"type":"string"},"type":"array"},` +
	`"scope":{"enum":["project","global"],"type":"string"},"title":{"type":"string"},` +
	`"type":{"enum":["user","feedback","project","reference"],"type":"string"}},"required":["title","body"],"type":"object"}`

// remember saves a fact. The zero value describes; Bind returns the one that runs.
type remember struct{ facts *facts }

func (remember) Name() string { return "remember" }

func (remember) Description() string {
	return "Keep a short fact for later sessions, never a secret. The user is asked."
}
func (remember) Schema() json.RawMessage { return json.RawMessage(rememberSchema) }
func (remember) ReadOnly() bool          { return false }

func (remember) Bind(env tool.Env) (tool.Tool, error) {
	f, err := openFacts(env)
	return remember{facts: f}, err
}

type rememberArguments struct {
	ID          string       `json:"id"`
	Title       string       `json:"title"`
	Body        string       `json:"body"`
	Description *string      `json:"description"`
	Type        memory.Type  `json:"type"`
	Scope       memory.Scope `json:"scope"`
	Keywords    *[]string    `json:"keywords"`
}

// draft is what is to be saved. Of a fact that is replaced stays what the call
// leaves out.
func (in rememberArguments) draft(store *memory.Store) (memory.Draft, error) {
	var d memory.Draft
	if id, _, _ := strings.Cut(strings.TrimSpace(in.ID), "@"); id != "" {
		old, err := store.Get(id)
		if err != nil {
			return d, lookup(err)
		}
		d = old.Draft()
	}
	d.Title, d.Body = in.Title, in.Body
	if in.Description != nil {
		d.Description = *in.Description
	}
	if in.Keywords != nil {
		d.Keywords = *in.Keywords
	}
	if in.Type != "" {
		d.Type = in.Type
	}
	if in.Scope != "" {
		d.Scope = in.Scope
	}
	return d, nil
}

// Subject shows what would be kept.
func (t remember) Subject(raw json.RawMessage) tool.Subject {
	var in rememberArguments
	_ = json.Unmarshal(raw, &in) // a call that cannot be decoded is refused later
	s := tool.Subject{Title: "Remember: " + oneLine(in.Title, maxShownTitle), Kind: "other"}
	if in.ID != "" {
		s.Title = "Change memory " + oneLine(in.ID, maxShownTitle) + ": " + oneLine(in.Title, maxShownTitle)
	}
	if t.facts != nil {
		s.Preview = func(ctx context.Context) []event.Diff { return t.preview(ctx, raw) }
	}
	return s
}

// preview is empty for a call that would fail: why is for the model to read.
func (t remember) preview(ctx context.Context, raw json.RawMessage) []event.Diff {
	d, err := t.decode(ctx, raw)
	if err != nil {
		return nil
	}
	c, err := t.facts.store.Try(d)
	if err != nil || !c.Changed() {
		return nil
	}
	t.facts.show(raw, c.Before.Revision)
	return []event.Diff{t.facts.change(c.Before, c.After)}
}

func (t remember) decode(ctx context.Context, raw json.RawMessage) (memory.Draft, error) {
	var in rememberArguments
	if err := t.facts.ready(ctx, raw, rememberSchema, &in); err != nil {
		return memory.Draft{}, err
	}
	return in.draft(t.facts.store)
}

// Execute saves the fact. One that changed since the person was asked is left
// alone.
func (t remember) Execute(ctx context.Context, raw json.RawMessage) (string, error) {
	d, err := t.decode(ctx, raw)
	if err != nil {
		return "", err
	}
	if revision := t.facts.taken(raw); revision != 0 {
		d.Revision = revision
	}
	c, err := t.facts.store.Save(d)
	if err != nil {
		return "", err
	}
	if !c.Changed() {
		return "Kept already as " + c.After.Ref() + ".", nil
	}
	call := tool.CallFrom(ctx)
	call.Diffs = append(call.Diffs, t.facts.change(c.Before, c.After))
	return fmt.Sprintf("Kept as %s (%s).", c.After.Ref(), c.After.Scope), nil
}

// maxShownTitle is how many characters of an argument a title shows.
const maxShownTitle = 80

// oneLine is text on one line, without control characters, with at most most
// characters.
func oneLine(text string, most int) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, ""), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most-1]) + "…"
	}
	return text
}
