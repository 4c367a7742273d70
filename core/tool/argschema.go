package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// argSchema is the part of JSON Schema that Decode knows.
type argSchema struct {
	Type       typeList              `json:"type"`
	Properties map[string]*argSchema `json:"properties"`
	Required   []string              `json:"required"`
	Items      *argSchema            `json:"items"`
	Enum       []any                 `json:"enum"`
	Minimum    *float64              `json:"minimum"`
	Maximum    *float64              `json:"maximum"`
	Default    any                   `json:"default"`
	Additional additional            `json:"additionalProperties"`
}

// typeList is "type": one name or several.
type typeList []string

func (t *typeList) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = typeList{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(t))
}

// additional is "additionalProperties" when it is a schema; true and false mean
// the same here, as unknown properties are ignored.
type additional struct{ schema *argSchema }

func (a *additional) UnmarshalJSON(data []byte) error {
	if len(data) == 0 || data[0] != '{' {
		return nil
	}
	return json.Unmarshal(data, &a.schema)
}

// describe says in a few words what the schema accepts.
func (s *argSchema) describe() string {
	if len(s.Enum) > 0 {
		var words []string
		for _, v := range s.Enum {
			words = append(words, compact(v))
		}
		return "one of " + strings.Join(words, ", ")
	}
	name := strings.Join(s.Type, " or ")
	switch {
	case name == "":
		return "a value"
	case name == "array" && s.Items != nil:
		return "array of " + s.Items.describe()
	case s.Minimum != nil && s.Maximum != nil:
		return fmt.Sprintf("%s from %v to %v", name, *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		return fmt.Sprintf("%s of at least %v", name, *s.Minimum)
	case s.Maximum != nil:
		return fmt.Sprintf("%s of at most %v", name, *s.Maximum)
	}
	return name
}

// exampleWith is a correct object: the required properties and also.
func (s *argSchema) exampleWith(also string) string { return compact(s.example("", also)) }

func (s *argSchema) example(name, also string) any {
	switch {
	case s.Default != nil:
		return s.Default
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.Type) == 0:
		return "text"
	}
	switch s.Type[0] {
	case "object":
		return s.exampleObject(also)
	case "array":
		if s.Items == nil {
			return []any{}
		}
		return []any{s.Items.example(strings.TrimSuffix(name, "s"), "")}
	case "integer", "number":
		return s.exampleNumber()
	case "boolean":
		return true
	case "null":
		return nil
	}
	return exampleText(name)
}

func (s *argSchema) exampleObject(also string) any {
	obj := map[string]any{}
	for name, p := range s.Properties {
		if name == also || slices.Contains(s.Required, name) {
			obj[name] = p.example(name, "")
		}
	}
	return obj
}

func (s *argSchema) exampleNumber() any {
	n := 1.0
	if s.Minimum != nil && *s.Minimum > n {
		n = *s.Minimum
	}
	if s.Maximum != nil && *s.Maximum < n {
		n = *s.Maximum
	}
	return n
}

func exampleText(name string) string {
	switch name {
	case "path", "file", "file_path":
		return "src/main.go"
	case "command":
		return "ls -l"
	case "pattern", "query":
		return "func main"
	}
	return "text"
}

// unknown lists the properties of obj that s does not have, sorted.
func (s *argSchema) unknown(obj map[string]any) []string {
	var names []string
	for name := range obj {
		if _, ok := s.Properties[name]; !ok {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}

// compact is v as JSON on one line.
func compact(v any) string {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(buf.String(), "\n")
}
