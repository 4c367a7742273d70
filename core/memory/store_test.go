package memory_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/memory"
)

// A desk is two directories of facts and a clock.
type desk struct {
	t    *testing.T
	dirs memory.Dirs
	now  time.Time
	keys []string
	*memory.Store
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	dir := t.TempDir()
	d := &desk{t: t, now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
	d.dirs = memory.Dirs{Global: filepath.Join(dir, "home", "memory"), Project: filepath.Join(dir, "project", "memory")}
	d.Store = d.open()
	return d
}

// open is the same desk in another process.
func (d *desk) open() *memory.Store {
	return memory.Open(d.dirs, memory.Options{Now: func() time.Time { return d.now }, Secrets: func() []string { return d.keys }})
}

func (d *desk) save(draft memory.Draft) memory.Fact {
	d.t.Helper()
	c, err := d.Save(draft)
	if err != nil {
		d.t.Fatal(err)
	}
	return c.After
}

func (d *desk) list(f memory.Filter) memory.Found {
	d.t.Helper()
	found, err := d.List(f)
	if err != nil {
		d.t.Fatal(err)
	}
	return found
}

// put writes a file as a person does.
func (d *desk) put(path, text string) {
	d.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) read(path string) string {
	d.t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		d.t.Fatal(err)
	}
	return string(b)
}

// tree is every file with its text.
func (d *desk) tree() map[string]string {
	d.t.Helper()
	files := map[string]string{}
	for _, dir := range []string{d.dirs.Global, d.dirs.Project} {
		_ = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				files[path] = d.read(path)
			}
			return nil
		})
	}
	return files
}

var pnpm = memory.Draft{Title: "Use pnpm, not npm", Description: "The lock file is pnpm's.", Keywords: []string{"packages", "install, deps"}, Body: "Run `pnpm install`.\n\nNever commit package-lock.json."}

