package config

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// Set returns the TOML text file with key set to value and everything else as it
// was: comments, blank lines, order, line endings, byte order mark. A string
// value for another kind of key is read as by ParseValue. The result has been
// parsed again; a text that is not TOML is refused with an *Error.
func Set(file []byte, key string, value any) ([]byte, error) {
	k, parts, err := editable(key)
	if err != nil {
		return nil, err
	}
	if k.Retired {
		return nil, fmt.Errorf("set %s: the key is retired and does nothing: %s", k.Path, k.Doc)
	}
	if text, ok := value.(string); ok {
		value, err = ParseValue(k, text)
	} else {
		value, err = k.accept(value)
	}
	if err != nil {
		return nil, fmt.Errorf("set %s: %w", JoinPath(parts), err)
	}
	d, err := parse("", file)
	if err != nil {
		return nil, err
	}
	e := editor{doc: d, parts: parts, value: value}
	out, err := e.set()
	if err != nil {
		return nil, fmt.Errorf("set %s: %w", JoinPath(parts), err)
	}
	return out, nil
}

// Unset returns the TOML text file without key. A comment on its line stays. A
// key that is not there changes nothing.
func Unset(file []byte, key string) ([]byte, error) {
	_, parts, err := editable(key)
	if err != nil {
		return nil, err
	}
	if len(parts) == 3 && slices.Contains(named, parts[0]) && parts[2] == "name" {
		return nil, fmt.Errorf("unset %s: the block needs its name", JoinPath(parts))
	}
	return unset(file, parts)
}

func unset(file []byte, parts []string) ([]byte, error) {
	d, err := parse("", file)
	if err != nil {
		return nil, err
	}
	e := editor{doc: d, parts: parts}
	out, err := e.unset()
	if err != nil {
		return nil, fmt.Errorf("unset %s: %w", JoinPath(parts), err)
	}
	return out, nil
}

// editable is the key an edit may change.
func editable(key string) (Key, []string, error) {
	k, path, err := Lookup(key)
	if err != nil {
		return Key{}, nil, err
	}
	parts, err := SplitPath(path)
	return k, parts, err
}

// An editor makes one change to one document. It tries the places where the key
// could go, most natural first, and takes the first whose result parses to
// exactly the wanted values: TOML has too many rules about what may be opened
// twice to foresee them all.
type editor struct {
	doc   *document
	parts []string
	value any
}

var errNoPlace = errors.New("the file is written in a way that leaves no place for it: change it by hand, or a table entry by entry")

func (e *editor) set() ([]byte, error) {
	if i, ok := e.existing(); ok {
		if got, _ := at(e.doc.values, e.doc.entries[i].path); reflect.DeepEqual(normal(got), normal(e.value)) {
			return e.whole(e.doc.body), nil
		}
	}
	want := clone(e.doc.values).(map[string]any)
	put(want, e.parts, clone(e.value))
	for _, place := range []func() ([]byte, bool){
		e.replace, e.intoInline, e.intoTable, e.besideDotted, e.newTable, e.dotted, e.newBlock,
	} {
		body, ok := place()
		if ok && e.means(body, want) {
			return e.whole(body), nil
		}
	}
	return nil, errNoPlace
}

// means reports whether body parses to want and has all comments.
func (e *editor) means(body []byte, want map[string]any) bool {
	d, err := parse("", body)
	return err == nil && reflect.DeepEqual(normal(d.values), normal(want)) && sameComments(e.doc, d)
}

// normal makes values comparable: numbers of a key that takes both are the same,
// and a table without entries is as good as none.
func normal(v any) any {
	switch t := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range t {
			n := normal(e)
			if m, ok := n.(map[string]any); ok && len(m) == 0 {
				continue
			}
			out[k] = n
		}
		return out
	case []any:
		out := make([]any, len(t))
		for i, e := range t {
			out[i] = normal(e)
		}
		return out
	case int64:
		return float64(t)
	case float64:
		if t != t {
			return "nan"
		}
		return t
	default:
		return v
	}
}

