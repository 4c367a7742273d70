package file

import (
	"encoding/json"
	"reflect"
	"testing"
)

// FuzzNotebookEdit: whatever the file is, an edit either refuses or makes valid
// JSON in which every other cell and member is as it was.
func FuzzNotebookEdit(f *testing.F) {
	for _, text := range []string{
		`{"cells":[{"cell_type":"code","source":["a\n"],"outputs":[1],"execution_count":2},{"id":"b","source":""}],"nbformat":4,"nbformat_minor":5}`,
		"{\n \"cells\": [\n  {\n   \"cell_type\": \"raw\",\n   \"source\": []\n  }\n ],\n \"x\": {\"\\u00e9\": [[], {}]}\n}\n",
		`{"cells":[ ]}`, `{"cells":[{}], "cells":[{"source":1}]}`, `[]`, `{ }`, `"x"`, `{"a":1,"cells":[{"source":"a","source":"b"}]}`,
	} {
		for mode := range uint8(4) {
			f.Add(text, "new\n\"é\"", mode, 0)
			f.Add(text, "", mode, -1)
		}
	}
	f.Fuzz(func(t *testing.T, text, source string, mode uint8, number int) {
		in := notebookArgs{Number: &number, Source: &source, Mode: []string{"replace", "insert", "delete", "replace"}[mode%4]}
		if mode%2 == 1 {
			in.Type = "code"
		}
		changes, _, err := in.edit(text)
		if err != nil {
			return
		}
		now := text
		for i := len(changes) - 1; i >= 0; i-- {
			c := changes[i]
			now = now[:c.start] + c.text + now[c.end:]
		}
		was, is := cellsOf(t, text), cellsOf(t, now)
		switch in.Mode {
		case "insert":
			is = append(is[:number+1:number+1], is[number+2:]...)
		case "delete":
			was = append(was[:number:number], was[number+1:]...)
		default:
			if len(is) != len(was) {
				t.Fatalf("%d cells became %d\nfrom %s\nto   %s", len(was), len(is), text, now)
			}
			was[number], is[number] = nil, nil
		}
		if len(was) != len(is) || len(was) > 0 && !reflect.DeepEqual(was, is) {
			t.Fatalf("other cells changed\nfrom %s\nto   %s", text, now)
		}
	})
}

func cellsOf(t *testing.T, text string) []any {
	var top map[string]any
	if err := json.Unmarshal([]byte(text), &top); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	list, _ := top["cells"].([]any)
	return list
}
