package file

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"reasonix/core/tool"
	"reasonix/core/workspace"
)

const multiEditSchema = `{"properties":{"edits":{"items":{"properties":{` +
	`"new_string":{"type":"string"},"old_string":{"type":"string"},"replace_all":{"type":"boolean"}},` +
	`"required":["old_string","new_string"],"type":"object"},"type":"array"},` +
	`"path":{"type":"string"}},"required":["path","edits"],"type":"object"}`

// multiEdit makes several edits of one file, each on the result of those before
// it, or none of them.
type multiEdit struct{ session }

func (multiEdit) Name() string { return "multi_edit" }
func (multiEdit) Description() string {
	return "Several edit_file edits of a file, all or none."
}
func (multiEdit) Schema() json.RawMessage { return json.RawMessage(multiEditSchema) }
func (multiEdit) ReadOnly() bool          { return false }

func (t multiEdit) Bind(env tool.Env) (tool.Tool, error) {
	var err error
	t.session, err = bind(env)
	return t, err
}

func (t multiEdit) Subject(args json.RawMessage) tool.Subject {
	return t.edits(args, "Edit", func(s session) tool.Tool { t.session = s; return t })
}

func (t multiEdit) Execute(ctx context.Context, args json.RawMessage) (string, error) {
	var in struct {
		Path  string
		Edits []edit
	}
	if err := t.start(ctx, args, multiEditSchema, &in); err != nil {
		return "", err
	}
	if len(in.Edits) == 0 {
		return "", &refusal{"edits is empty. Nothing was written.", nil}
	}
	for i, e := range in.Edits {
		if err := e.check(); err != nil {
			return "", nth(i, len(in.Edits), err)
		}
	}
	first, err := t.open(ctx, in.Path)
	if err != nil {
		return "", err
	}
	data, done, err := t.all(ctx, first, in.Edits)
	if err != nil {
		return "", err
	}
	if bytes.Equal(data, first.file.Data) {
		return "", &refusal{t.files.Show(first.file.Path) + ": the edits undo each other. Nothing was written.", nil}
	}
	if err := t.rewrite(ctx, first, data); err != nil {
		return "", err
	}
	return t.report(ctx, first, done), nil
}

// all makes the edits in memory.
func (t multiEdit) all(ctx context.Context, d *document, edits []edit) (data []byte, done []found, err error) {
	for i, e := range edits {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		f, err := t.find(d, e)
		if err == nil {
			data, err = t.apply(d, f.changes)
		}
		if err != nil {
			return nil, nil, nth(i, len(edits), err)
		}
		done = append(done, f)
		d = &document{file: &workspace.File{Path: d.file.Path, Data: data}, enc: d.enc, text: d.decode(data)}
	}
	return data, done, nil
}

// nth says which edit an error is about and that none was made.
func nth(i, of int, err error) error {
	lines := ""
	if i > 0 {
		lines = " Lines are counted after the edits before it."
	}
	return &refusal{fmt.Sprintf("edit %d of %d: %v%s None of the edits was made.", i+1, of, endSentence(err), lines), err}
}

// endSentence is the text of err, ready for another sentence behind it.
func endSentence(err error) string {
	text := err.Error()
	var r *refusal
	if !errors.As(err, &r) || strings.Contains(text, "\n") {
		return text + "\n"
	}
	if strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

func (t multiEdit) report(ctx context.Context, d *document, done []found) string {
	var b strings.Builder
	fmt.Fprintf(&b, "edited %s, %d edits:", t.files.Show(d.file.Path), len(done))
	inexact := false
	for i, f := range done {
		fmt.Fprintf(&b, "\n%d. at %s", i+1, f.where())
		inexact = inexact || f.how != ""
	}
	if inexact {
		b.WriteString("\n" + shownDiff(ctx))
	}
	return b.String()
}
