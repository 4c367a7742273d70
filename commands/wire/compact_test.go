package wire

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/compaction"
	"reasonix/core/message"
)

func TestArchiveNamesNeverCollide(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "archive")
	still := func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	want := []message.Message{{ID: "m", Role: message.User, Content: "hello"}}
	seen := map[string]bool{}
	for range 2 { // two processes that both know of no archive, at one time
		a := &archive{dir: dir, session: "s", now: still}
		for range 2 {
			name := a.Next()
			if seen[name] {
				t.Fatalf("%s came twice", name)
			}
			seen[name] = true
			if err := a.Write(name, want); err != nil {
				t.Fatal(err)
			}
			if err := a.Write(name, want); err == nil {
				t.Error("an archive was written twice")
			}
		}
	}
	for name := range seen {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err) // also when the second write removed it
		}
		got, err := compaction.ReadArchive(f)
		f.Close()
		if d := cmp.Diff(got, want); d != "" || err != nil {
			t.Errorf("%v\n%s", err, d)
		}
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%v %v", info, err)
		}
	}
}

func TestArchiveThatCannotBeWrittenIsNotThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a := &archive{dir: dir, session: "s", now: time.Now}
	if err := a.Write("x.jsonl", nil); err == nil {
		t.Error("no error")
	}
}
