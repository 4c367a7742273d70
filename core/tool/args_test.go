package tool_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/tool"
)

const argSchema = `{"type":"object","properties":{
	"path":{"type":"string"},
	"offset":{"type":"integer","minimum":1},
	"ratio":{"type":"number","maximum":2},
	"all":{"type":"boolean"},
	"names":{"type":"array","items":{"type":"string"}},
	"mode":{"type":"string","enum":["fast","slow"]},
	"edits":{"type":"array","items":{"type":"object","properties":{"old":{"type":"string"},"n":{"type":"integer"}},"required":["old"]}},
	"env":{"type":"object","additionalProperties":{"type":"string"}}
},"required":["path"]}`

type args struct {
	Path   string
	Offset int
	Ratio  float64
	All    bool
	Names  []string
	Mode   string
	Edits  []struct {
		Old string
		N   int
	}
	Env map[string]string
}

func TestDecodeAcceptsWhatIsMeant(t *testing.T) {
	tests := []struct {
		name, in string
		want     args
	}{
		{"plain", `{"path":"a","offset":3,"ratio":1.5,"all":true,"names":["x"]}`, args{Path: "a", Offset: 3, Ratio: 1.5, All: true, Names: []string{"x"}}},
		{"number as string", `{"path":"a","offset":" 5 ","ratio":"0.5"}`, args{Path: "a", Offset: 5, Ratio: 0.5}},
		{"whole float", `{"path":"a","offset":5.0}`, args{Path: "a", Offset: 5}},
		{"boolean as string", `{"path":"a","all":"True"}`, args{Path: "a", All: true}},
		{"string for list", `{"path":"a","names":"x"}`, args{Path: "a", Names: []string{"x"}}},
		{"list as JSON text", `{"path":"a","names":"[\"x\",\"y\"]"}`, args{Path: "a", Names: []string{"x", "y"}}},
		{"number for text", `{"path":7}`, args{Path: "7"}},
		{"numbers in list of text", `{"path":"a","names":[1,"b"]}`, args{Path: "a", Names: []string{"1", "b"}}},
		{"null is absent", `{"path":"a","offset":null}`, args{Path: "a"}},
		{"unknown ignored", `{"path":"a","why":{"deep":[1]}}`, args{Path: "a"}},
		{"enum case", `{"path":"a","mode":"FAST"}`, args{Path: "a", Mode: "fast"}},
		{"encoded twice", `"{\"path\":\"a\"}"`, args{Path: "a"}},
		{"map values", `{"path":"a","env":{"N":1}}`, args{Path: "a", Env: map[string]string{"N": "1"}}},
		{"string keeps its bytes", `{"path":" \u2019\u00a0<&> "}`, args{Path: " \u2019\u00a0<&> "}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got args
			if err := tool.Decode(json.RawMessage(tt.in), json.RawMessage(argSchema), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestDecodeRefusalTeaches(t *testing.T) {
	tests := []struct {
		name, in string
		want     tool.ArgError
	}{
		{"missing", `{"file_path":"a"}`, tool.ArgError{Pointer: "/path", Expected: "string (required)", Got: `nothing (unknown: "file_path")`, Example: `{"path":"src/main.go"}`}},
		{"required null", `{"path":null}`, tool.ArgError{Pointer: "/path", Expected: "string (required)", Got: "nothing", Example: `{"path":"src/main.go"}`}},
		{"not a number", `{"path":"a","offset":"ten"}`, tool.ArgError{Pointer: "/offset", Expected: "integer of at least 1", Got: `the string "ten"`, Example: `{"offset":1,"path":"src/main.go"}`}},
		{"fraction", `{"path":"a","offset":1.5}`, tool.ArgError{Pointer: "/offset", Expected: "integer of at least 1", Got: "the number 1.5", Example: `{"offset":1,"path":"src/main.go"}`}},
		{"too small", `{"path":"a","offset":0}`, tool.ArgError{Pointer: "/offset", Expected: "integer of at least 1", Got: "the number 0", Example: `{"offset":1,"path":"src/main.go"}`}},
		{"too large", `{"path":"a","ratio":3}`, tool.ArgError{Pointer: "/ratio", Expected: "number of at most 2", Got: "the number 3", Example: `{"path":"src/main.go","ratio":1}`}},
		{"object for text", `{"path":{"a":1}}`, tool.ArgError{Pointer: "/path", Expected: "string", Got: "an object", Example: `{"path":"src/main.go"}`}},
		{"deep", `{"path":"a","edits":[{"old":"x"},{"n":1}]}`, tool.ArgError{Pointer: "/edits/1/old", Expected: "string (required)", Got: "nothing", Example: `{"edits":[{"old":"text"}],"path":"src/main.go"}`}},
		{"enum", `{"path":"a","mode":"warp"}`, tool.ArgError{Pointer: "/mode", Expected: `one of "fast", "slow"`, Got: `the string "warp"`, Example: `{"mode":"fast","path":"src/main.go"}`}},
		{"array", `[1]`, tool.ArgError{Expected: "object", Got: "an array of 1", Example: `{"path":"src/main.go"}`}},
		{"cut", `{"path":"a`, tool.ArgError{Expected: "a JSON object", Got: "text that is not JSON (it ends too early)", Example: `{"path":"src/main.go"}`}},
		{"two objects", `{"path":"a"}{"path":"b"}`, tool.ArgError{Expected: "a JSON object", Got: "text that is not JSON (something follows the object)", Example: `{"path":"src/main.go"}`}},
		{"none", ``, tool.ArgError{Pointer: "/path", Expected: "string (required)", Got: "nothing", Example: `{"path":"src/main.go"}`}},
		{"beyond int", `{"path":"a","offset":99999999999999999999}`, tool.ArgError{Pointer: "/Offset", Expected: "a value that fits int", Got: "number 99999999999999999999", Example: `{"path":"src/main.go"}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var dst args
			err := tool.Decode(json.RawMessage(tt.in), json.RawMessage(argSchema), &dst)
			var got *tool.ArgError
			if !errors.As(err, &got) {
				t.Fatalf("got %v, want an ArgError", err)
			}
			if diff := cmp.Diff(tt.want, *got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if err := tool.Decode(json.RawMessage(got.Example), json.RawMessage(argSchema), &dst); err != nil {
				t.Errorf("the example is refused: %v", err)
			}
		})
	}
}

func TestDecodeReportsBrokenSchemaAsOurFault(t *testing.T) {
	err := tool.Decode(json.RawMessage(`{}`), json.RawMessage(`{"type":7}`), nil)
	var arg *tool.ArgError
	if err == nil || errors.As(err, &arg) {
		t.Errorf("got %v, want an error that is no ArgError", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{}`, `{"path":"a","names":"[1,"}`, `"\"\\\"{}\\\"\""`, `{"path":1e400}`, `{"offset":"1e999","path":""}`, `[[[[`, `{"env":"{}"}`, `{"path":-0}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var dst args
		err := tool.Decode(in, json.RawMessage(argSchema), &dst)
		if err == nil {
			if dst.Offset < 0 || dst.Ratio > 2 || dst.Mode != "" && dst.Mode != "fast" && dst.Mode != "slow" {
				t.Errorf("accepted %q as %+v", in, dst)
			}
			return
		}
		var arg *tool.ArgError
		if !errors.As(err, &arg) {
			t.Fatalf("%q: not an ArgError: %v", in, err)
		}
		if len(err.Error()) > 2000 || strings.Contains(err.Error(), "\n") {
			t.Errorf("unfit for the model: %q", err)
		}
		if err := tool.Decode([]byte(arg.Example), json.RawMessage(argSchema), &dst); err != nil {
			t.Errorf("the example %s is refused: %v", arg.Example, err)
		}
	})
}
