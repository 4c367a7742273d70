package recall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"reasonix/core/memory"
	"reasonix/core/tool"
)

const memorySchema = `{"properties":{"id":{"type":"string"},"op":{"enum":["search","list","read"],"type":"string"},` +
	`"query":{"type":"string"}},"required":["op"],"type":"object"}`

// readMemory looks facts up. The zero value describes; Bind returns the one that
// runs.
type readMemory struct{ facts *facts }

func (readMemory) Name() string            { return "memory" }
func (readMemory) Description() string     { return "Look up facts kept from earlier sessions." }
func (readMemory) Schema() json.RawMessage { return json.RawMessage(memorySchema) }
func (readMemory) ReadOnly() bool          { return true }

func (readMemory) Bind(env tool.Env) (tool.Tool, error) {
	f, err := openFacts(env)
	return readMemory{facts: f}, err
}

type memoryArguments struct {
	Op    string `json:"op"`
	Query string `json:"query"`
	ID    string `json:"id"`
}

func (readMemory) Subject(raw json.RawMessage) tool.Subject {
	var in memoryArguments
	_ = json.Unmarshal(raw, &in) // a call that cannot be decoded is refused later
	title := "Memory"
	switch in.Op {
	case "search":
		title += ": " + oneLine(in.Query, maxShownTitle)
	case "read":
		title += ": read " + oneLine(in.ID, maxShownTitle)
	case "list":
		title += ": list"
	}
	return tool.Subject{Title: title, Kind: "search"}
}

// Execute answers with lines of "id@revision [scope type] title: description", or
// with one fact.
func (t readMemory) Execute(ctx context.Context, raw json.RawMessage) (string, error) {
	var in memoryArguments
	if err := t.facts.ready(ctx, raw, memorySchema, &in); err != nil {
		return "", err
	}
	switch {
	case in.Op == "list":
		return t.list()
	case in.Op == "read" && in.ID != "":
		return t.read(in.ID)
	case in.Op == "search" && strings.TrimSpace(in.Query) != "":
		return t.search(in.Query)
	case in.Op == "read":
		return "", &tool.ArgError{Pointer: "/id", Expected: "the id of a fact", Got: "none", Example: `{"op":"read","id":"mem-1a2b3c4d5e6f"}`}
	}
	return "", &tool.ArgError{Pointer: "/query", Expected: "words to search for", Got: "none", Example: `{"op":"search","query":"deploy staging"}`}
}

func (t readMemory) list() (string, error) {
	found, err := t.facts.store.List(memory.Filter{})
	if err != nil {
		return "", err
	}
	if len(found.Facts) == 0 {
		return "No facts are kept.", nil
	}
	var b strings.Builder
	for i, f := range found.Facts {
		next := line(f)
		if b.Len()+len(next) > t.facts.cap-len("... and 10000 more: search") {
			fmt.Fprintf(&b, "... and %d more: search", len(found.Facts)-i)
			break
		}
		b.WriteString(next)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

func (t readMemory) search(query string) (string, error) {
	r, err := t.facts.store.Search(query, memory.Filter{}, 0)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, h := range r.Hits {
		b.WriteString(line(h.Fact))
	}
	return strings.TrimSuffix(b.String()+r.Advice, "\n"), nil
}

func (t readMemory) read(id string) (string, error) {
	// The model copies ids from recalled text, where they are id@revision.
	id, _, _ = strings.Cut(strings.TrimSpace(id), "@")
	f, err := t.facts.store.Get(id)
	if err != nil {
		return "", lookup(err)
	}
	edited := ""
	if f.Edited {
		edited = ", edited by hand"
	}
	text := fmt.Sprintf("id: %s\nchanged: %s%s\n%s", f.Ref(), f.Updated.Format(time.DateOnly), edited, plain(f))
	return strings.TrimSuffix(cut(text, t.facts.cap), "\n"), nil
}

// cut is text with at most most bytes.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const note = "\n... (cut)"
	return strings.ToValidUTF8(text[:max(0, most-len(note))], "") + note
}

// lookup says what to do about an id that leads nowhere.
func lookup(err error) error {
	switch {
	case errors.Is(err, memory.ErrForgotten):
		return fmt.Errorf("%w (only the user can)", err)
	case errors.Is(err, memory.ErrUnknown):
		return fmt.Errorf("%w; list or search gives the ids", err)
	}
	return err
}
