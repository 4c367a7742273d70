package mcp

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"reasonix/integrations/mcp/shape"
)

// A catalogue is what a server offers as far as known: what an earlier session saw until
// the server has been read. Its server's mu guards it.
type catalogue struct {
	part      string
	cached    *list // of an earlier session
	live      *list
	prompts   []Prompt // of an earlier session until they are read
	resources []Resource
	families  []family
	names     map[string]string // raw to full; only grows, up to maxNamed
	raws      map[string]string // full to raw
	lamented  bool              // it was said which tools cannot be used
	told      []Dropped         // what an earlier session said so of
}

func newCatalogue(part string, cached *list, prompts []Prompt) catalogue {
	c := catalogue{part: part, cached: cached, prompts: prompts, names: map[string]string{}, raws: map[string]string{}}
	if cached != nil {
		c.told = slices.Clone(cached.Dropped)
	}
	c.name(cached)
	return c
}

// tools is the newest list known.
func (c *catalogue) tools() *list {
	if c.live != nil {
		return c.live
	}
	return c.cached
}

// count is how many tools the server has, as far as known.
func (c *catalogue) count() int {
	if l := c.tools(); l != nil {
		return len(l.Tools)
	}
	return 0
}

// take makes l the live list. What it returns is to be told: the tools that cannot be
// used, once until a person connects the server anew, and not where an earlier session
// has told of the same ones.
func (c *catalogue) take(l *list) []Dropped {
	c.live = l
	c.name(l)
	if len(l.Dropped) == 0 || c.lamented || slices.Equal(l.Dropped, c.told) {
		return nil
	}
	c.lamented = true
	return l.Dropped
}

// anew forgets what was told.
func (c *catalogue) anew() { c.lamented, c.told = false, nil }

// name gives the tools of a list their full names; one that has a name keeps it.
func (c *catalogue) name(l *list) {
	if l == nil {
		return
	}
	known := slices.Collect(maps.Keys(c.names))
	for _, t := range l.Tools {
		if _, ok := c.names[t.Raw]; !ok && len(known) < maxNamed {
			known = append(known, t.Raw)
		}
	}
	names := shape.Names(c.part, known)
	l.Tools = slices.DeleteFunc(l.Tools, func(t spec) bool {
		if _, ok := c.names[t.Raw]; ok {
			return false
		}
		full, ok := names[t.Raw]
		if !ok {
			l.drop(t.Raw, fmt.Sprintf("the server has named %d others, and no more are known until the next session", maxNamed))
			return true
		}
		if other, taken := c.raws[full]; taken {
			l.drop(t.Raw, fmt.Sprintf("until the next session its name is that of %s", other))
			return true
		}
		c.names[t.Raw], c.raws[full] = full, t.Raw
		return false
	})
}

// find is the tool of that full name.
func (c *catalogue) find(full string) (spec, bool) {
	raw, ok := c.raws[full]
	if !ok {
		return spec{}, false
	}
	return c.tools().find(raw)
}

// describe adds the catalogue to what is known of its server.
func (c *catalogue) describe(st *State) {
	st.Prompts, st.Resources, st.Templates = len(c.prompts), len(c.resources), len(c.families)
	l := c.tools()
	if l == nil {
		return
	}
	st.Tools, st.Dropped = len(l.Tools), l.Dropped
	for _, t := range l.Tools {
		full := c.names[t.Raw]
		st.Tokens += shape.Tokens(t.schema(full))
		if !strings.HasSuffix(full, "__"+t.Raw) {
			if st.Renamed == nil {
				st.Renamed = map[string]string{}
			}
			st.Renamed[t.Raw] = full
		}
	}
}
