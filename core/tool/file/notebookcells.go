package file

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// notebook is a Jupyter notebook of format 4 as it is written.
type notebook struct {
	text  jsonText
	style jsonStyle
	list  span // the array of cells
	cells []cell
	ids   bool // cells have ids
}

// cell is one of them and its members.
type cell struct {
	span
	members []member
}

// readNotebook finds the cells.
func readNotebook(text string) (*notebook, error) {
	if !json.Valid([]byte(text)) {
		var v any
		return nil, fmt.Errorf("not a notebook: %w", json.Unmarshal([]byte(text), &v))
	}
	n := &notebook{text: jsonText(text)}
	top := n.text.members(n.text.value(0))
	n.style = n.text.style(top)
	cells, ok := get(top, "cells")
	if !ok || text[cells.value.start] != '[' {
		return nil, errors.New("not a notebook of format 4: it has no cells")
	}
	n.list = cells.value
	for _, at := range n.text.items(n.list) {
		if text[at.start] != '{' {
			return nil, fmt.Errorf("not a notebook: cell %d is no object", len(n.cells))
		}
		c := cell{at, n.text.members(at)}
		n.ids = n.ids || n.id(c) != ""
		n.cells = append(n.cells, c)
	}
	n.ids = n.ids || n.version(top, "nbformat") > 4 || n.version(top, "nbformat") == 4 && n.version(top, "nbformat_minor") >= 5
	return n, nil
}

func (n *notebook) version(top []member, key string) int {
	v := 0
	if m, ok := get(top, key); ok {
		n.text.decode(m.value, &v)
	}
	return v
}

// word is a member's value when it is a string.
func (n *notebook) word(c cell, key string) string {
	s := ""
	if m, ok := get(c.members, key); ok {
		n.text.decode(m.value, &s)
	}
	return s
}

func (n *notebook) id(c cell) string { return n.word(c, "id") }

// byID is the number of the one cell with the id.
func (n *notebook) byID(id string) (int, error) {
	at := -1
	for i, c := range n.cells {
		if n.id(c) != id {
			continue
		}
		if at >= 0 {
			return 0, fmt.Errorf("cells %d and %d both have the id %q; give cell_number", at, i, id)
		}
		at = i
	}
	if at < 0 {
		return 0, fmt.Errorf("no cell has the id %q; it has %d cells, from 0", id, len(n.cells))
	}
	return at, nil
}

// source is a cell's text; lines says that it is written as an array.
func (n *notebook) source(c cell) (text string, lines, ok bool) {
	m, ok := get(c.members, "source")
	if !ok {
		return "", true, true
	}
	if n.text.decode(m.value, &text) {
		return text, false, true
	}
	var list []string
	ok = n.text.decode(m.value, &list)
	return strings.Join(list, ""), true, ok
}

// render writes a source in the style, its lines one step deeper than indent.
func (s jsonStyle) render(source string, lines bool, indent string) string {
	if !lines {
		return s.quote(source)
	}
	var values []string
	for line := range strings.Lines(source) {
		values = append(values, s.quote(line))
	}
	return s.list("[]", indent, values)
}

// indents are those of a cell and of its members.
func (n *notebook) indents(c cell) (outer, inner string) {
	start := c.start
	for start > 0 && strings.ContainsRune(" \t\r\n", rune(n.text[start-1])) {
		start--
	}
	_, outer = splitLead(string(n.text[start:c.start]))
	inner = outer + n.style.unit
	if len(c.members) > 0 {
		if newline, indent := splitLead(string(n.text[c.start+1 : c.members[0].name.start])); newline != "" {
			inner = indent
		}
	}
	return outer, inner
}

// layout is the style a cell is written in, and what stands between its members.
// One on a single line stays on it, whatever the rest of the notebook does.
func (n *notebook) layout(c cell) (style jsonStyle, between string) {
	style = n.style
	if len(c.members) == 0 {
		return style, ""
	}
	last := c.members[len(c.members)-1]
	style.colon = string(n.text[last.name.end:last.value.start])
	between = style.comma
	lead := string(n.text[c.start+1 : c.members[0].name.start])
	if newline, _ := splitLead(lead); newline != "" {
		between = "," + lead
	}
	if len(c.members) > 1 {
		between = string(n.text[c.members[len(c.members)-2].value.end:last.name.start])
	}
	if !strings.Contains(string(n.text[c.start:c.end]), "\n") {
		style.newline, style.comma = "", between
	}
	return style, between
}

// replace gives a cell another source and perhaps another type.
func (n *notebook) replace(c cell, source, kind string) []change {
	old, lines, _ := n.source(c)
	if !strings.Contains(old, "\r\n") {
		source = withEnds(source, "\n")
	}
	_, inner := n.indents(c)
	style, _ := n.layout(c)
	values := map[string]string{"source": style.render(source, lines, inner)}
	is := n.word(c, "cell_type")
	if kind == "" {
		kind = is
	}
	if kind == "code" {
		values["outputs"], values["execution_count"] = "[]", "null"
	}
	var drop []string
	if kind != is {
		values["cell_type"] = style.quote(kind)
		drop = []string{"outputs", "execution_count"}
		if kind == "code" {
			drop = []string{"attachments"}
		}
	}
	return n.set(c, values, drop)
}

