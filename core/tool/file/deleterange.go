package file

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"reasonix/core/tool"
)

const deleteRangeSchema = `{"properties":{"end_anchor":{"type":"string"},"inclusive":{"type":"boolean"},` +
	`"path":{"type":"string"},"start_anchor":{"type":"string"}},` +
	`"required":["path","start_anchor","end_anchor"],"type":"object"}`

// deleteRange deletes whole lines between two that are named by their text.
type deleteRange struct{ session }

func (deleteRange) Name() string { return "delete_range" }
func (deleteRange) Description() string {
	return "Delete lines from start_anchor to end_anchor, each the text of one line."
}
func (deleteRange) Schema() json.RawMessage { return json.RawMessage(deleteRangeSchema) }
func (deleteRange) ReadOnly() bool          { return false }

func (t deleteRange) Bind(env tool.Env) (tool.Tool, error) {
	var err error
	t.session, err = bind(env)
	return t, err
}

func (t deleteRange) Subject(args json.RawMessage) tool.Subject {
	return t.edits(args, "Delete lines of", func(s session) tool.Tool { t.session = s; return t })
}

func (t deleteRange) Execute(ctx context.Context, args json.RawMessage) (string, error) {
	in := struct {
		Path      string
		Start     string `json:"start_anchor"`
		End       string `json:"end_anchor"`
		Inclusive bool
	}{Inclusive: true}
	if err := t.start(ctx, args, deleteRangeSchema, &in); err != nil {
		return "", err
	}
	d, err := t.open(ctx, in.Path)
	if err != nil {
		return "", err
	}
	lines := splitLines(d.text)
	first, err := t.anchor(d, lines, "start_anchor", in.Start)
	if err != nil {
		return "", err
	}
	last, err := t.anchor(d, lines, "end_anchor", in.End)
	if err != nil {
		return "", err
	}
	if first > last {
		return "", &refusal{fmt.Sprintf("%s: start_anchor is at line %d, behind end_anchor at line %d. Nothing was written.",
			t.files.Show(d.file.Path), first+1, last+1), nil}
	}
	if !in.Inclusive {
		first, last = first+1, last-1
	}
	if first > last {
		return "", &refusal{fmt.Sprintf("%s: no line is between the anchors. Nothing was written.", t.files.Show(d.file.Path)), nil}
	}
	return t.remove(ctx, d, linesAt(d.text, first, last), "")
}

// anchor finds the one line, from 0, that reads like text.
func (t deleteRange) anchor(d *document, lines []string, name, text string) (int, error) {
	text = strings.TrimRight(text, "\r\n")
	shown := t.files.Show(d.file.Path)
	switch {
	case strings.TrimSpace(text) == "":
		return 0, &refusal{name + " is empty. Nothing was written. Give the text of one line.", nil}
	case strings.Contains(text, "\n"):
		return 0, &refusal{name + " has several lines. Nothing was written. Give the text of one line.", nil}
	}
	found := anchorLines(lines, text)
	if bare, _, ok := withoutGutter(text, text); ok && len(found) == 0 && strings.TrimSpace(bare) != "" {
		found = anchorLines(lines, bare)
	}
	switch {
	case len(found) == 0:
		return 0, &refusal{fmt.Sprintf("%s: %s not found. Nothing was written. %s", shown, name, explain(d.text, text, "")), nil}
	case len(found) > 1:
		many := &ambiguous{count: len(found), what: name}
		for _, i := range found[:min(len(found), maxLines)] {
			many.lines = append(many.lines, i+1)
		}
		return 0, &refusal{fmt.Sprintf("%s: %v. Nothing was written. Choose a line that is unique.", shown, many), many}
	}
	return found[0], nil
}

// anchorLines lists the lines that are text; if none is, those that are but for
// blanks at their ends and typography; if none is, those that contain it.
func anchorLines(lines []string, text string) []int {
	f := fold{blanks: true, quotes: true}
	read := f.read(strings.TrimSpace(text))
	for _, same := range []func(string) bool{
		func(line string) bool { return line == text },
		func(line string) bool { return f.read(strings.TrimSpace(line)) == read },
		func(line string) bool { return strings.Contains(line, text) },
	} {
		var found []int
		for i, line := range lines {
			if same(line) {
				found = append(found, i)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// linesAt is the span of the lines first..last, from 0, with their line ends.
func linesAt(text string, first, last int) span {
	var at span
	for i := 0; i <= last; i++ {
		if i == first {
			at.start = at.end
		}
		n := strings.IndexByte(text[at.end:], '\n')
		if n < 0 {
			return span{at.start, len(text)}
		}
		at.end += n + 1
	}
	return at
}

// remove deletes whole lines. A file that ends without a line end still does:
// then the one before the lines goes with them. note is told with the result.
func (s session) remove(ctx context.Context, d *document, at span, note string) (string, error) {
	if at.end == len(d.text) && !strings.HasSuffix(d.text, "\n") {
		at.start = len(strings.TrimSuffix(strings.TrimSuffix(d.text[:at.start], "\n"), "\r"))
	}
	first, last := lineAt(d.text, at.start), lineAt(d.text, max(at.end-1, at.start))
	if at.start > 0 && d.text[at.start-1] != '\n' {
		first++
	}
	data, err := s.apply(d, []change{{span: at}})
	if err != nil {
		return "", err
	}
	if err := s.rewrite(ctx, d, data); err != nil {
		return "", err
	}
	where := fmt.Sprintf("line %d", first)
	if last > first {
		where = fmt.Sprintf("lines %d to %d", first, last)
	}
	return fmt.Sprintf("deleted %s of %s%s\n%s", where, s.files.Show(d.file.Path), note, shownDiff(ctx)), nil
}
