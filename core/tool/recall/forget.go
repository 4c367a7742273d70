package recall

import (
	"context"
	"encoding/json"
	"strings"

	"reasonix/core/event"
	"reasonix/core/memory"
	"reasonix/core/tool"
)

const forgetSchema = `{"properties":{"id":{"type":"string"},"reason":{"type":"string"}},"required":["id"],"type":"object"}`

// forget archives a fact. The zero value describes; Bind returns the one that
// runs.
type forget struct{ facts *facts }

func (forget) Name() string { return "forget" }

func (forget) Description() string {
	return "Archive a kept fact that no longer holds. The user is asked."
}
func (forget) Schema() json.RawMessage { return json.RawMessage(forgetSchema) }
func (forget) ReadOnly() bool          { return false }

func (forget) Bind(env tool.Env) (tool.Tool, error) {
	f, err := openFacts(env)
	return forget{facts: f}, err
}

type forgetArguments struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// Subject shows what would be archived.
func (t forget) Subject(raw json.RawMessage) tool.Subject {
	var in forgetArguments
	_ = json.Unmarshal(raw, &in) // a call that cannot be decoded is refused later
	s := tool.Subject{Title: "Forget " + oneLine(in.ID, maxShownTitle), Kind: "other", Reason: oneLine(in.Reason, maxShownReason)}
	if t.facts == nil {
		return s
	}
	if f, err := t.find(in.ID); err == nil {
		s.Title = "Forget: " + oneLine(f.Title, maxShownTitle)
	}
	s.Preview = func(context.Context) []event.Diff {
		f, err := t.find(in.ID)
		if err != nil {
			return nil
		}
		t.facts.show(raw, f.Revision)
		return []event.Diff{t.facts.change(f, memory.Fact{})}
	}
	return s
}

const maxShownReason = 200

func (t forget) find(id string) (memory.Fact, error) {
	id, _, _ = strings.Cut(strings.TrimSpace(id), "@")
	return t.facts.store.Get(id)
}

// Execute archives the fact. One that changed since the person was asked is left
// alone.
func (t forget) Execute(ctx context.Context, raw json.RawMessage) (string, error) {
	var in forgetArguments
	if err := t.facts.ready(ctx, raw, forgetSchema, &in); err != nil {
		return "", err
	}
	f, err := t.find(in.ID)
	if err != nil {
		return "", lookup(err)
	}
	if f, err = t.facts.store.Forget(f.ID, t.facts.taken(raw), in.Reason); err != nil {
		return "", err
	}
	call := tool.CallFrom(ctx)
	call.Diffs = append(call.Diffs, t.facts.change(f, memory.Fact{}))
	return "Forgotten: " + f.Ref() + " is in the archive. The user can restore it.", nil
}