// set gives members of a cell their values. Those that are missing come at the
// end; those to drop go, each with one comma. Only a cell of which nothing stays
// is written anew.
func (n *notebook) set(c cell, values map[string]string, drop []string) []change {
	stays := slices.DeleteFunc(slices.Clone(c.members), func(m member) bool { return slices.Contains(drop, m.key) })
	style, between := n.layout(c)
	texts := style.missing(stays, values)
	if len(stays) == 0 {
		outer, _ := n.indents(c)
		return []change{{c.span, style.list("{}", outer, texts)}}
	}
	var changes []change
	put := func(start, end int, text string) {
		if start < end || text != "" {
			changes = append(changes, change{span{start, end}, text})
		}
	}
	put(c.members[0].name.start, stays[0].name.start, "")
	for i, m := range stays {
		if i > 0 {
			put(stays[i-1].value.end, c.members[slices.Index(c.members, m)-1].value.end, "")
		}
		value, ok := values[m.key]
		if last, _ := get(stays, m.key); ok && last == m && !n.means(m, value) {
			put(m.value.start, m.value.end, value)
		}
	}
	added := ""
	for _, text := range texts {
		added += between + text
	}
	put(stays[len(stays)-1].value.end, c.members[len(c.members)-1].value.end, added)
	return changes
}

// missing writes the members that have a value but are not in the list.
func (s jsonStyle) missing(list []member, values map[string]string) (texts []string) {
	for _, key := range []string{"cell_type", "execution_count", "outputs", "source"} {
		value, ok := values[key]
		if _, there := get(list, key); ok && !there {
			texts = append(texts, s.quote(key)+s.colon+value)
		}
	}
	return texts
}

// means reports whether a member already has the value, however it is written.
func (n *notebook) means(m member, value string) bool {
	var a, b any
	return n.text.decode(m.value, &a) && json.Unmarshal([]byte(value), &b) == nil && reflect.DeepEqual(a, b)
}

// insert puts a new cell behind the one numbered after, or first for -1.
func (n *notebook) insert(after int, source, kind string) (changes []change, id string) {
	lines, outer := true, n.style.unit+n.style.unit
	if len(n.cells) > 0 {
		near := n.cells[max(after, 0)]
		_, lines, _ = n.source(near)
		outer, _ = n.indents(near)
	}
	pair := func(key, value string) string { return n.style.quote(key) + n.style.colon + value }
	texts := []string{pair("cell_type", n.style.quote(kind))}
	if kind == "code" {
		texts = append(texts, pair("execution_count", "null"))
	}
	if n.ids {
		id = n.newID(after, source)
		texts = append(texts, pair("id", n.style.quote(id)))
	}
	texts = append(texts, pair("metadata", "{}"))
	if kind == "code" {
		texts = append(texts, pair("outputs", "[]"))
	}
	texts = append(texts, pair("source", n.style.render(withEnds(source, "\n"), lines, outer+n.style.unit)))
	return n.place(after, n.style.list("{}", outer, texts)), id
}

// place puts a cell's text into the array.
func (n *notebook) place(after int, text string) []change {
	if len(n.cells) == 0 {
		return []change{{n.list, n.style.list("[]", n.style.unit, []string{text})}}
	}
	lead := string(n.text[n.list.start+1 : n.cells[0].start]) // as before the first cell
	between := "," + lead
	if len(n.cells) > 1 {
		between = string(n.text[n.cells[0].end:n.cells[1].start])
	} else if n.style.newline == "" {
		between = n.style.comma
	}
	if after < 0 {
		start := n.cells[0].start
		return []change{{span{start, start}, text + between}}
	}
	end := n.cells[after].end
	return []change{{span{end, end}, between + text}}
}

// newID is made from the notebook and the place alone, so that the same call
// makes the same id, and is not in use.
func (n *notebook) newID(after int, source string) string {
	for try := 0; ; try++ {
		sum := sha256.Sum256([]byte(strconv.Itoa(try) + "\x00" + strconv.Itoa(after) + "\x00" + source + "\x00" + string(n.text)))
		id := hex.EncodeToString(sum[:4])
		if !slices.ContainsFunc(n.cells, func(c cell) bool { return n.id(c) == id }) {
			return id
		}
	}
}

// remove takes a cell and one comma away.
func (n *notebook) remove(i int) []change {
	at := n.cells[i].span
	switch {
	case i > 0:
		at.start = n.cells[i-1].end
	case len(n.cells) > 1:
		at.end = n.cells[1].start
	default:
		at = span{n.list.start + 1, n.list.end - 1}
	}
	return []change{{span: at}}
}
