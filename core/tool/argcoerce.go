package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// coercion walks arguments along a schema and notes whether it changed any.
type coercion struct {
	root    *argSchema
	changed bool
}

// value returns v as s wants it, or an *ArgError at pointer.
func (c *coercion) value(pointer string, s *argSchema, v any) (any, error) {
	if len(s.Type) > 0 {
		var ok bool
		if v, ok = c.typed(s, v); !ok {
			return nil, c.refuse(pointer, s.describe(), describeValue(v))
		}
	}
	if len(s.Enum) > 0 {
		var ok bool
		if v, ok = c.member(s.Enum, v); !ok {
			return nil, c.refuse(pointer, s.describe(), describeValue(v))
		}
	}
	switch t := v.(type) {
	case json.Number:
		if f, err := t.Float64(); err != nil || s.Minimum != nil && f < *s.Minimum || s.Maximum != nil && f > *s.Maximum {
			return nil, c.refuse(pointer, s.describe(), describeValue(v))
		}
	case map[string]any:
		return v, c.object(pointer, s, t)
	case []any:
		return v, c.array(pointer, s, t)
	}
	return v, nil
}

func (c *coercion) object(pointer string, s *argSchema, obj map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(obj)) {
		v := obj[name]
		p, known := s.Properties[name]
		switch {
		case known && v == nil && !slices.Contains(p.Type, "null"):
			delete(obj, name)
			c.changed = true
			continue
		case !known && s.Additional.schema != nil:
			p = s.Additional.schema
		case !known:
			continue
		}
		fixed, err := c.value(pointer+"/"+escapePointer(name), p, v)
		if err != nil {
			return err
		}
		obj[name] = fixed
	}
	for _, name := range s.Required {
		if _, ok := obj[name]; ok {
			continue
		}
		want := "a value"
		if p := s.Properties[name]; p != nil {
			want = p.describe()
		}
		return c.refuse(pointer+"/"+escapePointer(name), want+" (required)", missing(s.unknown(obj)))
	}
	return nil
}

func missing(unknown []string) string {
	if len(unknown) == 0 {
		return "nothing"
	}
	for i, name := range unknown {
		unknown[i] = strconv.Quote(clip(name))
	}
	return "nothing (unknown: " + strings.Join(unknown[:min(len(unknown), 5)], ", ") + ")"
}

func (c *coercion) array(pointer string, s *argSchema, list []any) error {
	if s.Items == nil {
		return nil
	}
	for i, v := range list {
		fixed, err := c.value(pointer+"/"+strconv.Itoa(i), s.Items, v)
		if err != nil {
			return err
		}
		list[i] = fixed
	}
	return nil
}

// typed returns v as one of the types of s.
func (c *coercion) typed(s *argSchema, v any) (any, bool) {
	for _, name := range s.Type {
		if isType(name, v) {
			return v, true
		}
	}
	for _, name := range s.Type {
		if fixed, ok := convert(name, s, v); ok {
			c.changed = true
			return fixed, true
		}
	}
	return v, false
}

// isType reports whether v already is what the type's name says and needs no
// change to be stored. 5.0 is an integer but must be rewritten for Go.
func isType(name string, v any) bool {
	switch t := v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case json.Number:
		return name == "number" || name == "integer" && !strings.ContainsAny(t.String(), ".eE")
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	}
	return false
}

// convert puts right what was meant harmlessly.
func convert(name string, s *argSchema, v any) (any, bool) {
	text, isText := v.(string)
	switch name {
	case "integer":
		return toInteger(v)
	case "number":
		n := json.Number(strings.TrimSpace(text))
		return n, isText && isNumber(n.String())
	case "boolean":
		b, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(text)))
		return b, isText && err == nil
	case "string":
		return toText(v)
	case "array":
		return toArray(s, v)
	case "object":
		if inner, err := parseJSON([]byte(text)); isText && err == nil {
			obj, ok := inner.(map[string]any)
			return obj, ok
		}
	}
	return nil, false
}

func toInteger(v any) (any, bool) {
	var text string
	switch t := v.(type) {
	case json.Number:
		text = t.String()
	case string:
		text = strings.TrimSpace(t)
	}
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return json.Number(strconv.FormatInt(i, 10)), true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return nil, false
	}
	return json.Number(strconv.FormatInt(int64(f), 10)), true
}

func toText(v any) (any, bool) {
	switch t := v.(type) {
	case json.Number:
		return t.String(), true
	case bool:
		return strconv.FormatBool(t), true
	}
	return nil, false
}

func toArray(s *argSchema, v any) (any, bool) {
	text, ok := v.(string)
	if !ok {
		return nil, false
	}
	if inner, err := parseJSON([]byte(text)); err == nil {
		if list, ok := inner.([]any); ok {
			return list, true
		}
	}
	if s.Items == nil || !slices.Contains(s.Items.Type, "string") {
		return nil, false
	}
	return []any{text}, true
}

// isNumber reports whether text is a JSON number.
func isNumber(text string) bool {
	return text != "" && text[0] != '"' && json.Valid([]byte(text)) && strings.ContainsAny(text[:1], "-0123456789")
}

// member finds v in enum, letter case aside.
func (c *coercion) member(enum []any, v any) (any, bool) {
	for _, e := range enum {
		if compact(e) == compact(v) {
			return v, true
		}
	}
	text, isText := v.(string)
	for _, e := range enum {
		if word, ok := e.(string); ok && isText && strings.EqualFold(word, strings.TrimSpace(text)) {
			c.changed = true
			return word, true
		}
	}
	return v, false
}

func (c *coercion) refuse(pointer, expected, got string) error {
	top, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	return &ArgError{Pointer: pointer, Expected: expected, Got: got, Example: c.root.exampleWith(unescapePointer(top))}
}

// describeValue names what came, shortened.
func describeValue(v any) string {
	switch t := v.(type) {
	case nil:
		return "null"
	case string:
		return "the string " + strconv.Quote(clip(t))
	case json.Number:
		return "the number " + clip(t.String())
	case bool:
		return "the boolean " + strconv.FormatBool(t)
	case []any:
		return fmt.Sprintf("an array of %d", len(t))
	case map[string]any:
		return "an object"
	}
	return fmt.Sprintf("%T", v)
}

func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "..."
}

var pointerEscaper, pointerUnescaper = strings.NewReplacer("~", "~0", "/", "~1"), strings.NewReplacer("~1", "/", "~0", "~")

func escapePointer(name string) string { return pointerEscaper.Replace(name) }
func unescapePointer(s string) string  { return pointerUnescaper.Replace(s) }
