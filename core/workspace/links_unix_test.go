//go:build unix

package workspace_test

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"reasonix/core/workspace"
)

func (p place) link(target, name string) {
	p.Helper()
	if err := os.Symlink(target, p.at(name)); err != nil {
		p.Fatal(err)
	}
}

func TestPaths(t *testing.T) {
	p := newPlace(t, nil)
	p.link("sub", "w/in")
	p.link(p.at("outside"), "w/out")
	p.link(p.at("outside/new"), "w/dangling")
	p.link("dangling", "w/chain")
	p.link("sub/new", "w/later")
	p.link("secret", "w/alias")
	p.link("loop", "w/loop")
	p.link("secret", "w/sub/../x")
	tests := []struct {
		name, want  string // want: relative to top
		read, write error
	}{
		{"f", "w/f", nil, nil},
		{".", "w", nil, nil},
		{"sub/../f", "w/f", nil, nil},
		{"in/new", "w/sub/new", nil, nil},
		{"no/such/dir/f", "w/no/such/dir/f", nil, nil},
		{"sub/", "w/sub", nil, fs.ErrInvalid},
		{"later", "w/sub/new", nil, nil},
		{"../w/f", "w/f", nil, nil},
		{p.at("extra/f"), "extra/f", nil, nil},
		{p.at("not-yet/f"), "not-yet/f", nil, nil},
		{"../outside/f", "outside/f", nil, workspace.ErrOutside},
		{p.at("wx"), "wx", nil, workspace.ErrOutside},
		{"out/f", "outside/f", nil, workspace.ErrOutside},
		{"dangling", "outside/new", nil, workspace.ErrOutside},
		{"chain", "outside/new", nil, workspace.ErrOutside},
		{"secret", "", workspace.ErrHidden, workspace.ErrHidden},
		{"secret/key", "", workspace.ErrHidden, workspace.ErrHidden},
		{"secret/none/yet", "", workspace.ErrHidden, workspace.ErrHidden},
		{"alias/key", "", workspace.ErrHidden, workspace.ErrHidden},
		{"x", "", workspace.ErrHidden, workspace.ErrHidden},
		{"out/../w/secret", "", nil, nil}, // lexically clean first: w/w/secret
		{p.at("nowhere/x"), "", workspace.ErrHidden, workspace.ErrHidden},
		{"", "", fs.ErrInvalid, fs.ErrInvalid},
		{"a\x00b", "", fs.ErrInvalid, fs.ErrInvalid},
		{"~", "", fs.ErrInvalid, fs.ErrInvalid},
		{"~/x", "", fs.ErrInvalid, fs.ErrInvalid},
		{"./~", "w/~", nil, nil},
	}
	for _, tt := range tests {
		for op, do := range map[string]func(string) (string, error){"read": p.fs.ReadPath, "write": p.fs.WritePath} {
			want := tt.read
			if op == "write" {
				want = tt.write
			}
			got, err := do(tt.name)
			var pe *workspace.PathError
			if !errors.Is(err, want) || err != nil && (!errors.As(err, &pe) || pe.Op != op || pe.Reason == "") {
				t.Errorf("%s %q: got error %v, want %v", op, tt.name, err, want)
			}
			if err == nil && tt.want != "" && got != p.at(tt.want) {
				t.Errorf("%s %q: got %s, want %s", op, tt.name, got, p.at(tt.want))
			}
		}
	}
	if _, err := p.fs.ReadPath("loop"); err == nil {
		t.Error("a loop of links was resolved")
	}
}

// TestDirectorySwappedForALink is the race a check before a write cannot close.
func TestDirectorySwappedForALink(t *testing.T) {
	p := newPlace(t, nil)
	p.put("w/sub/f", "mine")
	abs, err := p.fs.WritePath("sub/f")
	noErr(t, err)
	was, err := p.fs.ReadFile(t.Context(), abs)
	noErr(t, err)
	noErr(t, os.Rename(p.at("w/sub"), p.at("w/moved")))
	p.link(p.at("outside"), "w/sub")
	if _, err := p.fs.Replace(t.Context(), abs, []byte("evil"), was); err == nil {
		t.Error("replaced through a link that leads out")
	}
	if _, err := p.fs.Replace(t.Context(), p.at("w/sub/new"), []byte("evil"), nil); err == nil {
		t.Error("created through a link that leads out")
	}
	if p.text("outside/f") != "theirs" {
		t.Error("the file outside was written")
	}
	if _, err := os.Lstat(p.at("outside/new")); err == nil {
		t.Error("a file outside was made")
	}
}