func sameComments(a, b *document) bool {
	texts := func(d *document) []string {
		var out []string
		for _, c := range d.comments {
			out = append(out, strings.TrimSpace(d.text(c)))
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(texts(a), texts(b))
}

func (e *editor) whole(body []byte) []byte {
	return append(slices.Clone(e.doc.bom), body...)
}

// existing is the entry of the key itself.
func (e *editor) existing() (int, bool) {
	i := slices.IndexFunc(e.doc.entries, func(n entry) bool { return slices.Equal(e.doc.named(n.path), e.parts) })
	return i, i >= 0
}

func (e *editor) replace() ([]byte, bool) {
	i, ok := e.existing()
	if !ok {
		return nil, false
	}
	at := e.doc.entries[i].value
	return splice(e.doc.body, at, e.keepComments(at, render(e.value))), true
}

// keepComments carries the comments inside a list over into the new one.
func (e *editor) keepComments(old span, text string) string {
	var inside []string
	for _, c := range e.doc.comments {
		if c.start >= old.start && c.end <= old.end {
			inside = append(inside, strings.TrimRight(e.doc.text(c), "\r"))
		}
	}
	list, isList := e.value.([]any)
	if len(inside) == 0 || !isList {
		return text
	}
	newline := e.newline()
	indent := e.indentAt(old.start)
	var b strings.Builder
	b.WriteString("[" + newline)
	for _, c := range inside {
		b.WriteString(indent + "  " + c + newline)
	}
	for _, v := range list {
		b.WriteString(indent + "  " + render(v) + "," + newline)
	}
	b.WriteString(indent + "]")
	return b.String()
}

// intoInline adds the key to the innermost inline table that should hold it.
func (e *editor) intoInline() ([]byte, bool) {
	for n := len(e.parts) - 1; n > 0; n-- {
		for _, holder := range e.doc.entries {
			if holder.kind != unstable.InlineTable || !slices.Equal(e.doc.named(holder.path), e.parts[:n]) {
				continue
			}
			return e.insertInline(holder.value, JoinPath(e.parts[n:])+" = "+render(e.value)), true
		}
	}
	return e.intoElement()
}

// intoElement adds the key to a block written as an inline table in an array.
func (e *editor) intoElement() ([]byte, bool) {
	if len(e.parts) < 3 || !slices.Contains(named, e.parts[0]) {
		return nil, false
	}
	for _, n := range e.doc.entries {
		path := e.doc.named(n.path)
		if n.parent < 0 || len(path) != 3 || !slices.Equal(path[:2], e.parts[:2]) || path[2] != "name" {
			continue
		}
		at := n.value.end
		return splice(e.doc.body, span{at, at}, ", "+JoinPath(e.parts[2:])+" = "+render(e.value)), true
	}
	return nil, false
}

// insertInline puts text after the last entry of the inline table at s.
func (e *editor) insertInline(s span, text string) []byte {
	last := -1
	for _, n := range e.doc.entries {
		if n.value.start > s.start && n.value.end < s.end && n.value.end > last {
			last = n.value.end
		}
	}
	if last < 0 {
		return splice(e.doc.body, span{s.start + 1, s.start + 1}, " "+text+" ")
	}
	// A nested table ends after its last entry.
	for depth := e.depth(s.start+1, last); depth > 0; depth-- {
		next := bytes.IndexAny(e.doc.body[last:s.end], "}]")
		if next < 0 {
			break
		}
		last += next + 1
	}
	return splice(e.doc.body, span{last, last}, ", "+text)
}

// depth counts the inline tables and arrays that are open at offset to.
func (e *editor) depth(from, to int) int {
	depth := 0
	for _, n := range e.doc.entries {
		compound := n.kind == unstable.InlineTable || n.kind == unstable.Array
		if compound && n.value.start >= from && n.value.start < to && n.value.end > to {
			depth++
		}
	}
	return depth
}

// intoTable adds the key to the table that is open for exactly its parent.
func (e *editor) intoTable() ([]byte, bool) {
	parent := e.parts[:len(e.parts)-1]
	for i := len(e.doc.tables) - 1; i >= 0; i-- {
		if slices.Equal(e.doc.named(e.doc.tables[i].path), parent) {
			return e.insertLine(i, e.parts[len(e.parts)-1:]), true
		}
	}
	return nil, false
}

// besideDotted adds a dotted key where its neighbours are written that way.
func (e *editor) besideDotted() ([]byte, bool) {
	parent := e.parts[:len(e.parts)-1]
	for _, n := range e.doc.entries {
		path := e.doc.named(n.path)
		base := len(e.doc.tables[n.table].path)
		if n.parent < 0 && len(path) > len(parent) && slices.Equal(path[:len(parent)], parent) && len(parent) > base {
			return e.insertLine(n.table, e.parts[base:]), true
		}
	}
	return nil, false
}

// newTable opens the key's parent table: at the end of the file, or at the end
// of its block for one inside an array of tables.
func (e *editor) newTable() ([]byte, bool) {
	if len(e.parts) < 2 || slices.Contains(named, e.parts[0]) && len(e.parts) < 4 {
		return nil, false
	}
	header := slices.Clone(e.parts[:len(e.parts)-1])
	at := len(e.doc.body)
	if slices.Contains(named, e.parts[0]) {
		last := -1
		for i, t := range e.doc.tables {
			if path := e.doc.named(t.path); len(path) >= 2 && slices.Equal(path[:2], e.parts[:2]) {
				last = i
			}
		}
		if last < 0 {
			return nil, false
		}
		header = slices.Delete(header, 1, 2) // inside a block its name is understood
		at = e.tableEnd(last)
	}
	newline := e.newline()
	text := "[" + JoinPath(header) + "]" + newline + JoinPath(e.parts[len(e.parts)-1:]) + " = " + render(e.value) + newline
	return e.insertBlock(at, text), true
}

// dotted adds a dotted key to the nearest table that is open.
func (e *editor) dotted() ([]byte, bool) {
	for n := len(e.parts) - 2; n >= 0; n-- {
		for i := len(e.doc.tables) - 1; i >= 0; i-- {
			if slices.Equal(e.doc.named(e.doc.tables[i].path), e.parts[:n]) {
				return e.insertLine(i, e.parts[n:]), true
			}
		}
	}
	return nil, false
}

// newBlock appends a provider or plugin of that name.
func (e *editor) newBlock() ([]byte, bool) {
	if len(e.parts) < 3 || !slices.Contains(named, e.parts[0]) {
		return nil, false
	}
	newline := e.newline()
	text := "[[" + e.parts[0] + "]]" + newline + "name = " + quote(e.parts[1]) + newline
	if len(e.parts) > 3 || e.parts[2] != "name" {
		text += JoinPath(e.parts[2:]) + " = " + render(e.value) + newline
	}
	at := len(e.doc.body)
	for i, t := range e.doc.tables {
		if len(t.path) > 0 && t.path[0] == e.parts[0] {
			at = e.tableEnd(i)
		}
	}
	return e.insertBlock(at, text), true
}
