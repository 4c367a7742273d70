package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// named are the arrays of tables whose elements are addressed by their name.
var named = []string{"providers", "plugins", "hooks"}

// at is the value at path; #N is an array's element.
func at(v any, path []string) (any, bool) {
	for _, part := range path {
		switch t := v.(type) {
		case map[string]any:
			next, ok := t[part]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(strings.TrimPrefix(part, "#"))
			if err != nil || i < 0 || i >= len(t) {
				return nil, false
			}
			v = t[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// put sets the value at path, whose parents are made where they are missing. A
// part below providers or plugins is an element's name.
func put(tree map[string]any, path []string, value any) {
	if len(path) > 2 && slices.Contains(named, path[0]) && !strings.HasPrefix(path[1], "#") {
		elem := map[string]any{"name": path[1]}
		list, _ := tree[path[0]].([]any)
		if i := indexOf(list, path[1]); i >= 0 {
			elem = list[i].(map[string]any)
		} else {
			tree[path[0]] = append(list, elem)
		}
		put(elem, path[2:], value)
		return
	}
	for i, part := range path[:len(path)-1] {
		if list, ok := tree[part].([]any); ok && i+1 < len(path) {
			if elem, ok := at(list, path[i+1:i+2]); ok {
				put(elem.(map[string]any), path[i+2:], value)
			}
			return
		}
		next, ok := tree[part].(map[string]any)
		if !ok {
			next = map[string]any{}
			tree[part] = next
		}
		tree = next
	}
	tree[path[len(path)-1]] = value
}

// drop removes the value at path.
func drop(tree map[string]any, path []string) {
	parent, ok := at(tree, path[:len(path)-1])
	if m, isMap := parent.(map[string]any); ok && isMap {
		delete(m, path[len(path)-1])
	}
}

// indexOf finds the element with a name, -1 when there is none.
func indexOf(list []any, name string) int {
	return slices.IndexFunc(list, func(v any) bool {
		m, ok := v.(map[string]any)
		return ok && m["name"] == name
	})
}

// merge lays src over dst: tables merge, providers and plugins merge by name,
// everything else is replaced. Nothing of src is shared with dst afterwards.
func merge(dst, src map[string]any) {
	for k, v := range src {
		old, isTable := dst[k].(map[string]any)
		if m, ok := v.(map[string]any); ok && isTable {
			merge(old, m)
			continue
		}
		list, ok := v.([]any)
		if ok && slices.Contains(named, k) {
			dst[k] = mergeNamed(dst[k], list)
			continue
		}
		dst[k] = clone(v)
	}
}

func mergeNamed(old any, src []any) []any {
	list, _ := old.([]any)
	for _, v := range src {
		m, _ := v.(map[string]any)
		name, _ := m["name"].(string)
		if i := indexOf(list, name); i >= 0 {
			merge(list[i].(map[string]any), m)
			continue
		}
		list = append(list, clone(v))
	}
	return list
}

func clone(v any) any {
	switch t := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(t))
		for k, e := range t {
			out[k] = clone(e)
		}
		return out
	case []any:
		out := make([]any, len(t))
		for i, e := range t {
			out[i] = clone(e)
		}
		return out
	default:
		return v
	}
}

// ParseValue reads text, as a person types it at a prompt or in the environment,
// as a value of k: a list is a TOML array or names with commas between them, a
// table is a TOML inline table. The error says what was expected.
func ParseValue(k Key, text string) (any, error) {
	trimmed := strings.TrimSpace(text)
	var v any
	var err error
	switch k.Kind {
	case KindString:
		return k.accept(text)
	case KindBool:
		v, err = strconv.ParseBool(trimmed)
	case KindInt:
		v, err = strconv.ParseInt(strings.ReplaceAll(trimmed, "_", ""), 10, 64)
	case KindFloat:
		v, err = strconv.ParseFloat(trimmed, 64)
	case KindStrings:
		if !strings.HasPrefix(trimmed, "[") {
			return k.accept(splitList(trimmed))
		}
		v, err = parseTOMLValue(trimmed)
	default:
		v, err = parseTOMLValue(trimmed)
	}
	if err != nil {
		return nil, fmt.Errorf("want %s", k.want())
	}
	return k.accept(v)
}

func splitList(s string) []any {
	list := []any{}
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

func parseTOMLValue(s string) (any, error) {
	var doc map[string]any
	if err := toml.Unmarshal([]byte("v = "+s), &doc); err != nil || len(doc) != 1 {
		return nil, fmt.Errorf("not a TOML value: %s", clip(s))
	}
	return doc["v"], nil
}

// accept checks a value against k and gives it the form TOML decoding has:
// string, bool, int64, float64, []any, map[string]any.
func (k Key) accept(v any) (any, error) {
	out, ok := k.convert(v)
	if !ok {
		return nil, fmt.Errorf("want %s", k.want())
	}
	if s, isString := out.(string); isString && len(k.Enum) > 0 && !slices.Contains(k.Enum, s) && s != k.Default && !k.Fallback {
		return nil, fmt.Errorf("want %s", k.want())
	}
	return out, nil
}

func (k Key) convert(v any) (any, bool) {
	switch k.Kind {
	case KindString:
		s, ok := v.(string)
		return s, ok
	case KindBool:
		b, ok := v.(bool)
		return b, ok
	case KindInt:
		return k.integer(v)
	case KindFloat:
		return k.number(v)
	case KindStrings:
		return stringsOf(v)
	case KindMap, KindIntMap:
		return k.tableOf(v)
	default:
		if m, ok := v.(map[string]any); ok {
			return clone(m), true
		}
		return nil, false
	}
}

func (k Key) integer(v any) (any, bool) {
	n, ok := v.(int64)
	if i, isInt := v.(int); isInt {
		n, ok = int64(i), true
	}
	return n, ok && k.inRange(float64(n))
}

func (k Key) number(v any) (any, bool) {
	switch n := v.(type) {
	case float64:
		return n, !math.IsNaN(n) && !math.IsInf(n, 0) && k.inRange(n)
	case int64:
		return float64(n), k.inRange(float64(n))
	case int:
		return float64(n), k.inRange(float64(n))
	default:
		return nil, false
	}
}

func (k Key) inRange(n float64) bool {
	return n >= k.Min && (k.Max == 0 || n <= k.Max) && (k.Kind == KindFloat || n <= math.MaxInt32)
}

func stringsOf(v any) (any, bool) {
	if list, ok := v.([]string); ok {
		out := make([]any, len(list))
		for i, s := range list {
			out[i] = s
		}
		return out, true
	}
	list, ok := v.([]any)
	if !ok {
		return nil, false
	}
	for _, e := range list {
		if _, ok := e.(string); !ok {
			return nil, false
		}
	}
	return clone(list), true
}

func (k Key) tableOf(v any) (any, bool) {
	if m, ok := v.(map[string]string); ok {
		out := map[string]any{}
		for name, s := range m {
			out[name] = s
		}
		v = out
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	elem := k
	elem.Kind = k.Kind.element()
	out := map[string]any{}
	for name, e := range m {
		if out[name], ok = elem.convert(e); !ok {
			return nil, false
		}
	}
	return out, true
}

// want says in words what k takes.
func (k Key) want() string {
	switch {
	case len(k.Enum) > 0:
		return "one of " + strings.Join(k.Enum, ", ")
	case k.Kind == KindString:
		return `a string, in quotes`
	case k.Kind == KindBool:
		return "true or false"
	case k.Kind == KindInt || k.Kind == KindFloat:
		word := map[Kind]string{KindInt: "a whole number", KindFloat: "a number"}[k.Kind]
		if k.Max > 0 && k.Max < maxSeconds {
			return fmt.Sprintf("%s from %v to %v", word, k.Min, k.Max)
		}
		return fmt.Sprintf("%s, %v or more", word, k.Min)
	case k.Kind == KindStrings:
		return `a list of strings: ["a", "b"]`
	case k.Kind == KindMap:
		return `a table of strings: { name = "value" }`
	case k.Kind == KindIntMap:
		return "a table of whole numbers: { name = 1 }"
	default:
		return "a table: { name = value }"
	}
}
