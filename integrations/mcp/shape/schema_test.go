package shape_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"reasonix/core/message"
	"reasonix/integrations/mcp/shape"
)

// MC-08: what can be repaired is.
func TestMC08PoorSchemasAreRepaired(t *testing.T) {
	const none = `{"properties":{},"type":"object"}`
	arg := func(s string) string { return `{"properties":{"a":` + s + `},"type":"object"}` }
	for _, c := range []struct{ name, in, want string }{
		{"nothing", ``, none},
		{"null", `null`, none},
		{"true", `true`, none},
		{"empty", `{}`, none},
		{"no type", `{"properties":{"a":{"type":"string"}}}`, arg(`{"type":"string"}`)},
		{"no properties", `{"type":"object","additionalProperties":false}`, `{"additionalProperties":false,"properties":{},"type":"object"}`},
		{"null properties", `{"type":"object","properties":null,"required":["x"]}`, none},
		{"nullable object", `{"type":["object","null"]}`, none},
		{"meta keywords", `{"$schema":"x","$id":"y","$comment":"z","id":1,"x-google":true,"type":"object"}`, none},
		{"type array", arg(`{"type":["string","null"]}`), arg(`{"type":["string","null"]}`)},
		{"type array of one", arg(`{"type":["string","string"]}`), arg(`{"type":"string"}`)},
		{"unknown type", arg(`{"type":"any"}`), arg(`{}`)},
		{"types of other languages", arg(`{"type":["int","str"]}`), arg(`{"type":["integer","string"]}`)},
		{"short form", arg(`"string"`), arg(`{"type":"string"}`)},
		{"true argument", arg(`true`), arg(`{}`)},
		{"null argument", arg(`null`), arg(`{}`)},
		{"false argument", `{"properties":{"a":false,"b":{}},"required":["a","b","c","b",1]}`, `{"properties":{"b":{}},"required":["b"],"type":"object"}`},
		{"required as a flag", arg(`{"type":"string","required":true}`), arg(`{"type":"string"}`)},
		{"array without items", arg(`{"type":"array"}`), arg(`{"items":{},"type":"array"}`)},
		{"items that are true", arg(`{"type":"array","items":true}`), arg(`{"items":{},"type":"array"}`)},
		{"items without array", arg(`{"items":{"type":"string"}}`), arg(`{"items":{"type":"string"},"type":"array"}`)},
		{"tuple", arg(`{"type":"array","items":[{"type":"string"},{"type":"number"}]}`), arg(`{"items":{"anyOf":[{"type":"string"},{"type":"number"}]},"type":"array"}`)},
		{"prefix items", arg(`{"type":"array","prefixItems":[{"type":"string"},{"type":"string"}]}`), arg(`{"items":{"type":"string"},"type":"array"}`)},
		{"const", arg(`{"const":"on"}`), arg(`{"enum":["on"]}`)},
		{"empty enum", arg(`{"type":"string","enum":[]}`), arg(`{"type":"string"}`)},
		{"enum with copies", arg(`{"enum":["a","b","a"]}`), arg(`{"enum":["a","b"]}`)},
		{"bounds of draft 4", arg(`{"minimum":1,"exclusiveMinimum":true,"maximum":9,"exclusiveMaximum":false}`), arg(`{"exclusiveMinimum":1,"maximum":9}`)},
		{"values of the wrong kind", arg(`{"title":1,"description":["x"],"minLength":-1,"maxLength":"5","anyOf":{},"minimum":"0"}`), arg(`{}`)},
		{"big numbers stay", arg(`{"default":12345678901234567890,"maximum":1.50}`), arg(`{"default":12345678901234567890,"maximum":1.50}`)},
		{"markup stays", arg(`{"description":"a < b && c > d"}`), arg(`{"description":"a < b && c > d"}`)},
		{"arguments named like keywords", `{"properties":{"type":{"type":"string"},"$ref":{"type":"string"}},"type":"object"}`, ""},
		{"nested", arg(`{"properties":{"b":{"type":"array"}}}`), arg(`{"properties":{"b":{"items":{},"type":"array"}},"type":"object"}`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := shape.Schema([]byte(c.in))
			if c.want == "" {
				if err == nil {
					t.Errorf("Schema(%s) = %s, want an error", c.in, got)
				}
				return
			}
			if err != nil || string(got) != c.want {
				t.Errorf("Schema(%s)\n got %s, %v\nwant %s", c.in, got, err, c.want)
			}
		})
	}
}

