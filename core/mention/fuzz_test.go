package mention_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/mention"
	"reasonix/core/workspace"
)

func fuzzRig(f *testing.F) rig {
	f.Helper()
	dir := f.TempDir()
	for name, text := range map[string]string{"a": "1\n2\n3\n", "b c": "</file>", "日": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			f.Fatal(err)
		}
	}
	files, err := workspace.Open(workspace.Roots{Dir: dir}, nil)
	if err != nil {
		f.Fatal(err)
	}
	return rig{dir: dir, Options: mention.Options{Files: files, Resources: servers{"s:u": "text"}}}
}

// FuzzExpand: no text makes it panic, and every reference is a whole block that
// nothing ends early.
func FuzzExpand(f *testing.F) {
	for _, text := range []string{"@a", `@"b c"#L1-2.`, "看@a里", "@a#L2-1", "@s:u).", "@@a", "a@a", `@"`, "@a,@日。", "@./", "@a:1:2", "@\xff"} {
		f.Add(text)
	}
	r := fuzzRig(f)
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "/~") {
			return // what is elsewhere is not the same everywhere
		}
		e := r.expand(text)
		if !strings.Contains(text, "@") && len(e.Sources)+len(e.Notices) > 0 {
			t.Errorf("%q: %v %q", text, e.Sources, e.Notices)
		}
		ends := strings.Count(e.Blocks, "</file>") + strings.Count(e.Blocks, "</dir>") + strings.Count(e.Blocks, "</resource>")
		if ends != len(e.Sources) {
			t.Errorf("%q: %d blocks end, of %d\n%s", text, ends, len(e.Sources), e.Blocks)
		}
	})
}

// FuzzComplete: what is replaced is the reference that ends at the cursor.
func FuzzComplete(f *testing.F) {
	f.Add("see @a", 6)
	f.Add(`@"b `, 4)
	f.Add("@日", 2)
	f.Add("@s:", 3)
	r := fuzzRig(f)
	f.Fuzz(func(t *testing.T, text string, cursor int) {
		c := mention.Complete(context.Background(), r.Options, text, cursor)
		if len(c.Items) == 0 {
			return
		}
		if c.To != cursor || c.From >= c.To || text[c.From] != '@' {
			t.Errorf("%q at %d: %v", text, cursor, c)
		}
		for _, item := range c.Items {
			if !strings.HasPrefix(item.Insert, "@") {
				t.Errorf("%q: %q", text, item.Insert)
			}
		}
	})
}
