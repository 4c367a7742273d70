//go:build unix

package memory_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// editing makes script the editor: it gets the file as its argument.
func (d *desk) editing(script string) {
	d.tty = true
	d.environ = []string{"VISUAL=", "TMPDIR=" + d.t.TempDir(), "EDITOR=" + d.file("editor", "#!/bin/sh\n"+script+"\n") + " -w"}
	d.t.Setenv("TMPDIR", strings.TrimPrefix(d.environ[1], "TMPDIR="))
}

func (d *desk) drafts() []string {
	files, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "reasonix-memory-*.md"))
	return files
}

func TestTheEditorOpensOnATerminal(t *testing.T) {
	d := newDesk(t)
	d.editing(`printf -- '---\ntitle: Written\nscope: global\n---\nin an editor\n' > "$2"`)
	d.want(0, "kept mem-", "add")
	f := d.list().Facts[0]
	if f.Title != "Written" || f.Scope != "global" {
		t.Errorf("got %+v", f)
	}
	d.editing(`grep -q '^title: Written$' "$2" && sed -i.bak s/in/with/ "$2"`)
	d.want(0, "changed "+f.ID+"@2", "edit", f.ID)
	d.want(0, "\nwith an editor\n", "show", f.ID)
	d.editing(`true`)
	d.want(0, "unchanged", "edit", f.ID)
	d.want(1, "nothing was written", "add")
	if left := d.drafts(); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestWhatWasWrittenIsNeverLost(t *testing.T) {
	d := newDesk(t)
	f := d.add("--title", "T", "--body", "b")
	for script, want := range map[string]struct {
		code int
		says string
	}{
		`echo more >> "$2"; for f in ` + d.home + `/projects/*/memory/*.md; do echo by hand >> "$f"; done`: {1, "changed"},
		`printf -- '---\ntitle: x\ntype: mood\n---\nmine\n' > "$2"`:                                        {2, "no type"},
		`exit 3`: {1, "exit status 3"},
	} {
		d.editing(script)
		out, errs, code := d.run("edit", f.ID)
		if code != want.code || !strings.Contains(errs, want.says) || !strings.Contains(errs, "your text is in") {
			t.Errorf("%s: exit %d\n%s%s", script, code, out, errs)
		}
		if left := d.drafts(); len(left) != 1 {
			t.Errorf("%s: kept %v", script, left)
		}
	}
	d.editing("true")
	d.environ = []string{"EDITOR=", "VISUAL="}
	d.want(2, "set EDITOR", "edit", f.ID)
}
