package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// A layered is one layer's share of the configuration: its values without what is
// unknown or not its to say, and what there is to tell about it.
type layered struct {
	values   map[string]any
	origins  map[string]Origin
	names    map[string][]string
	warnings []Warning
	errs     []error
	// untrusted names the providers of a project that must not be used.
	untrusted []string
}

// A checker holds one document against the key table.
type checker struct {
	doc    *document
	layer  Layer
	expand func(k Key, s string, layer Layer) (string, error)
	out    layered

	seen     map[string]bool // unknown prefixes already told
	userOnly []entry
	retired  []entry
	drops    [][]string
}

func (d *document) check(layer Layer, expand func(Key, string, Layer) (string, error)) layered {
	c := checker{doc: d, layer: layer, expand: expand, seen: map[string]bool{}}
	c.out = layered{values: d.values, origins: map[string]Origin{}, names: map[string][]string{}}
	for _, t := range d.tables[1:] {
		c.table(t)
	}
	for _, e := range d.entries {
		c.entry(e)
	}
	c.nameless()
	c.tell(WarnUserOnly, c.userOnly, "ignored here, because only the user's own config.toml may set them: %s")
	c.tell(WarnRetired, c.retired, "retired, without effect: %s; `reasonix config migrate` removes them")
	for _, path := range c.drops {
		drop(d.values, path)
	}
	return c.out
}

// table checks that a header opens what may be a table.
func (c *checker) table(t table) {
	b, rest := find(t.path)
	where := t.header
	isArray := len(t.path) >= 2 && strings.HasPrefix(t.path[1], "#")
	if wantsArray := slices.Contains(named, t.path[0]); wantsArray != isArray && (b != tree() || wantsArray) {
		want := "want a table: [" + t.path[0] + "]"
		if wantsArray {
			want = "want [[" + t.path[0] + "]] with name = " + quote(t.path[len(t.path)-1]) + " below it"
		}
		c.fail(where, JoinPath(t.path[:1]), want)
		return
	}
	switch {
	case b.key == nil && len(rest) > 0:
		c.unknown(t.path, len(t.path)-len(rest)+1, where.start)
	case b.key != nil && !b.key.Kind.within(rest), b.key != nil && len(rest) == 0 && !b.key.Kind.isTable():
		c.fail(where, JoinPath(c.doc.named(t.path)), "want "+b.key.want())
	}
}

func (k Kind) isTable() bool { return k == KindMap || k == KindIntMap || k == KindAny }

func (c *checker) entry(e entry) {
	b, rest := find(e.path)
	switch {
	case b.key == nil && len(rest) > 0:
		c.unknown(e.path, len(e.path)-len(rest)+1, e.key.start)
	case b.key == nil:
		c.subtree(e)
	case b.key.Kind == KindAny && len(rest) > 0:
		c.anything(e, rest)
	default:
		c.value(e, *b.key, rest)
	}
}

// subtree checks a value that stands where a table of keys belongs.
func (c *checker) subtree(e entry) {
	isList := len(e.path) == 1 && slices.Contains(named, e.path[0])
	switch {
	case isList && e.kind != unstable.Array:
		c.fail(e.value, JoinPath(e.path), "want [["+e.path[0]+"]] blocks, or an array of tables")
	case !isList && e.kind != unstable.InlineTable:
		c.fail(e.value, JoinPath(c.doc.named(e.path)), "want a table")
	}
}

// value checks one key's value and notes where it came from.
func (c *checker) value(e entry, k Key, rest []string) {
	if len(rest) > 0 {
		if !k.Kind.within(rest) {
			c.unknown(e.path, len(e.path)-len(rest)+1, e.key.start)
			return
		}
		k.Kind = k.Kind.element()
	}
	raw, ok := at(c.doc.values, e.path)
	if !ok {
		return
	}
	path := c.doc.named(e.path)
	v, err := k.accept(raw)
	if err == nil && k.IsPath && !k.Kind.isTable() {
		v, err = c.expandAll(k, v)
	}
	if err != nil {
		c.fail(e.value, JoinPath(path), err.Error())
		return
	}
	if c.layer == LayerProject && k.UserOnly {
		c.userOnly = append(c.userOnly, e)
		c.drops = append(c.drops, e.path)
		return
	}
	if k.Retired {
		c.retired = append(c.retired, e)
	}
	v = c.fallback(e, k, v)
	if k.Kind.isTable() {
		return // its entries are noted one by one
	}
	put(c.doc.values, e.path, v)
	c.note(e, path, v)
}