func TestAFactIsAFileThatAPersonCanRead(t *testing.T) {
	d := newDesk(t)
	f := d.save(pnpm)
	if base := filepath.Base(f.Path); !strings.HasPrefix(base, "use-pnpm-not-npm-") || filepath.Dir(f.Path) != d.dirs.Project {
		t.Errorf("file %s", f.Path)
	}
	want := "---\nid: " + f.ID + `
revision: 1
type: project
scope: project
title: Use pnpm, not npm
description: The lock file is pnpm's.
keywords: [packages, "install, deps"]
created: 2026-03-04T05:06:07Z
updated: 2026-03-04T05:06:07Z
---

Run ` + "`pnpm install`" + `.

Never commit package-lock.json.
`
	if diff := cmp.Diff(want, d.read(f.Path)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got, err := d.open().Get(f.ID); err != nil || !cmp.Equal(got, f) {
		t.Errorf("read back: %v %s", err, cmp.Diff(f, got))
	}
}

func TestAnUpdateKeepsTheOldRevisionAndWhatItDoesNotKnow(t *testing.T) {
	d := newDesk(t)
	f := d.save(pnpm)
	d.put(f.Path, strings.Replace(d.read(f.Path), "title:", "# why\nx-mine: [a,  b]\ntitle:", 1))
	d.now = d.now.Add(time.Hour)
	draft := f.Draft()
	draft.Body, draft.Keywords = "Run `pnpm i`.", nil
	next := d.save(draft)
	if next.Revision != 2 || !next.Created.Equal(f.Created) || !next.Updated.Equal(d.now) || next.Path != f.Path {
		t.Errorf("got %+v", next)
	}
	if text := d.read(f.Path); !strings.Contains(text, "# why\nx-mine: [a,  b]\ntitle: Use") || !strings.Contains(text, "keywords: []\n") {
		t.Errorf("got\n%s", text)
	}
	old, err := d.Revisions(f.ID)
	if err != nil || len(old) != 1 || old[0].Body != f.Body || old[0].Revision != 1 || !old[0].Archived {
		t.Errorf("revisions %+v, %v", old, err)
	}
	before := d.tree()
	if same := d.save(next.Draft()); same.Revision != 2 {
		t.Errorf("saving what is there made revision %d", same.Revision)
	}
	if diff := cmp.Diff(before, d.tree()); diff != "" {
		t.Errorf("saving what is there wrote\n%s", diff)
	}
	draft.Scope = memory.ScopeGlobal
	draft.Revision = 0
	moved := d.save(draft)
	if _, err := os.Stat(f.Path); !errors.Is(err, os.ErrNotExist) || filepath.Dir(moved.Path) != d.dirs.Global || moved.Revision != 3 {
		t.Errorf("moved to %s as revision %d, old file: %v", moved.Path, moved.Revision, err)
	}
	if facts := d.list(memory.Filter{}).Facts; len(facts) != 1 {
		t.Errorf("a moved fact is there %d times", len(facts))
	}
	if facts := d.list(memory.Filter{Archived: true}).Facts; len(facts) != 0 {
		t.Errorf("a moved fact counts as forgotten: %v", facts)
	}
}

func TestAnUpdateFromAnOldRevisionIsRefused(t *testing.T) {
	d := newDesk(t)
	f := d.save(pnpm)
	first, second := f.Draft(), f.Draft()
	first.Body, second.Body = "first", "second"
	d.save(first)
	_, err := d.open().Save(second)
	var conflict *memory.ConflictError
	if !errors.As(err, &conflict) || conflict.Have != 2 || conflict.Want != 1 {
		t.Errorf("got %v", err)
	}
	if got, _ := d.Get(f.ID); got.Body != "first" {
		t.Errorf("body %q", got.Body)
	}
	if _, err := d.Forget(f.ID, 1, ""); !errors.As(err, &conflict) {
		t.Errorf("forget: got %v", err)
	}
}

func TestForgetArchivesAndRestoreMakesAHigherRevision(t *testing.T) {
	d := newDesk(t)
	f := d.save(pnpm)
	if _, err := d.Restore(f.ID, 0); !errors.Is(err, memory.ErrActive) {
		t.Errorf("restore of a fact in use: %v", err)
	}
	d.now = d.now.Add(time.Minute)
	if _, err := d.Forget(f.ID, 0, "moved to\nyarn"); err != nil {
		t.Fatal(err)
	}
	if n := len(d.list(memory.Filter{}).Facts); n != 0 {
		t.Errorf("%d facts are left", n)
	}
	gone := d.list(memory.Filter{Archived: true}).Facts
	if len(gone) != 1 || gone[0].Reason != "moved to yarn" || !gone[0].Forgotten.Equal(d.now) || gone[0].ID != f.ID {
		t.Fatalf("archive %+v", gone)
	}
	if _, err := d.Get(f.ID); !errors.Is(err, memory.ErrForgotten) {
		t.Errorf("get: %v", err)
	}
	if _, err := d.Save(f.Draft()); !errors.Is(err, memory.ErrForgotten) {
		t.Errorf("save: %v", err)
	}
	if r, _ := d.Search("pnpm", memory.Filter{}, 0); len(r.Hits) != 0 || r.Advice == "" {
		t.Errorf("a search finds the archive: %+v", r)
	}
	if r, _ := d.Recall("how do I use pnpm here", memory.RecallOptions{}); r.Text != "" {
		t.Errorf("recall finds the archive: %s", r.Text)
	}
	c, err := d.open().Restore(f.ID, 0)
	if err != nil || c.After.Revision != 2 || c.After.Body != f.Body || c.After.Reason != "" {
		t.Fatalf("restored %+v, %v", c, err)
	}
	if text := d.read(c.After.Path); strings.Contains(text, "forgotten") || strings.Contains(text, "reason") {
		t.Errorf("got\n%s", text)
	}
	if n := len(d.list(memory.Filter{Archived: true}).Facts); n != 0 {
		t.Errorf("%d facts are forgotten", n)
	}
	if r, _ := d.Recall("how do I use pnpm here", memory.RecallOptions{}); len(r.Hits) != 1 {
		t.Errorf("a restored fact is not recalled")
	}
}

func TestAnOldRevisionComesBackWithoutLosingTheNewOne(t *testing.T) {
	d := newDesk(t)
	f := d.save(pnpm)
	draft := f.Draft()
	draft.Body = "second"
	d.save(draft)
	c, err := d.Restore(f.ID, 1)
	if err != nil || c.After.Revision != 3 || c.After.Body != f.Body || c.Before.Body != "second" {
		t.Fatalf("got %+v, %v", c, err)
	}
	old, _ := d.Revisions(f.ID)
	if len(old) != 2 || old[0].Body != "second" {
		t.Errorf("revisions %+v", old)
	}
	for _, bad := range []struct {
		id       string
		revision int
	}{{f.ID, 9}, {"mem-none", 0}, {"../x", 0}, {"", 0}} {
		if _, err := d.Restore(bad.id, bad.revision); !errors.Is(err, memory.ErrUnknown) && !errors.Is(err, memory.ErrActive) {
			t.Errorf("restore %+v: %v", bad, err)
		}
	}
}

// A person's edit is taken as it is, counts as the next revision, and is kept when
// the next change replaces it.
func TestAPersonsEditIsTakenAndNoticed(t *testing.T) {
	d := newDesk(t)
	f := d.save(pnpm)
	d.put(f.Path, strings.ReplaceAll(d.read(f.Path), "\n", "\r\n")) // no edit: the same content
	if got, _ := d.Get(f.ID); got.Edited || got.Revision != 1 {
		t.Errorf("other line ends count as an edit: %+v", got)
	}
	d.put(f.Path, strings.Replace(d.read(f.Path), "Run", "Always run", 1))
	got, err := d.Get(f.ID)
	if err != nil || !got.Edited || got.Revision != 2 || !strings.HasPrefix(got.Body, "Always run") {
		t.Fatalf("got %+v, %v", got, err)
	}
	if _, err := d.Save(f.Draft()); err == nil {
		t.Error("a change from before the edit replaced it")
	}
	draft := got.Draft()
	draft.Title = "Use pnpm"
	next := d.save(draft)
	if next.Revision != 3 || next.Edited {
		t.Errorf("got %+v", next)
	}
	old, _ := d.Revisions(f.ID)
	if len(old) != 2 || old[0].Revision != 2 || !strings.HasPrefix(old[0].Body, "Always run") || old[1].Body != f.Body {
		t.Errorf("revisions %+v", old)
	}
	if !strings.Contains(d.read(f.Path), "\r\ntitle: Use pnpm\r\n") {
		t.Errorf("line ends changed: %q", d.read(f.Path))
	}
}

// A file that comes from a backup has an old number. With an edit it is the newest there
// is; without one, and forgotten, it is what was in use last.
func TestAFileFromABackupIsTheNewest(t *testing.T) {
	d := newDesk(t)
	f := d.save(pnpm)
	backup := d.read(f.Path)
	for _, body := range []string{"second", "third"} {
		draft := pnpm
		draft.ID, draft.Body = f.ID, body
		d.now = d.now.Add(time.Minute)
		d.save(draft)
	}
	d.put(f.Path, strings.Replace(backup, "Run", "Always run", 1))
	if got, err := d.Get(f.ID); err != nil || !got.Edited || got.Revision != 4 {
		t.Errorf("edited: %+v, %v", got, err)
	}
	for _, text := range []string{strings.Replace(backup, "Run", "Always run", 1), backup} {
		d.put(f.Path, text)
		was, err := d.Get(f.ID)
		if err != nil {
			t.Fatal(err)
		}
		d.now = d.now.Add(time.Minute)
		if _, err := d.Forget(f.ID, 0, ""); err != nil {
			t.Fatal(err)
		}
		gone := d.list(memory.Filter{Archived: true}).Facts
		if len(gone) != 1 || gone[0].Body != was.Body {
			t.Errorf("forgotten %+v, want %q", gone, was.Body)
		}
		c, err := d.Restore(f.ID, 0)
		if err != nil || c.After.Body != was.Body || c.After.Revision <= was.Revision {
			t.Errorf("restored %+v, %v, want %q", c.After, err, was.Body)
		}
		f.Path = c.After.Path
		if err := os.Remove(f.Path); err != nil { // removed by hand, it is still what was restored
			t.Fatal(err)
		}
		if c, err = d.Restore(f.ID, 0); err != nil || c.After.Body != was.Body {
			t.Errorf("restored again %+v, %v, want %q", c.After, err, was.Body)
		}
		f.Path = c.After.Path
	}
}

func TestAFileThatWasRemovedByHandIsStillInTheArchive(t *testing.T) {
	d := newDesk(t)
	f := d.save(pnpm)
	if err := os.Remove(f.Path); err != nil {
		t.Fatal(err)
	}
	gone := d.list(memory.Filter{Archived: true}).Facts
	if len(gone) != 1 || !gone[0].Forgotten.IsZero() || gone[0].Body != f.Body {
		t.Fatalf("archive %+v", gone)
	}
	if c, err := d.Restore(f.ID, 0); err != nil || c.After.Revision != 2 {
		t.Errorf("got %+v, %v", c, err)
	}
}

func TestWhatAPersonWritesIsAFact(t *testing.T) {
	d := newDesk(t)
	d.put(filepath.Join(d.dirs.Project, "notes.md"), "# How to deploy: with care\n\nAsk first.\n")
	d.put(filepath.Join(d.dirs.Global, "会.md"), "---\ntype: feedbak\nrevision: x\nid: no good\nscope: project\ncreated: 2026-01-02\n---\n用中文回答")
	d.put(filepath.Join(d.dirs.Global, "other.md"), "---\nid: mem-0123\nname: Theirs\ncreated_at: 2026-01-02T03:04:05Z\nmetadata:\n  type: reference\n  scope: global\n---\nbody")
	d.put(filepath.Join(d.dirs.Global, "MEMORY.md"), "- an index")
	d.put(filepath.Join(d.dirs.Global, ".hidden.md"), "x")
	found := d.list(memory.Filter{})
	byID := map[string]memory.Fact{}
	for _, f := range found.Facts {
		byID[f.ID] = f
	}
	if f := byID["notes"]; f.Title != "How to deploy: with care" || f.Type != memory.Project || f.Revision != 1 || f.Edited {
		t.Errorf("got %+v", f)
	}
	if f := byID["mem-0123"]; f.Title != "Theirs" || f.Type != memory.Reference || f.Created.Year() != 2026 {
		t.Errorf("got %+v", f)
	}
	var theirs memory.Fact
	for id, f := range byID {
		if strings.HasPrefix(id, "file-") {
			theirs = f
		}
	}
	if theirs.Title != "用中文回答" || theirs.Type != memory.User || theirs.Scope != memory.ScopeGlobal || len(byID) != 3 {
		t.Errorf("got %+v of %d", theirs, len(byID))
	}
	var odd []string
	for _, p := range found.Problems {
		odd = append(odd, filepath.Base(p.Path)+": "+p.Text)
		if p.Skipped {
			t.Errorf("skipped: %v", p)
		}
	}
	if len(odd) != 4 {
		t.Errorf("problems:\n%s", strings.Join(odd, "\n"))
	}
	draft := byID["notes"].Draft()
	draft.Body = "Ask twice."
	if f := d.save(draft); f.Revision != 2 || !strings.Contains(d.read(f.Path), "id: notes\n") {
		t.Errorf("got %+v", f)
	}
	if old, _ := d.Revisions("notes"); len(old) != 1 || !strings.Contains(old[0].Body, "Ask first") {
		t.Errorf("the text of before is lost: %+v", old)
	}
}

func TestDamageIsNamedAndNothingIsTouched(t *testing.T) {
	d := newDesk(t)
	f := d.save(pnpm)
	for name, text := range map[string]string{
		"open.md": "---\nid: x\nbody", "merge.md": "---\n<<<<<<< HEAD\n---\nb", "binary.md": "a\x00b", "latin.md": "\xff\xfe", "empty.md": "\n",
		"large.md": strings.Repeat("x", memory.MaxFile+1), "twin.md": d.read(f.Path),
	} {
		d.put(filepath.Join(d.dirs.Project, name), text)
	}
	if err := os.Mkdir(filepath.Join(d.dirs.Project, "dir.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	before := d.tree()
	found := d.list(memory.Filter{})
	if len(found.Facts) != 1 || len(found.Problems) != 8 {
		t.Errorf("%d facts, problems %v", len(found.Facts), found.Problems)
	}
	for _, p := range found.Problems {
		if !p.Skipped || p.Text == "" || filepath.Dir(p.Path) != d.dirs.Project {
			t.Errorf("problem %+v", p)
		}
	}
	if diff := cmp.Diff(before, d.tree()); diff != "" {
		t.Errorf("listing changed\n%s", diff)
	}
}

func TestWhatIsNotKept(t *testing.T) {
	d := newDesk(t)
	d.keys = []string{"sk-secret-1"}
	var invalid *memory.InvalidError
	var secret *memory.SecretError
	for name, c := range map[string]struct {
		draft memory.Draft
		want  any
	}{
		"no title":        {memory.Draft{Body: "b"}, &invalid},
		"nothing":         {memory.Draft{Title: "t"}, &invalid},
		"long title":      {memory.Draft{Title: strings.Repeat("字", memory.MaxTitle+1), Body: "b"}, &invalid},
		"long body":       {memory.Draft{Title: "t", Body: strings.Repeat("字", memory.MaxBody+1)}, &invalid},
		"many keywords":   {memory.Draft{Title: "t", Body: "b", Keywords: strings.Fields(strings.Repeat("a b c d e f g h i j k l m n o p q r s t u v w x y z ", 1))}, &invalid},
		"long keyword":    {memory.Draft{Title: "t", Body: "b", Keywords: []string{strings.Repeat("k", 61)}}, &invalid},
		"unknown type":    {memory.Draft{Title: "t", Body: "b", Type: "mood"}, &invalid},
		"key in body":     {memory.Draft{Title: "t", Body: "use sk-secret-1 here"}, &secret},
		"key in title":    {memory.Draft{Title: "sk-secret-1", Body: "b"}, &secret},
		"key in keywords": {memory.Draft{Title: "t", Body: "b", Keywords: []string{"sk-secret-1"}}, &secret},
	} {
		_, err := d.Save(c.draft)
		if err == nil || !errors.As(err, c.want) {
			t.Errorf("%s: got %v", name, err)
		}
		if strings.Contains(err.Error(), "sk-") {
			t.Errorf("%s: the error shows the key: %v", name, err)
		}
	}
	if _, err := d.Save(memory.Draft{Title: "t", Body: "b", Scope: "galaxy"}); !errors.Is(err, memory.ErrNoPlace) {
		t.Errorf("got %v", err)
	}
	if files := d.tree(); len(files) != 0 {
		t.Errorf("written: %v", files)
	}
	f := d.save(memory.Draft{Title: "t", Body: "b"})
	if _, err := d.Forget(f.ID, 0, "because sk-secret-1"); !errors.As(err, &secret) {
		t.Errorf("forget: %v", err)
	}
}

func TestTheSameTitleTwice(t *testing.T) {
	d := newDesk(t)
	f := d.save(pnpm)
	if again := d.save(pnpm); again.ID != f.ID || again.Revision != 1 {
		t.Errorf("the same fact twice: %+v", again)
	}
	other := pnpm
	other.Body = "other"
	_, err := d.Save(other)
	var dup *memory.DuplicateError
	if !errors.As(err, &dup) || dup.ID != f.ID {
		t.Errorf("got %v", err)
	}
	other.Scope = memory.ScopeGlobal
	if g := d.save(other); g.ID == f.ID || g.Type != memory.User {
		t.Errorf("got %+v", g)
	}
}

func TestTryChangesNothingAndTellsTheSame(t *testing.T) {
	d := newDesk(t)
	tried, err := d.Try(pnpm)
	if err != nil || !tried.New() || tried.After.ID != "" || len(d.tree()) != 0 {
		t.Fatalf("got %+v, %v", tried, err)
	}
	f := d.save(pnpm)
	tried.After.ID, tried.After.Path = f.ID, f.Path
	if diff := cmp.Diff(tried.After, f); diff != "" {
		t.Errorf("-tried +saved\n%s", diff)
	}
}

func TestClockThatJumpsBack(t *testing.T) {
	d := newDesk(t)
	f := d.save(pnpm)
	d.now = d.now.Add(-24 * time.Hour)
	draft := f.Draft()
	draft.Body = "later"
	if next := d.save(draft); next.Updated.Before(f.Updated) || next.Revision != 2 {
		t.Errorf("got %+v", next)
	}
}

func TestAStoreWithoutDirectories(t *testing.T) {
	s := memory.Open(memory.Dirs{}, memory.Options{Rand: bytes.NewReader(nil)})
	if found, err := s.List(memory.Filter{}); err != nil || len(found.Facts) != 0 {
		t.Errorf("got %v, %v", found, err)
	}
	if _, err := s.Save(pnpm); !errors.Is(err, memory.ErrNoPlace) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Forget("x", 0, ""); !errors.Is(err, memory.ErrUnknown) {
		t.Errorf("got %v", err)
	}
	d := newDesk(t)
	global := memory.Open(memory.Dirs{Global: d.dirs.Global}, memory.Options{})
	if c, err := global.Save(pnpm); err != nil || c.After.Scope != memory.ScopeGlobal || c.After.Type != memory.User {
		t.Errorf("got %+v, %v", c, err)
	}
	noIDs := memory.Open(d.dirs, memory.Options{Rand: bytes.NewReader(nil)})
	if _, err := noIDs.Save(memory.Draft{Title: "t", Body: "b"}); err == nil {
		t.Error("a fact without an id")
	}
}

func TestRefs(t *testing.T) {
	f := memory.Fact{ID: "mem-1", Revision: 12}
	if id, n, ok := memory.ParseRef(f.Ref()); id != "mem-1" || n != 12 || !ok {
		t.Errorf("got %q, %d, %v", id, n, ok)
	}
	for _, bad := range []string{"", "mem-1", "@1", "mem-1@0", "mem-1@x", "../a@1"} {
		if _, _, ok := memory.ParseRef(bad); ok {
			t.Errorf("%q is taken", bad)
		}
	}
}
