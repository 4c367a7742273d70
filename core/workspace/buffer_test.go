package workspace_test

import (
	"os"
	"testing"

	"reasonix/core/workspace"
)

// A file that is large on disk is never asked for: its buffer would be one message.
func TestAnEditorIsNotAskedForALargeFile(t *testing.T) {
	e := &editor{text: "unsaved"}
	p := newPlace(t, e)
	e.path = p.at("w/f")
	for _, c := range []struct {
		size int64
		text string
	}{{workspace.MaxBuffer, "unsaved"}, {workspace.MaxBuffer + 1, "mine"}} {
		p.put("w/f", "mine")
		noErr(t, os.Truncate(e.path, c.size))
		e.reads = 0
		r, err := p.fs.Reader(t.Context(), e.path)
		noErr(t, err)
		begin := make([]byte, len(c.text))
		_, err = r.Read(begin)
		noErr(t, err)
		noErr(t, r.Close())
		if string(begin) != c.text || (e.reads == 0) != (c.text == "mine") {
			t.Errorf("%d bytes on disk: it begins with %q, and the editor was asked %d times", c.size, begin, e.reads)
		}
	}
	was, err := p.fs.ReadFile(t.Context(), e.path)
	noErr(t, err)
	if _, err = p.fs.Replace(t.Context(), e.path, []byte("edited"), was); err != nil || p.text("w/f") != "edited" || e.text != "unsaved" {
		t.Errorf("an edit of it: %v, disk %.20q, editor %q", err, p.text("w/f"), e.text)
	}
	noErr(t, os.Truncate(e.path, workspace.MaxBuffer+1))
	if err := p.fs.Move(t.Context(), e.path, p.at("w/moved")); err != nil {
		t.Errorf("a move of it: %v", err)
	}
}
