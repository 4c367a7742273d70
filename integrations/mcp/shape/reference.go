package shape

import (
	"maps"
	"net/url"
	"strconv"
	"strings"
)

// reference writes a reference out, with what stands beside it in v over what it
// leads to. One that leads back to itself is kept, and its target put below $defs.
// One that leads nowhere fits everything: the server knows what it wants.
func (n *normaliser) reference(ref string, v map[string]any, depth int) (any, error) {
	beside := maps.Clone(v)
	delete(beside, "$ref")
	target, found := n.find(ref)
	if !found {
		return n.members(beside, depth)
	}
	if n.keep || n.recursive(ref, target) {
		return n.kept(ref, target, beside)
	}
	object, ok := target.(map[string]any)
	if !ok {
		return n.schema(target, depth+1)
	}
	merged := maps.Clone(object)
	maps.Copy(merged, beside)
	return n.schema(merged, depth+1)
}

// kept returns a reference to a copy of target below $defs. Beside a reference
// only a description may stand: endpoints refuse the rest there.
func (n *normaliser) kept(ref string, target any, beside map[string]any) (any, error) {
	name := n.names[ref]
	if name == "" {
		name = n.define(ref)
		s, err := n.schema(target, 0) // it has a level of its own
		if err != nil {
			return nil, err
		}
		if object, ok := s.(map[string]any); ok && object["$ref"] == "#/$defs/"+name {
			s = map[string]any{} // it says nothing but itself
		}
		n.defs[name] = s
	}
	out := map[string]any{"$ref": "#/$defs/" + name}
	if d, ok := beside["description"].(string); ok {
		out["description"] = d
	}
	return out, nil
}

// define gives a reference a name below $defs that no other has.
func (n *normaliser) define(ref string) string {
	base := fold(ref[strings.LastIndexByte(ref, '/')+1:]).text
	if base == "" {
		base = "schema"
	}
	name := base
	for i := 2; n.taken[name]; i++ {
		name = base + "_" + strconv.Itoa(i)
	}
	n.taken[name] = true
	n.names[ref] = name
	return name
}

// used returns the definitions that v leads to.
func (n *normaliser) used(v any) map[string]any {
	found := map[string]any{}
	var look func(v any)
	look = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				name := strings.TrimPrefix(ref, "#/$defs/")
				if def, ok := n.defs[name]; ok && found[name] == nil {
					found[name] = def
					look(def)
				}
			}
			for _, one := range v {
				look(one)
			}
		case []any:
			for _, one := range v {
				look(one)
			}
		}
	}
	look(v)
	return found
}

// recursive tells whether target leads back to ref through any references. What is
// too large to tell counts as if it did: then it stays a reference.
func (n *normaliser) recursive(ref string, target any) bool {
	if known, ok := n.loops[ref]; ok {
		return known
	}
	n.loops[ref] = n.leads(target, ref, map[string]bool{}, 0)
	return n.loops[ref]
}

func (n *normaliser) leads(v any, ref string, seen map[string]bool, depth int) bool {
	if n.walks++; n.walks > maxWalk || depth > 4*maxDepth {
		return true
	}
	switch v := v.(type) {
	case map[string]any:
		if r, ok := v["$ref"].(string); ok && n.leadsOn(r, ref, seen, depth) {
			return true
		}
		for _, one := range v {
			if n.leads(one, ref, seen, depth+1) {
				return true
			}
		}
	case []any:
		for _, one := range v {
			if n.leads(one, ref, seen, depth+1) {
				return true
			}
		}
	}
	return false
}

func (n *normaliser) leadsOn(r, ref string, seen map[string]bool, depth int) bool {
	if r == ref {
		return true
	}
	if seen[r] {
		return false
	}
	seen[r] = true
	target, found := n.find(r)
	return found && n.leads(target, ref, seen, depth+1)
}

// find follows a JSON pointer into the schema. Nothing outside of it is looked at.
func (n *normaliser) find(ref string) (any, bool) {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	var at any = n.root
	if path == "" {
		return at, true
	}
	path, ok = strings.CutPrefix(path, "/")
	if !ok {
		return nil, false
	}
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	for step := range strings.SplitSeq(path, "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch v := at.(type) {
		case map[string]any:
			at, ok = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if ok = err == nil && 0 <= i && i < len(v); ok {
				at = v[i]
			}
		default:
			ok = false
		}
		if !ok {
			return nil, false
		}
	}
	switch at.(type) {
	case map[string]any, bool:
		return at, true
	}
	return nil, false
}
