package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ArgError is a call's arguments refused. Its text is what the model reads to
// do better: where, what was expected, what came, and a correct example.
type ArgError struct {
	Pointer  string // JSON pointer into the arguments; "" is the whole object
	Expected string
	Got      string
	Example  string // JSON object that the schema accepts
}

func (e *ArgError) Error() string {
	at := e.Pointer
	if at == "" {
		at = "the top level"
	}
	return fmt.Sprintf("bad arguments at %s: expected %s, got %s. The call was not run. Example: %s",
		at, e.Expected, e.Got, e.Example)
}

// Decode checks args against schema and stores them in dst, a pointer; a nil dst
// only checks. It knows the part of JSON Schema the built-ins use: type,
// properties, required, items, enum, minimum, maximum and additionalProperties.
//
// What models get wrong without harm is put right: numbers and booleans written
// as strings and the reverse, one string for an array of strings, an array or
// object sent as a string of JSON, null for an absent property, letter case of
// an enum. Unknown properties are ignored. Anything else is an *ArgError; any
// other error means that schema or dst is wrong.
func Decode(args, schema json.RawMessage, dst any) error {
	var s argSchema
	if err := json.Unmarshal(schema, &s); err != nil {
		return fmt.Errorf("decode arguments: schema: %w", err)
	}
	v, rewritten, err := parseArgs(args)
	if err != nil {
		return &ArgError{Expected: "a JSON object", Got: err.Error(), Example: s.exampleWith("")}
	}
	c := coercion{root: &s, changed: rewritten}
	fixed, err := c.value("", &s, v)
	if err != nil {
		return err
	}
	if dst == nil {
		return nil
	}
	if c.changed {
		if args, err = json.Marshal(fixed); err != nil {
			return fmt.Errorf("decode arguments: %w", err)
		}
	}
	return store(args, dst, &s)
}

func store(args json.RawMessage, dst any, s *argSchema) error {
	err := json.Unmarshal(args, dst)
	var te *json.UnmarshalTypeError
	if errors.As(err, &te) {
		pointer := ""
		if te.Field != "" {
			pointer = "/" + strings.ReplaceAll(te.Field, ".", "/")
		}
		return &ArgError{
			Pointer: pointer, Expected: "a value that fits " + te.Type.String(), Got: te.Value,
			Example: s.exampleWith(""),
		}
	}
	if err != nil {
		return fmt.Errorf("decode arguments: %w", err)
	}
	return nil
}

// parseArgs reads one JSON value; rewritten says that args is not its text. No
// arguments at all are an empty object.
func parseArgs(args json.RawMessage) (v any, rewritten bool, err error) {
	if len(bytes.TrimSpace(args)) == 0 {
		return map[string]any{}, true, nil
	}
	v, err = parseJSON(args)
	if err != nil {
		return nil, false, fmt.Errorf("text that is not JSON (%w)", err)
	}
	if s, ok := v.(string); ok { // the object, encoded twice
		if inner, err := parseJSON([]byte(s)); err == nil {
			return inner, true, nil
		}
	}
	return v, false, nil
}

func parseJSON(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("it ends too early")
		}
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the object")
	}
	return v, nil
}
