package providertest

import (
	"encoding/json"
	"fmt"
	"slices"
)

// checkTools judges what the model is told about its tools.
func checkTools(r *Received) string {
	raw, has := r.Fields["tools"]
	if !has {
		return ""
	}
	var tools []struct {
		Type     string
		Function struct {
			Name       string
			Parameters json.RawMessage
		}
	}
	if err := json.Unmarshal(raw, &tools); err != nil {
		return "'tools' is not an array of tools: " + err.Error()
	}
	if len(tools) == 0 {
		return "[] is too short - 'tools'"
	}
	seen := map[string]bool{}
	for i, t := range tools {
		at := fmt.Sprintf("tools[%d]", i)
		switch name := t.Function.Name; {
		case t.Type != "function":
			return at + ": 'type' must be 'function'"
		case !toolName().MatchString(name):
			return fmt.Sprintf("%s: function name '%s' does not match ^[a-zA-Z0-9_-]{1,64}$", at, name)
		case seen[name]:
			return fmt.Sprintf("%s: function name '%s' is there twice", at, name)
		}
		seen[t.Function.Name] = true
		if problem := checkParameters(t.Function.Parameters); problem != "" {
			return fmt.Sprintf("%s: invalid schema for function '%s': %s", at, t.Function.Name, problem)
		}
	}
	return ""
}

// checkParameters wants an object schema; a tool without parameters may leave
// the field out.
func checkParameters(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	var schema map[string]json.RawMessage
	if json.Unmarshal(raw, &schema) != nil || schema == nil {
		return "'parameters' is not an object"
	}
	var kind string
	loosely(schema["type"], &kind)
	if kind != "object" {
		return `schema must be of 'type: "object"'`
	}
	return checkSchema("parameters", schema)
}

// checkSchema looks for a malformed required or properties at any depth.
func checkSchema(at string, schema map[string]json.RawMessage) string {
	if raw, has := schema["required"]; has {
		var names []string
		if json.Unmarshal(raw, &names) != nil || names == nil {
			return fmt.Sprintf("%s: %s is not an array of strings ('required')", at, raw)
		}
	}
	for _, word := range []string{"properties", "$defs", "definitions"} {
		if problem := checkEach(at+"."+word, schema[word]); problem != "" {
			return problem
		}
	}
	var item map[string]json.RawMessage
	loosely(schema["items"], &item)
	if item == nil {
		return ""
	}
	return checkSchema(at+".items", item)
}

// checkEach checks every schema of an object of schemas, in the order of names.
func checkEach(at string, raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	var each map[string]json.RawMessage
	if json.Unmarshal(raw, &each) != nil || each == nil {
		return at + " is not an object"
	}
	names := make([]string, 0, len(each))
	for name := range each {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		var schema map[string]json.RawMessage
		loosely(each[name], &schema) // true and false are schemas too
		if problem := checkSchema(at+"."+name, schema); problem != "" {
			return problem
		}
	}
	return ""
}
