package file

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"reasonix/core/tool"
)

const editSchema = `{"properties":{"new_string":{"type":"string"},"old_string":{"type":"string"},` +
	`"path":{"type":"string"},"replace_all":{"type":"boolean"}},` +
	`"required":["path","old_string","new_string"],"type":"object"}`

// editFile replaces a text that occurs once, or with replace_all everywhere.
type editFile struct{ session }

func (editFile) Name() string { return "edit_file" }
func (editFile) Description() string {
	return "Replace old_string, exact and unique in the file unless replace_all."
}
func (editFile) Schema() json.RawMessage { return json.RawMessage(editSchema) }
func (editFile) ReadOnly() bool          { return false }

func (t editFile) Bind(env tool.Env) (tool.Tool, error) {
	var err error
	t.session, err = bind(env)
	return t, err
}

func (t editFile) Subject(args json.RawMessage) tool.Subject {
	return t.edits(args, "Edit", func(s session) tool.Tool { t.session = s; return t })
}

func (t editFile) Execute(ctx context.Context, args json.RawMessage) (string, error) {
	var in struct {
		Path string
		edit
	}
	if err := t.start(ctx, args, editSchema, &in); err != nil {
		return "", err
	}
	if err := in.check(); err != nil {
		return "", err
	}
	d, err := t.open(ctx, in.Path)
	if err != nil {
		return "", err
	}
	f, err := t.find(d, in.edit)
	if err != nil {
		return "", err
	}
	data, err := t.apply(d, f.changes)
	if err != nil {
		return "", err
	}
	if err := t.rewrite(ctx, d, data); err != nil {
		return "", err
	}
	text := fmt.Sprintf("edited %s at %s", t.files.Show(d.file.Path), f.where())
	if f.how != "" {
		text += "\n" + shownDiff(ctx)
	}
	return text, nil
}

// edit is one replacement as the model asks for it.
type edit struct {
	Old        string `json:"old_string"`
	New        string `json:"new_string"`
	ReplaceAll bool   `json:"replace_all"`
}

// check refuses what cannot be meant whatever the file holds.
func (e edit) check() error {
	switch {
	case e.Old == "":
		return &refusal{"old_string is empty. Nothing was written. Give the text to replace, or use write_file for a new file.", nil}
	case e.Old == e.New:
		return &refusal{"old_string and new_string are the same. Nothing was written.", nil}
	}
	return nil
}

// where says at which lines an edit was made, and what was overlooked.
func (f found) where() string {
	where := fmt.Sprintf("line %d", f.lines[0])
	if n := len(f.lines); n > 1 {
		where = fmt.Sprintf("%d places, lines %d to %d", n, f.lines[0], f.lines[n-1])
	}
	if f.how != "" {
		where += fmt.Sprintf(" (not an exact match: %s)", f.how)
	}
	return where
}

// find says where the edit goes, or why nowhere.
func (s session) find(d *document, in edit) (found, error) {
	text, shown := d.text, s.files.Show(d.file.Path)
	old := strings.TrimPrefix(in.Old, "\uFEFF")
	f, ok, err := find(text, old, in.New, in.ReplaceAll)
	var many *ambiguous
	switch {
	case errors.As(err, &many):
		return found{}, &refusal{fmt.Sprintf("%s: %v. Nothing was written. Add lines around it until it is unique, or set replace_all.",
			shown, err), err}
	case err != nil:
		return found{}, err
	case !ok:
		return found{}, &refusal{shown + ": old_string not found. Nothing was written. " + explain(text, old, in.New), nil}
	case len(f.changes) == 0:
		return found{}, &refusal{fmt.Sprintf("%s: line %d already reads like new_string (%s). Nothing was written.",
			shown, f.lines[0], f.how), nil}
	case f.how == "" && cutsIndent(text, f.changes[0].span, old, in.New):
		return found{}, &refusal{fmt.Sprintf("%s: line %d is indented deeper than old_string, so the lines of new_string would not line up. "+
			"Nothing was written. Give old_string and new_string with the whole indentation.", shown, f.lines[0]), nil}
	}
	return f, nil
}

// cutsIndent reports whether one line is to become several although the match
// leaves out a part of its indentation, which only the first of them would get.
func cutsIndent(text string, at span, old, new string) bool {
	if strings.Contains(old, "\n") || !strings.Contains(strings.TrimRight(new, "\r\n"), "\n") || !strings.ContainsAny(old[:1], " \t") {
		return false
	}
	before := text[strings.LastIndexByte(text[:at.start], '\n')+1 : at.start]
	return before != "" && strings.Trim(before, " \t") == ""
}
