package file_test

import (
	"strings"
	"testing"
)

// jupyter is laid out as Jupyter does it, with fields of other programs.
const jupyter = `{
 "cells": [
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "aa",
   "metadata": {"x": 1.50, "é":  "kept"},
   "outputs": [
    {
     "name": "stdout",
     "text": ["1\n"]
    }
   ],
   "source": [
    "print(1)\n",
    "x = \"é\""
   ]
  },
  {
   "cell_type": "markdown",
   "id": "bb",
   "metadata": {},
   "source": [
    "# Title"
   ]
  }
 ],
 "unknown": [1, 2,   3e0],
 "nbformat": 4,
 "nbformat_minor": 5
}
`

func TestNotebookEdit(t *testing.T) {
	const first = `   "source": [
    "print(1)\n",
    "x = \"é\""
   ]`
	replaced := strings.NewReplacer(first, `   "source": [
    "a\n",
    "é\t\"\\"
   ]`, `"execution_count": 3`, `"execution_count": null`, `   "outputs": [
    {
     "name": "stdout",
     "text": ["1\n"]
    }
   ],`, `   "outputs": [],`).Replace(jupyter)
	second := jupyter[strings.Index(jupyter, ",\n  {\n   \"cell_type\": \"markdown\""):strings.Index(jupyter, "\n ],")]
	for _, tt := range []struct {
		name, file string
		call       args
		want       string
	}{
		{"replace a code cell", jupyter, args{"cell_id": "aa", "new_source": "a\né\t\"\\"}, replaced},
		{"replace a text cell", jupyter, args{"cell_number": 1, "new_source": "# T\r\n\n"}, strings.Replace(jupyter, `    "# Title"`, "    \"# T\\n\",\n    \"\\n\"", 1)},
		{"empty it", jupyter, args{"cell_number": 1, "new_source": ""}, strings.Replace(jupyter, "[\n    \"# Title\"\n   ]", "[]", 1)},
		{"make it code", jupyter, args{"cell_id": "bb", "cell_type": "code", "new_source": "1"}, strings.NewReplacer("    \"# Title\"\n   ]", "    \"1\"\n   ],\n   \"execution_count\": null,\n   \"outputs\": []",
			`"cell_type": "markdown"`, `"cell_type": "code"`).Replace(jupyter)},
		{"delete the first", jupyter, args{"cell_number": 0, "edit_mode": "delete"}, jupyter[:strings.Index(jupyter, "{\n   \"cell_type\": \"code\"")] + jupyter[strings.Index(jupyter, "{\n   \"cell_type\": \"markdown\""):]},
		{"delete the last", jupyter, args{"cell_id": "bb", "edit_mode": "delete"}, strings.Replace(jupyter, second, "", 1)},
		{"insert behind", jupyter, args{"cell_id": "aa", "edit_mode": "insert", "cell_type": "raw", "new_source": "r"}, strings.Replace(jupyter, second,
			",\n  {\n   \"cell_type\": \"raw\",\n   \"id\": \"ID\",\n   \"metadata\": {},\n   \"source\": [\n    \"r\"\n   ]\n  }"+second, 1)},
		{"insert in front", jupyter, args{"cell_number": -1, "edit_mode": "insert", "cell_type": "code", "new_source": "r"}, strings.Replace(jupyter, "  {\n   \"cell_type\": \"code\"",
			"  {\n   \"cell_type\": \"code\",\n   \"execution_count\": null,\n   \"id\": \"ID\",\n   \"metadata\": {},\n   \"outputs\": [],\n   \"source\": [\n    \"r\"\n   ]\n  },\n  {\n   \"cell_type\": \"code\"", 1)},
		{
			"no cells yet", "{\n  \"cells\": [],\n  \"nbformat\": 4, \"nbformat_minor\": 2\n}",
			args{"cell_number": -1, "edit_mode": "insert", "cell_type": "markdown", "new_source": "a\nb"},
			"{\n  \"cells\": [\n    {\n      \"cell_type\": \"markdown\",\n      \"metadata\": {},\n      \"source\": [\n        \"a\\n\",\n        \"b\"\n      ]\n    }\n  ],\n  \"nbformat\": 4, \"nbformat_minor\": 2\n}",
		},
		{
			"one line, escapes, a string", `{"cells":[{"source":"\u00e9","cell_type":"markdown"}],"nbformat":4}`,
			args{"cell_number": 0, "new_source": "\u4e2d\n😀"},
			`{"cells":[{"source":"\u4e2d\n\ud83d\ude00","cell_type":"markdown"}],"nbformat":4}`,
		},
		{
			"one line, insert", `{"nbformat": 4, "cells": [{"cell_type": "raw", "source": []}]}`,
			args{"cell_number": 0, "edit_mode": "insert", "cell_type": "raw", "new_source": "a\nb"},
			`{"nbformat": 4, "cells": [{"cell_type": "raw", "source": []}, {"cell_type": "raw", "metadata": {}, "source": ["a\n", "b"]}]}`,
		},
		{
			"members that are missing", `{"cells":[{"cell_type":"code"}],"nbformat":4}`,
			args{"cell_number": 0, "new_source": "a"},
			`{"cells":[{"cell_type":"code","execution_count":null,"outputs":[],"source":["a"]}],"nbformat":4}`,
		},
		{
			"a cell on one line without outputs", "{\n \"cells\": [\n  {\"cell_type\":\"code\" , \"source\":[\"a\\n\", \"b\"]},\n  {\"cell_type\": \"raw\"}\n ]\n}\n",
			args{"cell_number": 0, "new_source": "c\nd"},
			"{\n \"cells\": [\n  {\"cell_type\":\"code\" , \"source\":[\"c\\n\" , \"d\"] , \"execution_count\":null , \"outputs\":[]},\n  {\"cell_type\": \"raw\"}\n ]\n}\n",
		},
		{
			"a cell on one line becomes text", "{\n \"cells\": [\n  {\"outputs\":[1],\"cell_type\":\"code\", \"execution_count\" : 1,  \"source\":\"a\",\"outputs\":[]}\n ]\n}\n",
			args{"cell_number": 0, "cell_type": "raw", "new_source": "b"},
			"{\n \"cells\": [\n  {\"cell_type\":\"raw\",  \"source\":\"b\"}\n ]\n}\n",
		},
		{
			"one member on its own line", "{\n \"cells\": [\n  {\n   \"source\": \"a\"}\n ]\n}\n",
			args{"cell_number": 0, "cell_type": "code", "new_source": "b"},
			"{\n \"cells\": [\n  {\n   \"source\": \"b\",\n   \"cell_type\": \"code\",\n   \"execution_count\": null,\n   \"outputs\": []}\n ]\n}\n",
		},
		{
			"no member stays", `{"cells":[{"outputs":[]}],"nbformat":4}`,
			args{"cell_number": 0, "cell_type": "raw", "new_source": "b"},
			`{"cells":[{"cell_type":"raw","source":["b"]}],"nbformat":4}`,
		},
		{
			"tabs and CRLF", "{\r\n\t\"cells\": [\r\n\t\t{\r\n\t\t\t\"cell_type\": \"raw\",\r\n\t\t\t\"source\": []\r\n\t\t}\r\n\t]\r\n}",
			args{"cell_number": 0, "new_source": "a\nb"},
			"{\r\n\t\"cells\": [\r\n\t\t{\r\n\t\t\t\"cell_type\": \"raw\",\r\n\t\t\t\"source\": [\r\n\t\t\t\t\"a\\n\",\r\n\t\t\t\t\"b\"\r\n\t\t\t]\r\n\t\t}\r\n\t]\r\n}",
		},
		{"the only cell", "\xef\xbb\xbf" + `{"cells": [ {"cell_type":"raw","source":""} ]}`, args{"cell_number": 0, "edit_mode": "delete"}, "\xef\xbb\xbf" + `{"cells": []}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := open(t)
			b.put("n.ipynb", tt.file)
			b.read("n.ipynb")
			tt.call["path"] = "n.ipynb"
			out := b.ok("notebook_edit", tt.call)
			_, id, _ := strings.Cut(out, "(id ")
			id, _, _ = strings.Cut(id, ")")
			b.holds("n.ipynb", strings.ReplaceAll(tt.want, `"ID"`, `"`+id+`"`))
			if len(b.diffs) != 1 {
				t.Errorf("got diffs %+v", b.diffs)
			}
		})
	}
}

// TestNotebookIDsAreTheSameEachTimeAndUnique inserts the same cell twice into
// equal notebooks.
func TestNotebookIDsAreTheSameEachTimeAndUnique(t *testing.T) {
	insert := args{"path": "n", "cell_number": 0, "edit_mode": "insert", "cell_type": "raw", "new_source": "r"}
	var outs []string
	for range 2 {
		b := open(t)
		b.put("n", jupyter)
		outs = append(outs, b.ok("notebook_edit", insert)+b.ok("notebook_edit", insert))
	}
	if outs[0] != outs[1] {
		t.Errorf("got %q, then %q", outs[0], outs[1])
	}
	ids := strings.Split(outs[0], "(id ")
	if len(ids) != 3 || ids[1][:8] == ids[2][:8] {
		t.Errorf("ids in %q are not unique", outs[0])
	}
}

func TestNotebookEditRefuses(t *testing.T) {
	b := open(t)
	b.put("n", jupyter)
	call := func(kv ...any) args {
		a := args{"path": "n"}
		for i := 0; i < len(kv); i += 2 {
			a[kv[i].(string)] = kv[i+1]
		}
		return a
	}
	b.refused("notebook_edit", call("cell_number", 0, "new_source", "x"), "not read it", "cell_id")
	b.read("n")
	b.refused("notebook_edit", call("new_source", "x"), "cell_id or cell_number")
	b.refused("notebook_edit", call("cell_number", 2, "new_source", "x"), "no cell 2", "2 cells")
	b.refused("notebook_edit", call("cell_number", -1, "new_source", "x"), "no cell -1")
	b.refused("notebook_edit", call("cell_id", "zz", "new_source", "x"), `id "zz"`)
	b.refused("notebook_edit", call("cell_id", "bb", "cell_number", 0, "new_source", "x"), "is number 1, not 0")
	b.refused("notebook_edit", call("cell_id", "bb"), "new_source is needed")
	b.refused("notebook_edit", call("cell_id", "bb", "new_source", "# Title"), "already")
	b.refused("notebook_edit", call("cell_id", "bb", "edit_mode", "insert", "new_source", "x"), "cell_type is needed")
	for file, word := range map[string]string{
		"{": "not a notebook", `{"worksheets":[]}`: "no cells", `{"cells":[1]}`: "no object", `{"cells":[{"id":"a"},{"id":"a"}]}`: "both have the id",
		`{"cells":[{"id":"a","source":{"x":1}}]}`: "no text",
	} {
		b := open(t)
		b.put("n", file)
		b.refused("notebook_edit", call("cell_id", "a", "new_source", "x"), word, "Nothing was written")
	}
	b.put("n", strings.Replace(jupyter, "Title", "User", 1))
	b.refused("notebook_edit", call("cell_id", "bb", "new_source", "x"), "changed on disk")
}
