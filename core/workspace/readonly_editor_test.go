package workspace_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"reasonix/core/workspace"
)

// lendsOnly is an editor that shows its buffers and lets nobody write them.
type lendsOnly map[string]string

func (l lendsOnly) ReadFile(_ context.Context, path string) ([]byte, error) {
	text, ok := l[path]
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return []byte(text), nil
}

func (lendsOnly) WriteFile(context.Context, string, []byte) error { return errors.ErrUnsupported }

// An editor that writes nothing does not stand in the way of an edit, unless the file
// has changes there that would be lost.
func TestAnEditorThatWritesNothingLeavesTheFileToTheDisk(t *testing.T) {
	editor := lendsOnly{}
	p := newPlace(t, editor)
	for _, c := range []struct{ buffer, err string }{{"mine", ""}, {"unsaved", "unsaved changes in the editor"}} {
		p.put("w/f", "mine")
		editor[p.at("w/f")] = c.buffer
		was, err := p.fs.ReadFile(t.Context(), p.at("w/f"))
		noErr(t, err)
		if string(was.Data) != c.buffer {
			t.Errorf("read %q, want %q", was.Data, c.buffer)
		}
		_, err = p.fs.Replace(t.Context(), p.at("w/f"), []byte("new"), was)
		switch {
		case c.err == "" && (err != nil || p.text("w/f") != "new"):
			t.Errorf("%v, the file says %q", err, p.text("w/f"))
		case c.err != "" && (!errors.Is(err, workspace.ErrChanged) || !strings.Contains(err.Error(), c.err) || p.text("w/f") != "mine"):
			t.Errorf("%v, the file says %q", err, p.text("w/f"))
		}
	}
	_, err := p.fs.Replace(t.Context(), p.at("w/made"), []byte("x"), nil)
	if err != nil || p.text("w/made") != "x" {
		t.Errorf("a new file: %v", err)
	}
}
