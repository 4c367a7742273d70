package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"reasonix/core/retrieval"
	"reasonix/core/tool"
)

// SearchName is the name of the tool that finds the others.
const SearchName = "tool_search"

const (
	maxNames    = 12 << 10 // bytes of names in its description
	maxFound    = 20
	fewFound    = 5
	maxFoundLen = 24 << 10 // bytes of an answer
)

// A search is the tool_search of a session. What it says of itself stays as it is;
// what it finds is what the servers offer now.
type search struct {
	set   *Set
	about string
}

const searchAbout = "Finds tools of MCP servers that are not listed here with their arguments. Returns name, description and " +
	"argument schema of those that fit the query best; call one by the name it has there (mcp__server__tool) as any other tool. " +
	"To see the schema of a tool whose name you know, give the name as the query."

func newSearch(set *Set, tools []remote) *search {
	var b strings.Builder
	b.WriteString(searchAbout)
	groups := byServer(tools)
	room := maxNames / max(1, len(groups))
	for _, group := range groups {
		head := strings.TrimSuffix(group[0].full, strings.TrimPrefix(group[0].full, "mcp__"+group[0].server.part+"__"))
		fmt.Fprintf(&b, "\n%s*:", head)
		used := 0
		for i, r := range group {
			name := strings.TrimPrefix(r.full, head)
			if used += len(name) + 1; used > room {
				fmt.Fprintf(&b, " and %d more", len(group)-i)
				break
			}
			b.WriteString(" " + name)
		}
	}
	return &search{set: set, about: b.String()}
}

// Name implements tool.Tool.
func (search) Name() string { return SearchName }

// Description implements tool.Tool.
func (s search) Description() string { return s.about }

// ReadOnly implements tool.Tool.
func (search) ReadOnly() bool { return true }

// Subject implements tool.Subjecter.
func (search) Subject(args json.RawMessage) tool.Subject {
	var a searchArgs
	_ = json.Unmarshal(args, &a)
	return tool.Subject{Title: "tools for: " + a.Query, Kind: "search"}
}

type searchArgs struct {
	Query string `json:"query"`
	Limit int    `json:"limit"`
}

// Schema implements tool.Tool.
func (search) Schema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{` +
		`"query":{"type":"string","description":"What the tool should do, in a few words, or its name."},` +
		`"limit":{"type":"integer","description":"The most tools to return; 5 when left out, at most 20."}},` +
		`"required":["query"]}`)
}

// Execute implements tool.Tool.
func (s search) Execute(_ context.Context, args json.RawMessage) (string, error) {
	var a searchArgs
	if err := json.Unmarshal(args, &a); err != nil {
		return "", fmt.Errorf("read arguments: %w", err)
	}
	if strings.TrimSpace(a.Query) == "" {
		return "", fmt.Errorf("the query is empty")
	}
	if a.Limit <= 0 {
		a.Limit = fewFound
	}
	tools := s.set.current()
	found := find(tools, a.Query, min(a.Limit, maxFound))
	if len(found) == 0 {
		return fmt.Sprintf("No tool fits %q; there are %d of %d servers.", a.Query, len(tools), len(byServer(tools))), nil
	}
	return report(found), nil
}

// find returns the tools that fit a query: those it names, then by rank.
func find(tools []remote, query string, limit int) []remote {
	at := make(map[string]remote, len(tools))
	var index retrieval.Index
	for _, r := range tools {
		at[r.full] = r
		index.Add(r.full, r.spec.Raw, r.spec.Raw, r.server.cfg.Name, r.spec.About, arguments(r.spec.Schema))
	}
	var found []remote
	named := strings.FieldsFunc(query, func(c rune) bool { return c == ' ' || c == ',' || c == '\n' || c == '"' || c == '`' })
	for _, r := range tools {
		if len(found) < limit && (slices.Contains(named, r.full) || slices.Contains(named, r.spec.Raw)) {
			found = append(found, r)
			delete(at, r.full)
		}
	}
	for _, hit := range index.Search(query, limit) {
		if r, ok := at[hit.ID]; ok && len(found) < limit {
			found = append(found, r)
		}
	}
	return found
}

// arguments are the names of a schema's arguments, as words to be found by.
func arguments(schema json.RawMessage) string {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(schema, &s)
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func report(found []remote) string {
	var b strings.Builder
	for i, r := range found {
		one := fmt.Sprintf("%s\n%s\narguments: %s\n", r.full, r.spec.About, r.spec.Schema)
		if i > 0 && b.Len()+len(one) > maxFoundLen {
			b.WriteString("\nFound too, left out for their length:")
			for _, r := range found[i:] {
				b.WriteString(" " + r.full)
			}
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(one)
	}
	return b.String()
}
