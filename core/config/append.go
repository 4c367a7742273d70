package config

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
)

// maxTries bounds how often a change is made anew from a file that changed.
const maxTries = 50

// AppendRule adds texts to the list key in the file at path, permissions.allow say,
// and leaves everything else as it is, comments in the list included: in a list of
// several lines each gets a line of its own. It writes as Edit does, in one step,
// keeps the old text in path.bak, and makes the file and the key when they are
// missing. What the list has already is not added again.
func AppendRule(path, key string, texts ...string) (Change, error) {
	for try := 1; ; try++ {
		change, err := propose(path, func(file []byte) ([]byte, error) { return Append(file, key, texts...) })
		if err != nil || !change.Changed() {
			return change, err
		}
		if err = change.Write(); err == nil || !errors.Is(err, ErrChanged) || try == maxTries {
			return change, err
		}
	}
}

// Append is AppendRule for the text of a file.
func Append(file []byte, key string, texts ...string) ([]byte, error) {
	k, parts, err := editable(key)
	if err != nil {
		return nil, err
	}
	if k.Kind != KindStrings || k.Retired {
		return nil, fmt.Errorf("append to %s: it is no list of texts", k.Path)
	}
	out := slices.Clone(file)
	for _, text := range texts {
		if out, err = appendOne(out, k, parts, text); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func appendOne(file []byte, k Key, parts []string, text string) ([]byte, error) {
	d, err := parse("", file)
	if err != nil {
		return nil, err
	}
	e := editor{doc: d, parts: parts}
	i, there := e.existing()
	if !there {
		return Set(file, JoinPath(parts), []any{text})
	}
	had, _ := at(d.values, d.entries[i].path)
	list, ok := had.([]any)
	if !ok {
		return nil, fmt.Errorf("append to %s: want %s there", JoinPath(parts), k.want())
	}
	if slices.Contains(list, any(text)) {
		return file, nil
	}
	e.value = append(slices.Clone(list), text)
	out, err := e.append(i, render(text))
	if err != nil {
		return nil, fmt.Errorf("append to %s: %w", JoinPath(parts), err)
	}
	return out, nil
}

// append adds an element to the list of entry i: in the first of the places whose
// result parses to what is wanted.
func (e *editor) append(i int, text string) ([]byte, error) {
	want := clone(e.doc.values).(map[string]any)
	list := e.doc.entries[i]
	put(want, list.path, e.value)
	for _, place := range []func(entry, string) ([]byte, bool){e.onOwnLine, e.onSameLine, e.rewritten} {
		body, ok := place(list, text)
		if ok && e.means(body, want) {
			return e.whole(body), nil
		}
	}
	return nil, errNoPlace
}

// onOwnLine adds to a list of several lines, below its last element and in that
// one's column; or before the closing bracket.
func (e *editor) onOwnLine(list entry, text string) ([]byte, bool) {
	body := e.doc.body
	if !bytes.Contains(body[list.value.start:list.value.end], []byte("\n")) {
		return nil, false
	}
	elements := e.doc.elementsOf(list.path)
	closing := list.value.end - 1
	if len(elements) == 0 {
		line := lineStart(body, closing)
		if len(bytes.TrimSpace(body[line:closing])) > 0 {
			return nil, false
		}
		return splice(body, span{line, line}, e.indentAt(closing)+"  "+text+","+e.newline()), true
	}
	last := elements[len(elements)-1]
	indent := e.indentAt(last.start)
	comma, ok := e.comma(last.end, closing)
	if !ok {
		body = splice(body, span{last.end, last.end}, ",")
		comma, closing = last.end, closing+1
	} else {
		text += ","
	}
	at := lineEnd(body, comma)
	if at > closing { // the bracket stands on the line of the last element
		return splice(body, span{comma + 1, comma + 1}, e.newline()+indent+text), true
	}
	return splice(body, span{at, at}, e.newline()+indent+text), true
}

// comma finds the comma behind an element, past white space and comments.
func (e *editor) comma(from, to int) (int, bool) {
	for i := from; i < to; i++ {
		switch e.doc.body[i] {
		case ',':
			return i, true
		case '#':
			i = lineEnd(e.doc.body, i)
		case ' ', '\t', '\r', '\n':
		default:
			return 0, false
		}
	}
	return 0, false
}

// onSameLine adds to a list of one line.
func (e *editor) onSameLine(list entry, text string) ([]byte, bool) {
	elements := e.doc.elementsOf(list.path)
	if len(elements) == 0 {
		at := list.value.start + 1
		return splice(e.doc.body, span{at, at}, text), list.kind == unstable.Array
	}
	at := elements[len(elements)-1].end
	return splice(e.doc.body, span{at, at}, ", "+text), true
}

// rewritten writes the list anew, with its comments first.
func (e *editor) rewritten(list entry, _ string) ([]byte, bool) {
	return splice(e.doc.body, list.value, e.keepComments(list.value, render(e.value))), true
}
