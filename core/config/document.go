package config

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A document is a TOML file as text and as values, and the places that tie the
// two together. Offsets count from the start of body, which is the text without
// its byte order mark.
type document struct {
	file     string // for messages
	bom      []byte
	body     []byte
	values   map[string]any
	tables   []table // tables[0] is the root
	entries  []entry
	elements []element
	comments []span
}

// An element is one text in a list.
type element struct {
	path []string // of the list, from the root
	at   span
}

type span struct{ start, end int }

// A table is the root, a [header] or a [[header]].
type table struct {
	path   []string // array elements as #0, #1...
	array  bool
	header span // of the line's own text; empty for the root
	end    int  // where the next header's line starts
}

// An entry is one key = value, also inside inline tables and arrays of them.
type entry struct {
	path   []string // from the root
	key    span
	value  span
	kind   unstable.Kind
	table  int // index into tables
	parent int // the entry whose value holds it, -1 at the top of a table
}

var bom = []byte("\xef\xbb\xbf")

// parse reads a TOML text. A text that is not TOML is an *Error.
func parse(file string, text []byte) (*document, error) {
	d := &document{file: file, body: text}
	if bytes.HasPrefix(text, bom) {
		d.bom, d.body = text[:len(bom)], text[len(bom):]
	}
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return nil, &Error{File: file, Line: 1, Column: 1, Text: "UTF-16 text", Want: "want UTF-8", Hint: "save the file as UTF-8"}
	}
	// The decoder reports positions from the capacity of what it is given.
	d.body = d.body[:len(d.body):len(d.body)]
	if err := toml.Unmarshal(d.body, &d.values); err != nil {
		return nil, d.syntaxError(err)
	}
	if d.values == nil {
		d.values = map[string]any{}
	}
	if err := d.walk(); err != nil {
		return nil, d.syntaxError(err)
	}
	return d, nil
}

// walk notes where every table and entry is.
func (d *document) walk() error {
	p := unstable.Parser{KeepComments: true}
	p.Reset(d.body)
	counts := map[string]int{}
	d.tables = []table{{}}
	for p.NextExpression() {
		n := p.Expression()
		switch n.Kind {
		case unstable.Comment:
			d.comment(n)
		case unstable.Table, unstable.ArrayTable:
			d.addTable(n, counts)
		case unstable.KeyValue:
			d.addEntry(n, d.tables[len(d.tables)-1].path, -1)
		default: // an expression is none of the others
		}
		if next := n.Next(); n.Kind != unstable.Comment && next.Valid() && next.Kind == unstable.Comment {
			d.comment(next)
		}
	}
	d.tables[len(d.tables)-1].end = len(d.body)
	return p.Error()
}

func (d *document) comment(n *unstable.Node) {
	start := int(n.Raw.Offset)
	d.comments = append(d.comments, span{start, start + int(n.Raw.Length)})
}

// addTable notes a header. A header below an array of tables means the array's
// last element.
func (d *document) addTable(n *unstable.Node, counts map[string]int) {
	parts := keyParts(n)
	var path []string
	for i, part := range parts {
		path = append(path, part)
		name := strings.Join(path, "\x00")
		last := i == len(parts)-1
		if last && n.Kind == unstable.ArrayTable {
			counts[name]++
		}
		if c := counts[name]; c > 0 {
			path = append(path, fmt.Sprintf("#%d", c-1))
		}
	}
	it := n.Key()
	it.Next()
	start := lineStart(d.body, int(it.Node().Raw.Offset))
	d.tables[len(d.tables)-1].end = start
	d.tables = append(d.tables, table{path: path, array: n.Kind == unstable.ArrayTable, header: span{start, lineEnd(d.body, start)}})
}

