package shape

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// object makes a legal schema the schema of arguments: an object with properties
// and without a union, which endpoints refuse at the top. open names the
// definitions that v is a part of; nil and no error is a part that is one of them
// again, and adds nothing.
func (n *normaliser) object(v any, open []string) (map[string]any, error) {
	if n.nodes++; n.nodes > maxNodes {
		return nil, errParts
	}
	top, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the schema is %s, not an object", described(v))
	}
	top, open = n.resolved(top, open)
	if top == nil {
		return nil, nil
	}
	out := maps.Clone(top)
	for _, key := range []string{"allOf", "anyOf", "oneOf", "enum", "not", "if", "then", "else"} {
		delete(out, key)
	}
	if !describesObject(out) {
		return nil, fmt.Errorf("the schema describes %v, not an object", out["type"])
	}
	out["type"] = "object"
	properties, _ := out["properties"].(map[string]any)
	properties = maps.Clone(properties)
	if properties == nil {
		properties = map[string]any{}
	}
	out["properties"] = properties
	if err := n.join(out, top["allOf"], open); err != nil {
		return nil, err
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if err := n.choose(out, top[key], open); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// resolved follows a reference at the top, which recursion leaves there.
func (n *normaliser) resolved(top map[string]any, open []string) (map[string]any, []string) {
	for {
		ref, ok := top["$ref"].(string)
		if !ok {
			return top, open
		}
		name := strings.TrimPrefix(ref, "#/$defs/")
		if slices.Contains(open, name) {
			return nil, open
		}
		open = append(slices.Clone(open), name)
		top, ok = n.defs[name].(map[string]any)
		if !ok {
			return map[string]any{}, open
		}
	}
}

func describesObject(v map[string]any) bool {
	switch t := v["type"].(type) {
	case nil:
		return true
	case string:
		return t == "object"
	case []string:
		return slices.Contains(t, "object")
	}
	return false
}

// join adds the properties and requirements of every part of an allOf.
func (n *normaliser) join(out map[string]any, all any, open []string) error {
	parts, _ := all.([]any)
	for _, one := range parts {
		part, err := n.object(one, open)
		if err != nil {
			return err
		}
		if part == nil {
			continue
		}
		merge(out, part)
		if names := union(required(out), required(part)); len(names) > 0 {
			out["required"] = names
		}
	}
	return nil
}

// choose adds the properties of every alternative, requires what all of them
// require, and says in the description which arguments go together.
func (n *normaliser) choose(out map[string]any, all any, open []string) error {
	alternatives, _ := all.([]any)
	var common []string
	var sets []string
	used := 0
	var last error
	for _, one := range alternatives {
		part, err := n.object(one, open)
		if errors.Is(err, ErrTooLarge) {
			return err
		}
		if err != nil {
			last = err
		}
		if part == nil {
			continue
		}
		names := required(part)
		if used++; used == 1 {
			common = names
		}
		common = slices.DeleteFunc(slices.Clone(common), func(name string) bool { return !slices.Contains(names, name) })
		if set := strings.Join(names, ", "); len(names) > 0 && !slices.Contains(sets, set) {
			sets = append(sets, set)
		}
		merge(out, part)
	}
	if used == 0 {
		return last
	}
	if names := union(required(out), common); len(names) > 0 {
		out["required"] = names
	}
	if len(sets) > 1 {
		hint := "Give one of these sets of arguments: " + strings.Join(sets, "; ") + "."
		if d, _ := out["description"].(string); d != "" {
			hint = d + "\n" + hint
		}
		out["description"] = hint
	}
	return nil
}

// merge adds the properties of part to those of out. Where both have one, either
// form is legal.
func merge(out, part map[string]any) {
	to, _ := out["properties"].(map[string]any)
	from, _ := part["properties"].(map[string]any)
	for name, s := range from {
		if old, ok := to[name]; ok {
			s = anyOf([]any{old, s})
		}
		to[name] = s
	}
}

func required(v map[string]any) []string {
	names, _ := v["required"].([]string)
	return names
}

func union(a, b []string) []string {
	a = slices.Clone(a)
	for _, name := range b {
		if !slices.Contains(a, name) {
			a = append(a, name)
		}
	}
	return a
}
