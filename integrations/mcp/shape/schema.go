package shape

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

const (
	// MaxSchema is the most bytes a normalised schema may have.
	MaxSchema = 100 << 10
	// MaxProperty is the most bytes the name of an argument may have.
	MaxProperty = 64

	maxRaw   = 4 * MaxSchema // bytes that are looked at
	maxDepth = 64            // levels of schemas in schemas
	maxNodes = 20_000        // schemas in one
	maxWalk  = 1_000_000     // values looked at in search of recursion
)

// ErrTooLarge is in the error of Schema for one that is larger than MaxSchema, or
// has too many levels or parts.
var ErrTooLarge = errors.New("too large")

var errParts = fmt.Errorf("the schema has more than %d parts: %w", maxNodes, ErrTooLarge)

// Schema makes the input schema of a tool one that OpenAI-compatible endpoints
// accept, and returns it in canonical form: equal schemas are equal bytes.
//
// raw is what the SDK decoded, or JSON as bytes. No schema, or an empty one, means
// no arguments. References are written out; those that lead back to themselves stay, with
// what they need below "$defs". A union at the top is merged into one object, and
// keywords with impossible values are repaired or left out. The error says why
// the tool cannot be offered: the schema is no object's, an argument's name is
// longer than MaxProperty bytes or not of [a-zA-Z0-9_.-], or it is too large.
func Schema(raw any) (json.RawMessage, error) {
	root, err := decode(raw)
	if err != nil {
		return nil, err
	}
	out, err := normalise(root, false)
	if errors.Is(err, ErrTooLarge) {
		// Written out it is too large; as references it may not be.
		out, err = normalise(root, true)
	}
	return out, err
}

func normalise(root map[string]any, keep bool) (json.RawMessage, error) {
	n := &normaliser{root: root, keep: keep, names: map[string]string{}, defs: map[string]any{}, taken: map[string]bool{}, loops: map[string]bool{}}
	top, err := n.schema(root, 0)
	if err != nil {
		return nil, err
	}
	object, err := n.object(top, nil)
	if err != nil {
		return nil, err
	}
	if used := n.used(object); len(used) > 0 {
		object["$defs"] = used
	}
	out, err := encode(object)
	if err != nil {
		return nil, fmt.Errorf("encode the schema: %w", err)
	}
	if len(out) > MaxSchema {
		return nil, fmt.Errorf("the schema has %d bytes, more than %d: %w", len(out), MaxSchema, ErrTooLarge)
	}
	return out, nil
}

// decode returns the schema as an object with numbers as they were written.
func decode(raw any) (map[string]any, error) {
	data, err := asJSON(raw)
	if err != nil {
		return nil, err
	}
	if data = bytes.TrimSpace(data); len(data) == 0 {
		return map[string]any{}, nil
	}
	if len(data) > maxRaw {
		return nil, fmt.Errorf("the schema has %d bytes, more than %d: %w", len(data), MaxSchema, ErrTooLarge)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("the schema is no JSON: %w", err)
	}
	switch v := v.(type) {
	case map[string]any:
		return v, nil
	case nil:
		return map[string]any{}, nil
	case bool:
		if v {
			return map[string]any{}, nil
		}
	}
	return nil, fmt.Errorf("the schema is %s, not an object", described(v))
}

func asJSON(raw any) ([]byte, error) {
	switch raw := raw.(type) {
	case nil:
		return nil, nil
	case json.RawMessage:
		return raw, nil
	case []byte:
		return raw, nil
	}
	if v := reflect.ValueOf(raw); v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, nil
	}
	data, err := encode(raw)
	if err != nil {
		return nil, fmt.Errorf("encode the schema: %w", err)
	}
	return data, nil
}

// encode writes v with sorted keys and no escapes that JSON does not need.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func described(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case []any:
		return "an array"
	}
	return "an object"
}

// normaliser makes one schema legal. keep says that references stay references.
type normaliser struct {
	root  map[string]any
	keep  bool
	names map[string]string // pointer -> name below $defs
	taken map[string]bool
	defs  map[string]any
	loops map[string]bool // pointer -> it leads back to itself
	nodes int
	walks int
}

// schema returns a legal schema for v: an object, or false for one that nothing fits.
func (n *normaliser) schema(v any, depth int) (any, error) {
	if n.nodes++; n.nodes > maxNodes {
		return nil, errParts
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("the schema has more than %d levels: %w", maxDepth, ErrTooLarge)
	}
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			return n.reference(ref, v, depth)
		}
		return n.members(v, depth)
	case bool:
		if !v {
			return false, nil
		}
	case string: // the short form some servers write: {"path": "string"}
		if t := types(v); len(t) == 1 {
			return n.members(map[string]any{"type": t[0]}, depth)
		}
	}
	return map[string]any{}, nil
}

// members takes over the keywords of v that are legal.
func (n *normaliser) members(v map[string]any, depth int) (map[string]any, error) {
	out := make(map[string]any, len(v))
	// In order of the names, so that names below $defs are given in that order.
	for _, key := range slices.Sorted(maps.Keys(v)) {
		val := v[key]
		k, known := keywords[key]
		if !known {
			continue
		}
		if k.plain(val) {
			out[key] = val
			continue
		}
		sub, err := n.deeper(k, key, val, depth+1)
		if err != nil {
			return nil, err
		}
		if sub != nil {
			out[key] = sub
		}
	}
	repairType(out, v)
	repairEnum(out, v)
	repairBounds(out, v)
	if err := n.repairItems(out, v, depth+1); err != nil {
		return nil, err
	}
	repairRequired(out, v)
	return out, nil
}

// deeper makes the schemas in a keyword's value legal; nil: the value is left out.
func (n *normaliser) deeper(k kind, key string, val any, depth int) (any, error) {
	switch k {
	case schema:
		switch val.(type) {
		case map[string]any, bool:
			return n.schema(val, depth)
		}
	case schemas:
		all, _ := val.([]any)
		return n.each(all, depth)
	case schemaMap:
		if all, ok := val.(map[string]any); ok {
			return n.named(key, all, depth)
		}
		if key == "properties" && val != nil {
			return nil, fmt.Errorf("properties is %s, not an object", described(val))
		}
	case text, flag, number, count, anything, list: // it is of another kind
	}
	return nil, nil
}

func (n *normaliser) each(all []any, depth int) (any, error) {
	var out []any
	for _, one := range all {
		s, err := n.schema(one, depth)
		if err != nil {
			return nil, err
		}
		if s != false {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	return out, nil
}

// named makes schemas by name legal. An argument that nothing fits is left out.
func (n *normaliser) named(key string, all map[string]any, depth int) (any, error) {
	out := make(map[string]any, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if key == "properties" {
			if err := checkProperty(name); err != nil {
				return nil, err
			}
		}
		s, err := n.schema(all[name], depth)
		if err != nil {
			return nil, err
		}
		if s != false {
			out[name] = s
		}
	}
	return out, nil
}

func checkProperty(name string) error {
	if len(name) > MaxProperty {
		return fmt.Errorf("the argument %.20q... has a name of %d bytes, more than %d", name, len(name), MaxProperty)
	}
	for _, r := range name {
		if illegal(r) && r != '.' {
			return fmt.Errorf("the argument %q has %q in its name; endpoints accept letters, digits, _, . and -", name, r)
		}
	}
	if name == "" {
		return errors.New("an argument has an empty name")
	}
	return nil
}