func (d *document) addEntry(n *unstable.Node, base []string, parent int) {
	value := n.Value()
	path := append(append([]string{}, base...), keyParts(n)...)
	it := n.Key()
	it.Next()
	key := span{start: int(it.Node().Raw.Offset)}
	for node := it.Node(); node.Valid(); node = node.Next() {
		key.end = int(node.Raw.Offset + node.Raw.Length)
	}
	end := int(n.Raw.Offset + n.Raw.Length)
	start := key.end + bytes.IndexByte(d.body[key.end:end], '=') + 1
	for start < end && (d.body[start] == ' ' || d.body[start] == '\t') {
		start++
	}
	d.entries = append(d.entries, entry{
		path: path, key: key, value: span{start, end}, kind: value.Kind,
		table: len(d.tables) - 1, parent: parent,
	})
	d.addInner(value, path, len(d.entries)-1)
}

// addInner notes the entries inside a value: inline tables and arrays of them.
func (d *document) addInner(value *unstable.Node, path []string, parent int) {
	if value.Kind != unstable.InlineTable && value.Kind != unstable.Array {
		return
	}
	index := 0
	for it := value.Children(); it.Next(); {
		n := it.Node()
		switch n.Kind {
		case unstable.Comment:
			d.comment(n)
			for c := n.Child(); c.Valid(); c = c.Next() {
				d.comment(c)
			}
			continue
		case unstable.KeyValue:
			d.addEntry(n, path, parent)
		case unstable.InlineTable, unstable.Array:
			d.addInner(n, append(append([]string{}, path...), fmt.Sprintf("#%d", index)), parent)
		case unstable.String:
			start := int(n.Raw.Offset)
			d.elements = append(d.elements, element{path, span{start, start + int(n.Raw.Length)}})
		default: // another plain value has nothing inside
		}
		index++
	}
}

// elementsOf are the texts of the list at path, in their order.
func (d *document) elementsOf(path []string) []span {
	var all []span
	for _, e := range d.elements {
		if slices.Equal(e.path, path) {
			all = append(all, e.at)
		}
	}
	return all
}

// position is the line and column of an offset, from 1.
func (d *document) position(offset int) (line, column int) {
	before := d.body[:offset]
	return bytes.Count(before, []byte("\n")) + 1, offset - (bytes.LastIndexByte(before, '\n') + 1) + 1
}

func (d *document) text(s span) string { return string(d.body[s.start:s.end]) }

// syntaxError gives a parser's complaint its place and the text it is about.
func (d *document) syntaxError(err error) *Error {
	out := &Error{File: d.file, Want: strings.TrimPrefix(err.Error(), "toml: ")}
	var de *toml.DecodeError
	if !errors.As(err, &de) {
		return out
	}
	out.Line, out.Column = de.Position()
	out.Text = nthLine(d.body, out.Line)
	if windowsPath(out.Text) {
		out.Hint = `a Windows path needs single quotes: 'C:\Users\me', or doubled backslashes`
	}
	return out
}

// windowsPath reports whether line holds a drive or share with backslashes in a
// basic string, where a backslash starts an escape.
func windowsPath(line string) bool {
	for i := 0; i+3 < len(line); i++ {
		if line[i] != '"' {
			continue
		}
		rest := line[i+1:]
		letter := rest[0] >= 'a' && rest[0] <= 'z' || rest[0] >= 'A' && rest[0] <= 'Z'
		if letter && rest[1] == ':' && rest[2] == '\\' || strings.HasPrefix(rest, `\\`) {
			return true
		}
	}
	return false
}

func nthLine(text []byte, n int) string {
	for range n - 1 {
		_, rest, ok := bytes.Cut(text, []byte("\n"))
		if !ok {
			return ""
		}
		text = rest
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return strings.TrimSpace(string(line))
}

// lineStart and lineEnd are the bounds of the line at offset; the end is before
// its line break.
func lineStart(text []byte, offset int) int {
	return bytes.LastIndexByte(text[:offset], '\n') + 1
}

func lineEnd(text []byte, offset int) int {
	end := offset + bytes.IndexByte(text[offset:], '\n')
	if end < offset {
		end = len(text)
	}
	if end > offset && text[end-1] == '\r' {
		end--
	}
	return end
}
