package file

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"reasonix/core/tool"
)

const notebookSchema = `{"properties":{"cell_id":{"type":"string"},"cell_number":{"type":"integer"},` +
	`"cell_type":{"enum":["code","markdown","raw"],"type":"string"},` +
	`"edit_mode":{"enum":["replace","insert","delete"],"type":"string"},` +
	`"new_source":{"type":"string"},"path":{"type":"string"}},` +
	`"required":["path"],"type":"object"}`

// notebookEdit changes one cell of a Jupyter notebook and leaves the rest of the
// file as it is written.
type notebookEdit struct{ session }

type notebookArgs struct {
	Path   string
	ID     string  `json:"cell_id"`
	Number *int    `json:"cell_number"`
	Type   string  `json:"cell_type"`
	Mode   string  `json:"edit_mode"`
	Source *string `json:"new_source"`
}

func (notebookEdit) Name() string { return "notebook_edit" }
func (notebookEdit) Description() string {
	return "Change a notebook cell. insert goes after it; numbers from 0, -1: front."
}
func (notebookEdit) Schema() json.RawMessage { return json.RawMessage(notebookSchema) }
func (notebookEdit) ReadOnly() bool          { return false }

func (t notebookEdit) Bind(env tool.Env) (tool.Tool, error) {
	var err error
	t.session, err = bind(env)
	return t, err
}

func (t notebookEdit) Subject(args json.RawMessage) tool.Subject {
	return t.edits(args, "Edit", func(s session) tool.Tool { t.session = s; return t })
}

func (t notebookEdit) Execute(ctx context.Context, args json.RawMessage) (string, error) {
	in := notebookArgs{Mode: "replace"}
	if err := t.start(ctx, args, notebookSchema, &in); err != nil {
		return "", err
	}
	d, err := t.open(ctx, in.Path)
	if err != nil {
		return "", err
	}
	shown := t.files.Show(d.file.Path)
	if _, _, seen := t.files.LastSeen(d.file.Path); !seen && in.ID == "" && in.Mode != "insert" {
		return "", &refusal{shown + ": you have not read it. Nothing was written. Read it with read_file first, or name the cell by cell_id.", nil}
	}
	changes, done, err := in.edit(d.text)
	if err != nil {
		return "", &refusal{fmt.Sprintf("%s: %v. Nothing was written.", shown, err), err}
	}
	data, err := t.apply(d, changes)
	if err != nil {
		return "", err
	}
	if err := t.rewrite(ctx, d, data); err != nil {
		return "", err
	}
	return done + " of " + shown, nil
}

// edit says what to change in a notebook's text, and what that does.
func (in notebookArgs) edit(text string) (changes []change, done string, err error) {
	n, err := readNotebook(text)
	if err != nil {
		return nil, "", err
	}
	at, err := in.find(n)
	if err != nil {
		return nil, "", err
	}
	switch {
	case in.Mode == "delete":
		return n.remove(at), fmt.Sprintf("deleted cell %d", at), nil
	case in.Source == nil:
		return nil, "", fmt.Errorf("new_source is needed to %s a cell", in.Mode)
	case in.Mode == "insert":
		if in.Type == "" {
			return nil, "", errors.New("cell_type is needed to insert a cell")
		}
		changes, id := n.insert(at, *in.Source, in.Type)
		if id != "" {
			id = fmt.Sprintf(" (id %s)", id)
		}
		return changes, fmt.Sprintf("inserted cell %d%s", at+1, id), nil
	}
	if _, _, ok := n.source(n.cells[at]); !ok {
		return nil, "", fmt.Errorf("the source of cell %d is no text", at)
	}
	changes = n.replace(n.cells[at], *in.Source, in.Type)
	if len(changes) == 0 {
		return nil, "", fmt.Errorf("cell %d has this source already", at)
	}
	return changes, fmt.Sprintf("replaced cell %d", at), nil
}

// find is the number of the cell meant; -1, in front of all, only to insert.
func (in notebookArgs) find(n *notebook) (int, error) {
	at, insert := 0, in.Mode == "insert"
	switch {
	case in.ID != "":
		var err error
		if at, err = n.byID(in.ID); err != nil {
			return 0, err
		}
		if in.Number != nil && *in.Number != at {
			return 0, fmt.Errorf("the cell with the id %q is number %d, not %d", in.ID, at, *in.Number)
		}
		return at, nil
	case in.Number == nil:
		return 0, errors.New("cell_id or cell_number is needed")
	}
	at = *in.Number
	if at >= len(n.cells) || at < -1 || at < 0 && !insert {
		return 0, fmt.Errorf("there is no cell %d; it has %d cells, from 0", at, len(n.cells))
	}
	return at, nil
}
