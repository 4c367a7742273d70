package config

import (
	"fmt"
	"slices"
	"strings"
)

// Layer is where a value can come from.
type Layer string

// The layers, strongest first.
const (
	LayerFlag    Layer = "flag"
	LayerEnv     Layer = "env"
	LayerProject Layer = "project"
	LayerUser    Layer = "user"
	LayerDefault Layer = "default"
)

// strength orders layers; the strongest is first.
var strength = []Layer{LayerFlag, LayerEnv, LayerProject, LayerUser, LayerDefault}

// Origin is one layer's say about a key.
type Origin struct {
	Layer        Layer
	Name         string // the flag's key, the variable, or the file
	Line, Column int    // in a file, from 1
	Value        any    // paths expanded; never shown for secrets
}

func (o Origin) String() string {
	switch o.Layer {
	case LayerFlag:
		return "flag"
	case LayerEnv:
		return "env " + o.Name
	case LayerDefault:
		if o.Name != "" {
			return "default (" + o.Name + ")"
		}
		return "default"
	default:
		return fmt.Sprintf("%s:%d", o.Name, o.Line)
	}
}

// Origin says which layer set key, a canonical path as Lookup returns it. A key
// no layer set comes from the defaults.
func (c *Config) Origin(key string) Origin { return c.Origins(key)[0] }

// Origins lists what every layer says about key, the one that counts first and
// the default last. For a key whose layers add up, all but the default count.
// For a table of the user's names it is what is said about its entries.
func (c *Config) Origins(key string) []Origin {
	all := slices.Clone(c.origins[key])
	for _, entry := range c.entries(key) {
		all = append(all, c.origins[entry]...)
	}
	slices.SortStableFunc(all, func(a, b Origin) int { return slices.Index(strength, a.Layer) - slices.Index(strength, b.Layer) })
	if n := len(all); n > 0 && all[n-1].Layer == LayerDefault {
		return all
	}
	return append(all, Origin{Layer: LayerDefault, Value: defaultOf(key)})
}

// entries lists, sorted, what is set below key when key is a table of the user's
// names.
func (c *Config) entries(key string) []string {
	parts, err := SplitPath(key)
	if err != nil {
		return nil
	}
	if b, rest := find(parts); b.key == nil || !b.key.Kind.isTable() || len(rest) > 0 {
		return nil
	}
	var below []string
	for path := range c.origins {
		if strings.HasPrefix(path, key+".") {
			below = append(below, path)
		}
	}
	slices.Sort(below)
	return below
}

func defaultOf(key string) any {
	parts, err := SplitPath(key)
	if err != nil {
		return nil
	}
	k, err := lookup(parts)
	if err != nil {
		return nil
	}
	if n, ok := k.Default.(int); ok {
		return int64(n) // as a file would give it
	}
	return k.Default
}

// Paths lists the canonical paths of all keys that a layer or a default gives a
// value, in the order of the key table, names of the user's sorted within.
func (c *Config) Paths() []string {
	rank := map[string]int{}
	for i, k := range Keys() {
		rank[k.Path] = i
	}
	var keys []string
	for key := range c.origins {
		keys = append(keys, key)
	}
	for _, k := range Keys() {
		if _, ok := c.origins[k.Path]; !ok && k.Default != nil && !strings.Contains(k.Path, "<") {
			keys = append(keys, k.Path)
		}
	}
	place := func(key string) int { return rank[c.tablePath(key)] }
	slices.SortFunc(keys, func(a, b string) int {
		pa, pb := place(a), place(b)
		if strings.Contains(a, "providers.") && strings.Contains(b, "providers.") && len(c.names[a]) > 1 && len(c.names[b]) > 1 && c.names[a][1] != c.names[b][1] {
			return strings.Compare(c.names[a][1], c.names[b][1])
		}
		if pa != pb {
			return pa - pb
		}
		return strings.Compare(a, b)
	})
	return keys
}

// tablePath is the path under which key stands in the key table.
func (c *Config) tablePath(key string) string {
	parts := c.names[key]
	if parts == nil {
		return key
	}
	b, _ := find(parts)
	if b.key == nil {
		return key
	}
	return b.key.Path
}

// Value is the value of key as it counts, nil when nothing gives it one. Secret
// values are replaced by Hidden.
func (c *Config) Value(key string) any {
	parts, err := SplitPath(key)
	if err != nil {
		return nil
	}
	k, err := lookup(parts)
	if err != nil {
		return nil
	}
	if k.Kind.isTable() {
		return c.table(key, parts)
	}
	origins := c.Origins(key)
	v := origins[0].Value
	if k.Accumulate {
		v = accumulated(origins)
	}
	return Mask(key, v)
}

// table is the value of a table of the user's names, masked.
func (c *Config) table(key string, parts []string) any {
	below := c.entries(key)
	if below == nil {
		return nil
	}
	out := map[string]any{}
	for _, path := range below {
		put(out, c.names[path][len(parts):], Mask(path, c.origins[path][0].Value))
	}
	return out
}

// accumulated adds up the layers' lists, the weakest first, each entry once.
func accumulated(origins []Origin) any {
	var out []any
	for _, o := range slices.Backward(origins) {
		list, _ := o.Value.([]any)
		for _, v := range list {
			if !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	}
	if out == nil {
		return nil
	}
	return out
}

// Hidden stands where a secret would be.
const Hidden = "(hidden)"

// Mask replaces v by Hidden when key holds a secret: a key marked as one in the
// table, or a header or variable whose name looks like one and whose value is
// not a reference to a variable. Tables are masked entry by entry.
func Mask(key string, v any) any {
	if m, ok := v.(map[string]any); ok {
		out := make(map[string]any, len(m))
		for name, e := range m {
			out[name] = Mask(key+"."+quoteKey(name), e)
		}
		return out
	}
	s, isString := v.(string)
	if !secretPath(key) || isString && (s == "" || strings.HasPrefix(s, "${") && strings.HasSuffix(s, "}")) {
		return v
	}
	if v == nil {
		return nil
	}
	return Hidden
}

// secretPath reports whether the value of key must not be shown.
func secretPath(key string) bool {
	parts, err := SplitPath(key)
	if err != nil {
		return false
	}
	b, rest := find(parts)
	if b.key == nil {
		return false
	}
	if b.key.Secret {
		return true
	}
	switch b.key.Path {
	case "providers.<name>.headers", "plugins.<name>.headers", "plugins.<name>.env", "providers.<name>.extra_body":
		return len(rest) > 0 && secretName(rest[len(rest)-1])
	default:
		return false
	}
}

// secretName reports whether a header or variable is likely to hold a secret.
func secretName(name string) bool {
	name = strings.ToLower(name)
	for _, word := range []string{"key", "token", "secret", "auth", "passw", "cookie", "credential", "session"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// A Setting is one key as it counts, for display: secrets are hidden.
type Setting struct {
	Key    string
	Value  any
	Origin Origin
}

// Settings lists every key that has a value, in the order of the key table.
func (c *Config) Settings() []Setting {
	var out []Setting
	for _, key := range c.Paths() {
		out = append(out, Setting{Key: key, Value: c.Value(key), Origin: c.Origin(key)})
	}
	return out
}