// anything notes an entry of a table that may hold anything. What an array holds
// is noted with the array.
func (c *checker) anything(e entry, rest []string) {
	inArray := slices.ContainsFunc(rest, func(part string) bool { return strings.HasPrefix(part, "#") })
	if v, ok := at(c.doc.values, e.path); ok && e.kind != unstable.InlineTable && !inArray {
		c.note(e, c.doc.named(e.path), v)
	}
}

func (c *checker) note(e entry, path []string, v any) {
	name := JoinPath(path)
	line, column := c.doc.position(e.key.start)
	c.out.origins[name] = Origin{Layer: c.layer, Name: c.doc.file, Line: line, Column: column, Value: v}
	c.out.names[name] = path
}

func (c *checker) expandAll(k Key, v any) (any, error) {
	list, isList := v.([]any)
	if !isList {
		return c.expand(k, v.(string), c.layer)
	}
	for i := range list {
		s, err := c.expand(k, list[i].(string), c.layer)
		if err != nil {
			return nil, err
		}
		list[i] = s
	}
	return list, nil
}

// fallback replaces an unknown value of a key that forgives one.
func (c *checker) fallback(e entry, k Key, v any) any {
	s, ok := v.(string)
	if !ok || !k.Fallback || slices.Contains(k.Enum, s) {
		return v
	}
	if s != "" {
		c.warn(WarnFallback, e.value.start, []string{k.Path}, fmt.Sprintf("%s: unknown value %q: using %q (known: %s)", k.Path, s, k.Default, strings.Join(k.Enum, ", ")))
	}
	return k.Default
}

// nameless finds blocks nobody could refer to, and names used twice.
func (c *checker) nameless() {
	for _, kind := range named {
		list, _ := c.doc.values[kind].([]any)
		seen := map[string]bool{}
		for i, v := range list {
			m, _ := v.(map[string]any)
			name, _ := m["name"].(string)
			where := c.doc.block(kind, i)
			switch {
			case name == "":
				c.fail(where, "", `want name = "..." in this block`)
			case seen[name]:
				c.fail(where, JoinPath([]string{kind, name}), "want each name once in a file")
			case strings.ContainsAny(name, "/\x00"):
				c.fail(where, JoinPath([]string{kind, name}), "want a name without a slash")
			}
			seen[name] = true
		}
	}
}

// block is where the i-th element of an array of tables begins.
func (d *document) block(kind string, i int) span {
	element := []string{kind, fmt.Sprintf("#%d", i)}
	for _, t := range d.tables {
		if slices.Equal(t.path, element) {
			return t.header
		}
	}
	for _, e := range d.entries {
		if len(e.path) == 3 && slices.Equal(e.path[:2], element) {
			return e.key
		}
	}
	return span{}
}

// unknown warns of the first n parts of path, once.
func (c *checker) unknown(path []string, n, offset int) {
	prefix := path[:min(n, len(path))]
	key := strings.Join(prefix, "\x00")
	c.drops = append(c.drops, prefix)
	if c.seen[key] {
		return
	}
	c.seen[key] = true
	parts := c.doc.named(prefix)
	text := "unknown key " + JoinPath(parts) + " is ignored"
	if near := nearest(parts); near != "" {
		text += " (nearest known key: " + near + ")"
	}
	c.warn(WarnUnknownKey, offset, []string{JoinPath(parts)}, text)
}

// tell warns of all entries at once, at the first one's place. text has a %s for
// their keys.
func (c *checker) tell(code WarningCode, entries []entry, text string) {
	if len(entries) == 0 {
		return
	}
	keys := c.pathsOf(entries)
	c.warn(code, entries[0].key.start, keys, fmt.Sprintf(text, strings.Join(keys, ", ")))
}

func (c *checker) pathsOf(entries []entry) []string {
	var keys []string
	for _, e := range entries {
		keys = append(keys, JoinPath(c.doc.named(e.path)))
	}
	return keys
}

func (c *checker) warn(code WarningCode, offset int, keys []string, text string) {
	line, column := c.doc.position(offset)
	c.out.warnings = append(c.out.warnings, Warning{Code: code, File: c.doc.file, Line: line, Column: column, Keys: keys, Text: text})
}

func (c *checker) fail(where span, key, want string) {
	line, column := c.doc.position(where.start)
	text := c.doc.text(where)
	if secretPath(key) {
		text = ""
	}
	c.out.errs = append(c.out.errs, &Error{File: c.doc.file, Line: line, Column: column, Key: key, Text: text, Want: want})
}

// named is path with providers and plugins by their names.
func (d *document) named(path []string) []string {
	if len(path) < 2 || !slices.Contains(named, path[0]) {
		return path
	}
	if name, ok := at(d.values, []string{path[0], path[1], "name"}); ok {
		if s, ok := name.(string); ok && s != "" {
			path = slices.Clone(path)
			path[1] = s
		}
	}
	return path
}
