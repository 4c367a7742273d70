package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/tool"
	"reasonix/integrations/mcp/shape"
)

// fixed is what the model is told of the servers' tools until Refresh.
type fixed struct {
	tools  []remote // by full name
	search *search  // set when they are too much to be told
}

// A remote is one tool of a server. It reaches the server that is there when it is
// called.
type remote struct {
	server *server
	full   string
	spec   spec
}

// Name implements tool.Tool.
func (r remote) Name() string { return r.full }

// Description implements tool.Tool.
func (r remote) Description() string { return r.spec.About }

// Schema implements tool.Tool.
func (r remote) Schema() json.RawMessage { return r.spec.Schema }

// ReadOnly implements tool.Tool, by the newest word of the server. It begins the
// judgement of the tool's next calls: one that the server calls more than it says
// here, or to Approval since, does not run.
func (r remote) ReadOnly() bool { return r.look().readOnly }

// Subject implements tool.Subjecter.
func (r remote) Subject(args json.RawMessage) tool.Subject {
	kind := "other"
	if _, w := r.newest(); w.readOnly {
		kind = "read"
	}
	return tool.Subject{Title: fmt.Sprintf("%s: %s", r.server.cfg.Name, r.spec.Raw), Kind: kind, Reason: reason(args)}
}

func reason(args json.RawMessage) string {
	var a struct {
		Reason any `json:"reason"`
	}
	_ = json.Unmarshal(args, &a)
	text, _ := a.Reason.(string)
	return text
}

// Execute implements tool.Tool.
func (r remote) Execute(ctx context.Context, args json.RawMessage) (string, error) {
	return r.call(ctx, args)
}

// newest is what the server says of the tool now.
func (r remote) newest() (spec, word) {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	return r.now()
}

// remotes lists what the server offers as far as known.
func (s *server) remotes() []remote {
	s.mu.Lock()
	defer s.mu.Unlock()
	offer := s.known.tools()
	if offer == nil {
		return nil
	}
	all := make([]remote, len(offer.Tools))
	for i, t := range offer.Tools {
		all[i] = remote{server: s, full: s.known.names[t.Raw], spec: t}
	}
	return all
}

// current lists what all servers offer as far as known, by full name.
func (set *Set) current() []remote {
	var all []remote
	for _, s := range set.all() {
		all = append(all, s.remotes()...)
	}
	slices.SortFunc(all, func(a, b remote) int { return strings.Compare(a.full, b.full) })
	return all
}

// Tools lists what the model is told of, by name. The first call fixes the list:
// of a server that is not ready by then it has what an earlier session saw. It is
// empty when Search has it instead.
func (set *Set) Tools() []tool.Tool {
	f := set.fix()
	if f.search != nil {
		return nil
	}
	tools := make([]tool.Tool, len(f.tools))
	for i, r := range f.tools {
		tools[i] = r
	}
	return tools
}

// Search is the tool by which the model finds the others, when their schemas
// exceed the budget. Like Tools it stays as it is.
func (set *Set) Search() (tool.Tool, bool) {
	f := set.fix()
	if f.search == nil {
		return nil, false
	}
	return *f.search, true
}

func (set *Set) fix() *fixed {
	now := set.current()
	set.mu.Lock()
	defer set.mu.Unlock()
	if set.fixed == nil {
		set.fixed = set.freeze(now)
	}
	return set.fixed
}

// Refresh takes the lists as they are now, for a prefix that is made anew, and
// reports whether what the model is told differs.
func (set *Set) Refresh() bool {
	now := set.current()
	set.mu.Lock()
	defer set.mu.Unlock()
	before := set.fixed
	set.fixed = set.freeze(now)
	return before == nil || !before.same(set.fixed)
}

func (f *fixed) same(o *fixed) bool {
	if (f.search == nil) != (o.search == nil) {
		return false
	}
	if f.search != nil {
		return f.search.about == o.search.about
	}
	return slices.EqualFunc(f.tools, o.tools, func(a, b remote) bool { return a.full == b.full && a.spec.same(b.spec) })
}

// freeze decides what is told. The caller has the lock.
func (set *Set) freeze(tools []remote) *fixed {
	f := &fixed{tools: tools}
	budget := set.world.Budget
	if budget == 0 {
		budget = DefaultBudget
	}
	cost := shape.Tokens(schemas(tools)...)
	if budget < 0 || cost <= budget {
		return f
	}
	f.search = newSearch(set, tools)
	each := costs(tools)
	set.warn("mcp.deferred", []string{strconv.Itoa(cost), strconv.Itoa(budget), each}, fmt.Sprintf(
		"The tools of the MCP servers take about %d tokens of every prompt, over the limit of %d (tools.mcp_schema_budget): %s. The model finds them with tool_search instead",
		cost, budget, each))
	return f
}

