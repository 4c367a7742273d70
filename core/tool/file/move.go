package file

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reasonix/core/event"
	"reasonix/core/tool"
	"reasonix/core/workspace"
)

const moveSchema = `{"properties":{"destination_path":{"type":"string"},"source_path":{"type":"string"}},` +
	`"required":["source_path","destination_path"],"type":"object"}`

// moveFile gives a file, a directory or a link another name.
type moveFile struct{ session }

type moveArgs struct {
	From string `json:"source_path"`
	To   string `json:"destination_path"`
}

func (moveFile) Name() string { return "move_file" }
func (moveFile) Description() string {
	return "Move or rename a file or directory."
}
func (moveFile) Schema() json.RawMessage { return json.RawMessage(moveSchema) }
func (moveFile) ReadOnly() bool          { return false }

func (t moveFile) Bind(env tool.Env) (tool.Tool, error) {
	var err error
	t.session, err = bind(env)
	return t, err
}

// Subject names both ends.
func (t moveFile) Subject(args json.RawMessage) tool.Subject {
	s := tool.Subject{Title: "Move", Kind: "edit"}
	var in moveArgs
	if json.Unmarshal(args, &in) != nil || in.From == "" || in.To == "" {
		return s
	}
	if t.files == nil {
		s.Title += " " + workspace.Quote(filepath.ToSlash(in.From)) + " to " + workspace.Quote(filepath.ToSlash(in.To))
		return s
	}
	s.Title += " " + t.files.Show(t.files.Abs(in.From)) + " to " + t.files.Show(t.files.Abs(in.To))
	for _, name := range []string{in.From, in.To} {
		s.Paths = append(s.Paths, t.files.Abs(name))
		if real, err := t.files.LinkName(name); err == nil && !slices.Contains(s.Paths, real) {
			s.Paths = append(s.Paths, real)
		}
	}
	s.Preview = t.preview(args, s.Paths, func(in session) tool.Tool { t.session = in; return t })
	return s
}

func (t moveFile) Execute(ctx context.Context, args json.RawMessage) (string, error) {
	var in moveArgs
	if err := t.start(ctx, args, moveSchema, &in); err != nil {
		return "", err
	}
	from, err := t.files.LinkPath(in.From)
	if err != nil {
		return "", err
	}
	to, err := t.files.LinkPath(in.To)
	if err != nil {
		return "", err
	}
	info, err := os.Lstat(from)
	if err != nil {
		return "", t.missing(ctx, in.From, fmt.Errorf("move %s: %w", t.files.Show(from), errors.Unwrap(err)))
	}
	if err := t.destination(in.To, from, to, info); err != nil {
		return "", err
	}
	if !t.dry {
		if err := t.files.Move(ctx, from, to); err != nil {
			return "", err
		}
		t.views.move(from, to)
	}
	t.tell(ctx, from, to)
	return fmt.Sprintf("moved %s to %s%s", t.files.Show(from), t.files.Show(to), linkNote(from, to, info)), nil
}

// destination refuses what is not a new full name. The workspace checks again
// when it moves.
func (t moveFile) destination(given, from, to string, info fs.FileInfo) error {
	if from == to {
		return &refusal{"source_path and destination_path are the same. Nothing was moved.", nil}
	}
	now, err := os.Lstat(to)
	switch {
	case err == nil && now.IsDir() && !os.SameFile(now, info):
		return &refusal{fmt.Sprintf("%s is a directory. Nothing was moved. To move into it, give the full new name, such as %s.",
			t.files.Show(to), t.files.Show(filepath.Join(to, filepath.Base(from)))), fs.ErrExist}
	case err == nil && !os.SameFile(now, info):
		return &refusal{t.files.Show(to) + " exists already. Nothing was moved.", fs.ErrExist}
	case strings.HasSuffix(filepath.ToSlash(given), "/") && !info.IsDir():
		return &refusal{fmt.Sprintf("%s ends like a directory, but %s is none. Nothing was moved. Give the full new name.",
			filepath.ToSlash(given), t.files.Show(from)), fs.ErrInvalid}
	}
	return nil
}

// tell gives the call the rename as git writes one.
func (t moveFile) tell(ctx context.Context, from, to string) {
	a, b := t.files.Show(from), t.files.Show(to)
	call := tool.CallFrom(ctx)
	call.Diffs = append(call.Diffs, event.Diff{
		Path:    filepath.ToSlash(to),
		Unified: fmt.Sprintf("diff --git a/%s b/%s\nsimilarity index 100%%\nrename from %s\nrename to %s\n", a, b, a, b),
	})
}

// linkNote says what a moved link leads to when its place matters.
func linkNote(from, to string, info fs.FileInfo) string {
	if info.Mode()&fs.ModeSymlink == 0 || filepath.Dir(from) == filepath.Dir(to) {
		return ""
	}
	target, err := os.Readlink(to)
	if err != nil || filepath.IsAbs(target) {
		return ""
	}
	return " (a link; its target, relative to its directory, still is " + workspace.Quote(filepath.ToSlash(target)) + ")"
}
