package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"reasonix/core/config"
)

// A form is what a server wants to know: fields of plain values, as the protocol has
// them.
type form struct{ fields []field }

// A field is one of them.
type field struct {
	name     string
	schema   *jsonschema.Schema
	rules    *jsonschema.Resolved
	required bool
	choices  []choice
}

// A choice is a value that may be chosen, and what it is called.
type choice struct{ value, title string }

func newForm(schema json.RawMessage) (*form, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, errors.New("the form is no schema")
	}
	names := slices.Sorted(maps.Keys(s.Properties))
	if len(s.PropertyOrder) == len(names) {
		names = s.PropertyOrder
	}
	f := &form{}
	for _, name := range names {
		p := s.Properties[name]
		rules, err := p.Resolve(nil)
		if err != nil {
			return nil, fmt.Errorf("the field %s has no meaning", name)
		}
		f.fields = append(f.fields, field{name, p, rules, slices.Contains(s.Required, name), choicesOf(p)})
	}
	return f, nil
}

// choicesOf are those of a text, or of the elements of a list.
func choicesOf(s *jsonschema.Schema) []choice {
	if s.Items != nil {
		s = s.Items
	}
	var all []choice
	titles, _ := s.Extra["enumNames"].([]any)
	for i, v := range s.Enum {
		c := choice{value: fmt.Sprint(v)}
		if i < len(titles) {
			c.title = fmt.Sprint(titles[i])
		}
		all = append(all, c)
	}
	for _, one := range slices.Concat(s.OneOf, s.AnyOf) {
		if one.Const != nil {
			all = append(all, choice{fmt.Sprint(*one.Const), one.Title})
		}
	}
	return all
}

func (f *form) names() string {
	if len(f.fields) == 0 {
		return "nothing but your yes"
	}
	var names []string
	for _, one := range f.fields {
		names = append(names, one.name)
	}
	return strings.Join(names, ", ")
}

// fill asks for each field until what is typed fits it.
func (f *form) fill(ctx context.Context, a *asker) (map[string]any, error) {
	values := map[string]any{}
	for _, one := range f.fields {
		a.say("%s", config.Printable(one.describe()))
		for i, c := range one.choices {
			a.say("  %d  %s", i+1, config.Printable(strings.TrimSpace(c.value+"  "+c.title)))
		}
		for {
			text, err := a.line(ctx, "> ")
			if err != nil {
				return nil, err
			}
			value, given, err := one.read(text)
			if err != nil {
				a.say("  %s", config.Printable(err.Error()))
				continue
			}
			if given {
				values[one.name] = value
			}
			break
		}
	}
	return values, nil
}

// describe says what a field is for and what fits.
func (f field) describe() string {
	text := f.name
	for _, more := range []string{f.schema.Title, f.schema.Description} {
		if more != "" {
			text += ": " + more
		}
	}
	kinds := map[string]string{"integer": "a whole number", "number": "a number", "boolean": "yes or no", "array": "any of these, with commas between"}
	facts := []string{kinds[f.schema.Type], map[string]string{"email": "an address for mail", "uri": "an address (URI)", "date": "a date, 2006-01-02", "date-time": "a time, 2006-01-02T15:04:05Z"}[f.schema.Format]}
	if f.schema.Minimum != nil {
		facts = append(facts, fmt.Sprintf("at least %g", *f.schema.Minimum))
	}
	if f.schema.Maximum != nil {
		facts = append(facts, fmt.Sprintf("at most %g", *f.schema.Maximum))
	}
	switch {
	case len(f.schema.Default) > 0:
		facts = append(facts, "empty for "+string(f.schema.Default))
	case !f.required:
		facts = append(facts, "empty to leave it out")
	}
	facts = slices.DeleteFunc(facts, func(s string) bool { return s == "" })
	if len(facts) > 0 {
		text += " (" + strings.Join(facts, "; ") + ")"
	}
	return text
}

// read is the value that a text stands for; given is false where it is left out.
func (f field) read(text string) (value any, given bool, err error) {
	switch {
	case text != "":
		value, err = f.parse(text)
	case len(f.schema.Default) > 0:
		err = json.Unmarshal(f.schema.Default, &value)
	case f.required:
		return nil, false, errors.New("it is needed")
	default:
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if err := f.rules.Validate(value); err != nil {
		return nil, false, fmt.Errorf("that does not fit: %s", strings.TrimPrefix(err.Error(), "validating root: "))
	}
	return value, true, nil
}

func (f field) parse(text string) (any, error) {
	switch f.schema.Type {
	case "boolean":
		v, ok := map[string]bool{"y": true, "yes": true, "true": true, "n": false, "no": false, "false": false}[strings.ToLower(text)]
		if !ok {
			return nil, errors.New("want yes or no")
		}
		return v, nil
	case "integer", "number":
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) || f.schema.Type == "integer" && v != math.Trunc(v) {
			return nil, errors.New("want " + map[string]string{"integer": "a whole number", "number": "a number"}[f.schema.Type])
		}
		return v, nil
	case "array":
		list := []any{}
		for part := range strings.SplitSeq(text, ",") {
			v, err := f.choose(strings.TrimSpace(part))
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	}
	if len(f.choices) > 0 {
		return f.choose(text)
	}
	return text, formatted(f.schema.Format, text)
}

// choose finds a choice by its value, what it is called or its number.
func (f field) choose(text string) (any, error) {
	for _, by := range []func(int, choice) bool{
		func(_ int, c choice) bool { return c.value == text },
		func(_ int, c choice) bool { return c.title != "" && strings.EqualFold(c.title, text) },
		func(i int, _ choice) bool { return strconv.Itoa(i+1) == text },
	} {
		for i, c := range f.choices {
			if by(i, c) {
				return c.value, nil
			}
		}
	}
	return nil, fmt.Errorf("%q is none of them", text)
}

// formatted checks what the protocol's forms may say of a text. The schemas' library
// does not.
func formatted(format, text string) error {
	var err error
	switch format {
	case "email":
		var a *mail.Address
		if a, err = mail.ParseAddress(text); err == nil && a.Address != text {
			err = errors.New("a name")
		}
	case "uri":
		var u *url.URL
		if u, err = url.Parse(text); err == nil && !u.IsAbs() {
			err = errors.New("no scheme")
		}
	case "date":
		_, err = time.Parse(time.DateOnly, text)
	case "date-time":
		_, err = time.Parse(time.RFC3339, text)
	}
	if err != nil {
		return fmt.Errorf("%q is none: want %s", text, map[string]string{
			"email": "name@example.com", "uri": "https://example.com", "date": "2006-01-02", "date-time": "2006-01-02T15:04:05Z",
		}[format])
	}
	return nil
}