func schemas(tools []remote) []message.ToolSchema {
	all := make([]message.ToolSchema, len(tools))
	for i, r := range tools {
		all[i] = r.spec.schema(r.full)
	}
	return all
}

// costs says what each server's tools take.
func costs(tools []remote) string {
	var parts []string
	for _, group := range byServer(tools) {
		parts = append(parts, fmt.Sprintf("%s %d tools, %d tokens", group[0].server.cfg.Name, len(group), shape.Tokens(schemas(group)...)))
	}
	return strings.Join(parts, "; ")
}

// byServer groups tools that are sorted by full name, which has the server first.
func byServer(tools []remote) [][]remote {
	var groups [][]remote
	for i, r := range tools {
		if i == 0 || r.server != tools[i-1].server {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], r)
	}
	return groups
}

// Find looks a tool up by the name the model uses, among all that servers offer
// now or that Tools has, told or not. SearchName is found always: a conversation that
// goes on may have been told of it when there was more to find.
func (set *Set) Find(name string) (tool.Tool, bool) {
	if name == SearchName {
		return set.finder(), true
	}
	r, ok := set.find(name)
	if !ok {
		return nil, false
	}
	return r, true
}

func (set *Set) finder() search {
	set.mu.Lock()
	defer set.mu.Unlock()
	if set.fixed != nil && set.fixed.search != nil {
		return *set.fixed.search
	}
	return search{set: set, about: searchAbout}
}

func (set *Set) find(name string) (remote, bool) {
	if !strings.HasPrefix(name, "mcp__") {
		return remote{}, false
	}
	for _, s := range set.all() {
		if r, ok := s.find(name); ok {
			return r, true
		}
	}
	set.mu.Lock()
	defer set.mu.Unlock()
	if set.fixed == nil {
		return remote{}, false
	}
	i, ok := slices.BinarySearchFunc(set.fixed.tools, name, func(r remote, name string) int { return strings.Compare(r.full, name) })
	if !ok {
		return remote{}, false
	}
	return set.fixed.tools[i], true
}

func (s *server) find(full string) (remote, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.known.find(full)
	return remote{server: s, full: full, spec: t}, ok
}

// Approval is what a policy needs to know of a tool; none of it is ever in a
// schema. destructive is the server's explicit word, readOnly its word or that of
// Config.TrustedReadOnly; raw is the server's own name for it. The word is that of the
// server that is there, or that of an earlier session until one is; a call that was
// judged by a weaker word than that of the server it reaches is refused.
func (set *Set) Approval(name string) (destructive, readOnly bool, server, raw string, ok bool) {
	r, ok := set.find(name)
	if !ok {
		return false, false, "", "", false
	}
	w := r.judge()
	return w.destructive, w.readOnly, r.server.cfg.Name, r.spec.Raw, true
}

// Trusted reports whether Config.TrustedReadOnly has the tool: somebody, not the
// server, says that it changes nothing.
func (set *Set) Trusted(name string) bool {
	r, ok := set.find(name)
	return ok && r.server.cfg.trusts(r.spec.Raw, r.full)
}

// differs says that the list of a server is not what the model was told, once for
// what it was told.
func (set *Set) differs(s *server) {
	now := s.remotes()
	set.mu.Lock()
	defer set.mu.Unlock()
	if set.fixed == nil || s.differing == set.fixed {
		return
	}
	var told []remote
	for _, r := range set.fixed.tools {
		if r.server == s {
			told = append(told, r)
		}
	}
	added, gone, other := compare(told, now)
	if added+gone+other == 0 {
		return
	}
	s.differing = set.fixed
	set.note(event.Notice{
		Level: event.LevelInfo, Code: "mcp.changed",
		Args: []string{s.cfg.Name, strconv.Itoa(added), strconv.Itoa(gone), strconv.Itoa(other)},
		Text: fmt.Sprintf("MCP server %s changed its tools (%d new, %d gone, %d different); this conversation keeps the list it began with until it is compacted, and the new list counts from the next session on",
			s.cfg.Name, added, gone, other),
	})
}

// compare counts the differences of two lists that are sorted by full name.
func compare(told, now []remote) (added, gone, other int) {
	before := map[string]spec{}
	for _, r := range told {
		before[r.full] = r.spec
	}
	for _, r := range now {
		t, ok := before[r.full]
		switch {
		case !ok:
			added++
		case !t.same(r.spec):
			other++
		}
		delete(before, r.full)
	}
	return added, len(before), other
}