func TestReferencesAreWrittenOutUnlessTheyLeadBack(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{
			"definition", `{"properties":{"a":{"$ref":"#/$defs/P"}},"$defs":{"P":{"type":"string"}}}`,
			`{"properties":{"a":{"type":"string"}},"type":"object"}`,
		},
		{
			"old definitions, with a description beside", `{"properties":{"a":{"$ref":"#/definitions/P","description":"mine"}},"definitions":{"P":{"type":"string","description":"its"}}}`,
			`{"properties":{"a":{"description":"mine","type":"string"}},"type":"object"}`,
		},
		{
			"through another", `{"properties":{"a":{"$ref":"#/$defs/P"}},"$defs":{"P":{"$ref":"#/$defs/Q"},"Q":{"type":"number"}}}`,
			`{"properties":{"a":{"type":"number"}},"type":"object"}`,
		},
		{
			"the whole", `{"$ref":"#/$defs/Args","$defs":{"Args":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}}`,
			`{"properties":{"a":{"type":"string"}},"required":["a"],"type":"object"}`,
		},
		{
			"escaped", `{"properties":{"a":{"$ref":"#/$defs/x~1y%20z"}},"$defs":{"x/y z":{"type":"string"}}}`,
			`{"properties":{"a":{"type":"string"}},"type":"object"}`,
		},
		{
			"to nowhere", `{"properties":{"a":{"$ref":"#/$defs/P","description":"d"},"b":{"$ref":"https://example.com/s.json"},"c":{"$ref":"#anchor"}}}`,
			`{"properties":{"a":{"description":"d"},"b":{},"c":{}},"type":"object"}`,
		},
		{
			"tree", `{"properties":{"root":{"$ref":"#/$defs/Node"},"other":{"$ref":"#/$defs/Node"}},"$defs":{"Node":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/Node"}}}}}}`,
			`{"$defs":{"Node":{"properties":{"kids":{"items":{"$ref":"#/$defs/Node"},"type":"array"}},"type":"object"}},"properties":{"other":{"$ref":"#/$defs/Node"},"root":{"$ref":"#/$defs/Node"}},"type":"object"}`,
		},
		{
			"the whole within itself", `{"properties":{"kid":{"$ref":"#"}}}`,
			`{"$defs":{"schema":{"properties":{"kid":{"$ref":"#/$defs/schema"}},"type":"object"}},"properties":{"kid":{"$ref":"#/$defs/schema"}},"type":"object"}`,
		},
		{
			"only itself", `{"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"$ref":"#/$defs/A"}}}`,
			`{"$defs":{"A":{}},"properties":{"a":{"$ref":"#/$defs/A"}},"type":"object"}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := shape.Schema(json.RawMessage(c.in))
			if err != nil || string(got) != c.want {
				t.Errorf("Schema(%s)\n got %s, %v\nwant %s", c.in, got, err, c.want)
			}
		})
	}
}

func TestUnionsAtTheTopAreMerged(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{
			"anyOf", `{"description":"Find.","properties":{"q":{}},"required":["q"],"anyOf":[{"properties":{"id":{"type":"string"}},"required":["id"]},{"properties":{"name":{"type":"string"}},"required":["name"]}]}`,
			`{"description":"Find.\nGive one of these sets of arguments: id; name.","properties":{"id":{"type":"string"},"name":{"type":"string"},"q":{}},"required":["q"],"type":"object"}`,
		},
		{
			"oneOf with a common argument", `{"oneOf":[{"type":"object","properties":{"k":{"enum":["a"]}},"required":["k"]},{"type":"object","properties":{"k":{"enum":["b"]}},"required":["k"]}]}`,
			`{"properties":{"k":{"anyOf":[{"enum":["a"]},{"enum":["b"]}]}},"required":["k"],"type":"object"}`,
		},
		{
			"allOf", `{"allOf":[{"$ref":"#/$defs/A"},{"properties":{"b":{}},"required":["b"]}],"$defs":{"A":{"properties":{"a":{}},"required":["a"]}}}`,
			`{"properties":{"a":{},"b":{}},"required":["a","b"],"type":"object"}`,
		},
		{
			"an object or nothing", `{"anyOf":[{"type":"object","properties":{"a":{}}},{"type":"null"}]}`,
			`{"properties":{"a":{}},"type":"object"}`,
		},
		{
			"conditions", `{"type":"object","not":{"required":["a"]},"if":{},"then":{},"else":{},"enum":[{}]}`,
			`{"properties":{},"type":"object"}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := shape.Schema([]byte(c.in))
			if err != nil || string(got) != c.want {
				t.Errorf("Schema(%s)\n got %s, %v\nwant %s", c.in, got, err, c.want)
			}
		})
	}
}

