package shape

import (
	"encoding/json"
	"slices"
)

// repairType keeps type names that exist, one of them as a string. Where the other
// keywords leave no doubt, a missing one is added.
func repairType(out, v map[string]any) {
	switch names := types(v["type"]); {
	case len(names) == 1:
		out["type"] = names[0]
	case len(names) > 1:
		out["type"] = names
	case out["properties"] != nil:
		out["type"] = "object"
	case v["items"] != nil || v["prefixItems"] != nil:
		out["type"] = "array"
	}
}

// repairEnum keeps an enum with values, each once. A const is an enum of one:
// more endpoints know that.
func repairEnum(out, v map[string]any) {
	values, _ := v["enum"].([]any)
	if c, ok := v["const"]; ok {
		values = []any{c}
	}
	var once []any
	seen := map[string]bool{}
	for _, one := range values {
		data, err := encode(one)
		if err == nil && !seen[string(data)] {
			seen[string(data)] = true
			once = append(once, one)
		}
	}
	if len(once) > 0 {
		out["enum"] = once
	}
}

// repairBounds rewrites the bounds of draft 4, where "exclusiveMinimum": true made
// "minimum" exclusive.
func repairBounds(out, v map[string]any) {
	for _, b := range [][2]string{{"exclusiveMinimum", "minimum"}, {"exclusiveMaximum", "maximum"}} {
		limit, ok := out[b[1]].(json.Number)
		if v[b[0]] == true && ok {
			out[b[0]] = limit
			delete(out, b[1])
		}
	}
}

// repairRequired keeps the names of arguments that exist, each once, in the order
// they were written.
func repairRequired(out, v map[string]any) {
	names, _ := v["required"].([]any)
	properties, _ := out["properties"].(map[string]any)
	var required []string
	for _, one := range names {
		name, _ := one.(string)
		if _, ok := properties[name]; ok && !slices.Contains(required, name) {
			required = append(required, name)
		}
	}
	if len(required) > 0 {
		out["required"] = required
	}
}

// repairItems gives every array one schema for its items: endpoints refuse arrays
// without, and the tuples of any draft.
func (n *normaliser) repairItems(out, v map[string]any, depth int) error {
	if !isArray(out["type"]) {
		return nil
	}
	var each []any
	for _, key := range []string{"prefixItems", "items"} {
		switch items := v[key].(type) {
		case []any:
			each = append(each, items...)
		case map[string]any:
			each = append(each, items)
		case string:
			if types(items) != nil {
				each = append(each, items)
			}
		}
	}
	legal, err := n.each(each, depth)
	if err != nil {
		return err
	}
	out["items"] = anyOf(legal)
	return nil
}

func isArray(t any) bool {
	names, _ := t.([]string)
	return t == "array" || slices.Contains(names, "array")
}

// anyOf is one schema that fits what any of all fits; nothing given: everything.
func anyOf(all any) any {
	var once []any
	seen := map[string]bool{}
	list, _ := all.([]any)
	for _, one := range list {
		data, err := encode(one)
		if err == nil && !seen[string(data)] {
			seen[string(data)] = true
			once = append(once, one)
		}
	}
	switch len(once) {
	case 0:
		return map[string]any{}
	case 1:
		return once[0]
	}
	return map[string]any{"anyOf": once}
}
