package shape

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// A kind is what the value of a JSON Schema keyword must be.
type kind int

const (
	text      kind = iota + 1
	flag           // true or false
	number         // any number
	count          // a whole number that is not negative
	anything       // any value
	list           // an array of any values
	schema         // a schema
	schemas        // an array of schemas, not empty
	schemaMap      // schemas by name
)

// keywords are those of draft 2020-12 that say something about arguments. What is
// not in the table, or has a value of another kind, is left out of a schema: a
// validating endpoint refuses it and no other reads it. Those of "type", "enum",
// "const", "required", "items" and references are repaired, not only checked.
var keywords = map[string]kind{
	"title": text, "description": text, "format": text, "pattern": text,
	"contentEncoding": text, "contentMediaType": text,
	"default": anything, "examples": list,
	"deprecated": flag, "readOnly": flag, "writeOnly": flag, "uniqueItems": flag,
	"minimum": number, "maximum": number, "exclusiveMinimum": number, "exclusiveMaximum": number, "multipleOf": number,
	"minLength": count, "maxLength": count, "minItems": count, "maxItems": count,
	"minProperties": count, "maxProperties": count, "minContains": count, "maxContains": count,
	"additionalProperties": schema, "unevaluatedProperties": schema, "propertyNames": schema,
	"contains": schema, "not": schema, "if": schema, "then": schema, "else": schema,
	"anyOf": schemas, "oneOf": schemas, "allOf": schemas,
	"properties": schemaMap, "patternProperties": schemaMap, "dependentSchemas": schemaMap,
}

// plain tells whether v is of a kind that has no schema in it.
func (k kind) plain(v any) bool {
	switch k {
	case text:
		_, ok := v.(string)
		return ok
	case flag:
		_, ok := v.(bool)
		return ok
	case number:
		n, ok := v.(json.Number)
		return ok && finite(n)
	case count:
		n, ok := v.(json.Number)
		if !ok {
			return false
		}
		_, err := strconv.ParseUint(string(n), 10, 53)
		return err == nil
	case list:
		_, ok := v.([]any)
		return ok
	case anything:
		return true
	case schema, schemas, schemaMap:
	}
	return false
}

func finite(n json.Number) bool {
	f, err := n.Float64()
	return err == nil && !math.IsInf(f, 0)
}

// typeNames are the types of JSON Schema and what servers write instead of them.
var typeNames = map[string]string{
	"string": "string", "str": "string", "text": "string",
	"number": "number", "float": "number", "double": "number",
	"integer": "integer", "int": "integer", "long": "integer",
	"boolean": "boolean", "bool": "boolean",
	"array": "array", "list": "array", "tuple": "array",
	"object": "object", "dict": "object", "map": "object",
	"null": "null", "none": "null",
}

// types reads "type": one name, several, or nothing that is one.
func types(v any) []string {
	var names []string
	all, several := v.([]any)
	if !several {
		all = []any{v}
	}
	seen := map[string]bool{}
	for _, one := range all {
		word, _ := one.(string)
		name := typeNames[strings.ToLower(word)]
		if name != "" && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}
