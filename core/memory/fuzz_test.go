package memory_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/memory"
)

// FuzzFile: whatever is in a file, it is a fact or a problem, and a fact can be
// changed, read back as it was saved, and restored as it was before.
func FuzzFile(f *testing.F) {
	for _, text := range []string{
		"", "body", "---\nid: a\nrevision: 7\n---\n", "---\ntitle: x\nkeywords: [a, \"b, c\"]\ndescription: |\n  d\n---\r\nb\r\n", "\ufeff---\r\nid: é\r\n---\r\n# T\r\n\r\nb",
		"---\nmetadata: {type: user}\nforgotten: 2026-01-01\nreason: r\n---\nb", "---\nupdated: 9999-12-31T23:59:59Z\ntype: X\n---\n\t b \x01",
	} {
		f.Add([]byte(text), "next body")
	}
	f.Fuzz(func(t *testing.T, text []byte, body string) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "f.md"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		s := memory.Open(memory.Dirs{Project: dir}, memory.Options{})
		found, err := s.List(memory.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Facts) == 0 {
			if len(found.Problems) == 0 {
				t.Fatal("neither a fact nor a problem")
			}
			return
		}
		was := found.Facts[0]
		draft := was.Draft()
		draft.Title, draft.Body = "Title", body
		c, err := s.Save(draft)
		if err != nil {
			return // too long, say
		}
		got, err := s.Get(was.ID)
		if d := cmp.Diff(c.After, got); d != "" || err != nil {
			t.Fatalf("%v: -saved +read\n%s", err, d)
		}
		if !c.Changed() {
			return
		}
		back, err := s.Restore(was.ID, was.Revision)
		if err != nil || back.After.Title != was.Title || back.After.Body != was.Body || back.After.Revision != was.Revision+2 {
			t.Fatalf("restored %+v, %v, want %+v", back.After, err, was)
		}
	})
}
