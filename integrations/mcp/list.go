package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/integrations/mcp/shape"
)

const (
	maxTools   = 10_000
	maxPages   = 1000
	maxAbout   = 8 << 10 // bytes of a tool's description
	maxDropped = 100     // of a notice
)

// A list is the tools of a server, fit for a model, by raw name.
type list struct {
	Tools   []spec    `json:"tools"`
	Dropped []Dropped `json:"dropped,omitzero"`
}

// A spec is one tool as its server describes it.
type spec struct {
	Raw         string          `json:"raw"`
	About       string          `json:"about,omitzero"`
	Schema      json.RawMessage `json:"schema"`
	ReadOnly    bool            `json:"read_only,omitzero"`
	Idempotent  bool            `json:"idempotent,omitzero"`
	Destructive bool            `json:"destructive,omitzero"` // the server says so; silence is no claim
}

func (t spec) schema(full string) message.ToolSchema {
	return message.ToolSchema{Name: full, Description: t.About, Parameters: t.Schema}
}

func (t spec) same(o spec) bool {
	return t.Raw == o.Raw && t.About == o.About && string(t.Schema) == string(o.Schema)
}

func (l *list) equal(o *list) bool {
	return l != nil && slices.Equal(l.Dropped, o.Dropped) && slices.EqualFunc(l.Tools, o.Tools, func(a, b spec) bool {
		return a.same(b) && a.ReadOnly == b.ReadOnly && a.Idempotent == b.Idempotent && a.Destructive == b.Destructive
	})
}

func (l *list) find(raw string) (spec, bool) {
	if l == nil {
		return spec{}, false
	}
	i, ok := slices.BinarySearchFunc(l.Tools, raw, func(t spec, raw string) int { return strings.Compare(t.Raw, raw) })
	if !ok {
		return spec{}, false
	}
	return l.Tools[i], true
}

// tools reads the server's list, page by page.
func (l *link) tools(ctx context.Context) (*list, error) {
	out := &list{}
	if r := l.session.InitializeResult(); r != nil && r.Capabilities != nil && r.Capabilities.Tools == nil {
		return out, nil
	}
	seen, params := map[string]bool{}, &sdk.ListToolsParams{}
	for page := 0; ; page++ {
		res, err := l.session.ListTools(ctx, params)
		if err != nil {
			return nil, err
		}
		for _, t := range res.Tools {
			if t == nil {
				continue
			}
			if seen[t.Name] {
				out.drop(t.Name, "the server lists it twice")
				continue
			}
			seen[t.Name] = true
			out.add(t)
		}
		if res.NextCursor == "" || res.NextCursor == params.Cursor {
			break
		}
		if page == maxPages || len(seen) > maxTools {
			return nil, fmt.Errorf("it has no end: %d tools on %d pages", len(seen), page)
		}
		params = &sdk.ListToolsParams{Cursor: res.NextCursor}
	}
	slices.SortFunc(out.Tools, func(a, b spec) int { return strings.Compare(a.Raw, b.Raw) })
	return out, nil
}

func (l *list) add(t *sdk.Tool) {
	if fault, ok := t.Meta[faultKey].(string); ok {
		l.drop(t.Name, fault)
		return
	}
	if strings.TrimSpace(t.Name) == "" {
		l.drop("(without a name)", "it has no name")
		return
	}
	schema, err := shape.Schema(t.InputSchema)
	if err != nil {
		l.drop(t.Name, err.Error())
		return
	}
	about := strings.ToValidUTF8(strings.TrimSpace(t.Description), "\uFFFD")
	if about == "" {
		about = t.Title
	}
	if len(about) > maxAbout {
		about = strings.ToValidUTF8(about[:maxAbout], "") + " [...]"
	}
	one := spec{Raw: t.Name, About: about, Schema: schema}
	if a := t.Annotations; a != nil {
		one.ReadOnly, one.Idempotent = a.ReadOnlyHint, a.IdempotentHint
		one.Destructive = a.DestructiveHint != nil && *a.DestructiveHint
	}
	l.Tools = append(l.Tools, one)
}

func (l *list) drop(tool, why string) { l.Dropped = append(l.Dropped, Dropped{Tool: tool, Why: why}) }

// take makes offer the live list and says what is wrong with it, once until a person
// connects it anew; the caller has the lock.
func (s *server) take(offer *list) {
	s.live = offer
	s.name(offer)
	if len(offer.Dropped) == 0 || s.lamented {
		return
	}
	s.lamented = true
	var told []string
	for _, d := range offer.Dropped[:min(len(offer.Dropped), maxDropped)] {
		told = append(told, fmt.Sprintf("%.80s (%.200s)", d.Tool, d.Why))
	}
	list := strings.Join(told, "; ")
	s.set.warn("mcp.dropped", []string{s.cfg.Name, strconv.Itoa(len(offer.Dropped)), list}, fmt.Sprintf(
		"%d of the tools of MCP server %s cannot be used: %s", len(offer.Dropped), s.cfg.Name, list))
}

// name gives the tools of a list their full names; one that has a name keeps it.
// The caller has the lock.
func (s *server) name(l *list) {
	if l == nil {
		return
	}
	known := slices.Collect(maps.Keys(s.names))
	for _, t := range l.Tools {
		if _, ok := s.names[t.Raw]; !ok {
			known = append(known, t.Raw)
		}
	}
	names := shape.Names(s.part, known)
	l.Tools = slices.DeleteFunc(l.Tools, func(t spec) bool {
		if _, ok := s.names[t.Raw]; ok {
			return false
		}
		full := names[t.Raw]
		if other, taken := s.raws[full]; taken {
			l.drop(t.Raw, fmt.Sprintf("until the next session its name is that of %s", other))
			return true
		}
		s.names[t.Raw], s.raws[full] = full, t.Raw
		return false
	})
}

// rereadTools reads the list again, because the server says that it changed.
func (s *server) rereadTools(ctx context.Context, l *link) {
	offer, err := l.tools(ctx)
	if err != nil {
		s.log.note("list tools: %v", err)
		return
	}
	s.update(l, offer)
}

func (s *server) update(l *link, offer *list) {
	s.mu.Lock()
	if s.link != l {
		s.mu.Unlock()
		return
	}
	before := s.live
	s.take(offer)
	if before.equal(offer) { // a server may say that it changed as often as it likes
		s.mu.Unlock()
		return
	}
	s.turn(event.ServerReady, "")
	s.mu.Unlock()
	s.remember()
	s.set.differs(s)
}