// MC-08: what cannot be repaired says why.
func TestMC08SchemasThatCannotBeOffered(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"string", `{"type":"string"}`, "describes string, not an object"},
		{"array", `[]`, "is an array, not an object"},
		{"false", `false`, "is a boolean, not an object"},
		{"no JSON", `{"type":`, "is no JSON"},
		{"list of properties", `{"properties":["a"]}`, "properties is an array, not an object"},
		{"long name", `{"properties":{"` + strings.Repeat("n", 65) + `":{}}}`, "a name of 65 bytes, more than 64"},
		{"illegal name", `{"properties":{"a":{"properties":{"b c":{}}}}}`, `"b c" has ' ' in its name`},
		{"empty name", `{"properties":{"":{}}}`, "an empty name"},
		{"no alternative is an object", `{"anyOf":[{"type":"string"}]}`, "describes string"},
		{"300 KB", `{"properties":{"a":{"description":"` + strings.Repeat("d", 300_000) + `"}}}`, "more than 102400"},
		{"deep", strings.Repeat(`{"items":`, 80) + `{}` + strings.Repeat(`}`, 80), "levels"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := shape.Schema([]byte(c.in))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Schema = %.100s, %v, want %q", got, err, c.want)
			}
		})
	}
}

// A schema that doubles with every reference does not get out of hand: written out
// it would have 2^40 parts, as references it is small.
func TestReferencesThatMultiplyStayReferences(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{"d40":{"type":"string"}`)
	for i := range 40 {
		fmt.Fprintf(&b, `,"d%d":{"properties":{"l":{"$ref":"#/$defs/d%d"},"r":{"$ref":"#/$defs/d%d"}}}`, i, i+1, i+1)
	}
	b.WriteString(`}}`)
	got, err := shape.Schema([]byte(b.String()))
	if err != nil || len(got) > 8000 || !strings.Contains(string(got), `"$ref":"#/$defs/d7"`) {
		t.Errorf("Schema has %d bytes, %v", len(got), err)
	}
}

func TestSchemaTakesWhatTheSDKDecodes(t *testing.T) {
	var missing *struct{}
	for _, in := range []any{nil, missing, map[string]any(nil), map[string]any{}, json.RawMessage(nil), struct{}{}} {
		if got, err := shape.Schema(in); err != nil || string(got) != `{"properties":{},"type":"object"}` {
			t.Errorf("Schema(%#v) = %s, %v", in, got, err)
		}
	}
}

// MC-19: what the schemas cost is known before they are sent.
func TestMC19Tokens(t *testing.T) {
	one := message.ToolSchema{Name: "mcp__a__b", Description: strings.Repeat("d", 400), Parameters: json.RawMessage(strings.Repeat("p", 3591))}
	if got := shape.Tokens(one); got != 1008 {
		t.Errorf("Tokens = %d, want a quarter of 4000 bytes and 8", got)
	}
	if got := shape.Tokens(message.ToolSchema{Description: strings.Repeat("天", 100)}); got != 73 {
		t.Errorf("Tokens of 100 Chinese characters = %d, want 73", got)
	}
	many := make([]message.ToolSchema, 400)
	for i := range many {
		many[i] = one
	}
	if got := shape.Tokens(many...); got != 400*1008 {
		t.Errorf("Tokens of 400 tools = %d", got)
	}
}

func FuzzSchema(f *testing.F) {
	for _, s := range []string{
		`{}`, `null`, `{"$ref":"#"}`, `{"properties":{"a":{"$ref":"#/properties/a"}}}`, `{"type":["object","null"],"required":["a"]}`,
		`{"anyOf":[{"$ref":"#"},{"allOf":[{"$ref":"#/anyOf/0"}]}]}`, `{"properties":{"a":{"type":"array","items":[{"$ref":"#/$defs/x"}]}},"$defs":{"x":{"items":{"$ref":"#/$defs/x"}}}}`,
		`{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"allOf":[{"$ref":"#/$defs/a"}]}}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		got, err := shape.Schema(in)
		if err != nil {
			if got != nil || errors.Is(err, shape.ErrTooLarge) && len(in) < 100 {
				t.Fatalf("Schema(%s) = %s, %v", in, got, err)
			}
			return
		}
		var top struct {
			Type       string
			Properties map[string]any
		}
		if err := json.Unmarshal(got, &top); err != nil || top.Type != "object" || top.Properties == nil || len(got) > shape.MaxSchema {
			t.Fatalf("Schema(%s) = %s", in, got)
		}
		again, err := shape.Schema(in)
		if err != nil || string(again) != string(got) {
			t.Fatalf("Schema is not stable:\n%s\n%s, %v", got, again, err)
		}
		if _, err := shape.Schema(got); err != nil && !errors.Is(err, shape.ErrTooLarge) {
			t.Fatalf("Schema refuses its own %s: %v", got, err)
		}
	})
}
