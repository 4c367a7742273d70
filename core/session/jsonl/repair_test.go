package jsonl_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
)

func wantDamage(t *testing.T, rep jsonl.Report, want ...string) {
	t.Helper()
	var got []string
	for _, d := range rep.Damages {
		got = append(got, fmt.Sprintf("%d %s", d.Line, d.Kind))
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("damage (-got +want):\n%s", d)
	}
}

func TestCheckNamesEveryDamage(t *testing.T) {
	s, dir := newJournal(t, notes(1, 6)...)
	rep, err := s.Check(t.Context(), id)
	noErr(t, err)
	if rep.Records != 6 || rep.Last != 6 || len(rep.Damages) > 0 || rep.Bytes == 0 {
		t.Errorf("whole: %+v", rep)
	}
	edit(t, dir, func(text string) string {
		text = strings.Replace(text, "note <2>", "note <x>", 1)
		text = strings.Replace(text, "note <4>", "no\x00te", 1)
		return text[:len(text)-30]
	})
	rep, err = s.Check(t.Context(), id)
	noErr(t, err)
	wantDamage(t, rep, "3 edited", "5 broken", "7 torn")
	if rep.Records != 3 || rep.Damages[0].Offset == 0 {
		t.Errorf("damaged: %+v", rep)
	}
}

// What a writer has not finished is no damage while it writes.
func TestCheckBesideAWriter(t *testing.T) {
	s, dir := newJournal(t, notes(1, 2)...)
	l, err := s.Open(t.Context(), id)
	noErr(t, err)
	edit(t, dir, func(text string) string { return text + `{"seq":3,"ti` })
	rep, err := s.Check(t.Context(), id)
	noErr(t, err)
	wantDamage(t, rep)
	if rep.Holder == "" {
		t.Error("no holder")
	}
	noErr(t, l.Close())
}

func TestCheckLooksAtTheFilesBeside(t *testing.T) {
	s, _ := newJournal(t, note(1))
	var hashes, paths []string
	for _, text := range []string{"a", "b", "c"} {
		hash, path, err := s.Save(t.Context(), id, strings.NewReader(text))
		noErr(t, err)
		hashes, paths = append(hashes, hash), append(paths, path)
	}
	l, err := s.Open(t.Context(), id)
	noErr(t, err)
	noErr(t, l.Append(
		event.Envelope{Seq: 2, Payload: event.ToolFinished{Full: hashes[0]}},
		event.Envelope{Seq: 3, Payload: event.UserSaid{Message: message.Message{Attachments: []message.Attachment{{Hash: hashes[1]}, {Hash: hashes[2]}}}}},
		event.Envelope{Seq: 4, Payload: event.JobEnded{Full: hashes[0]}},
	))
	noErr(t, l.Close())
	noErr(t, os.Remove(paths[0]))
	noErr(t, os.WriteFile(paths[1], []byte("B"), 0o600))
	rep, err := s.Check(t.Context(), id)
	noErr(t, err)
	wantDamage(t, rep, "3 file", "4 file")
	done, err := s.Repair(t.Context(), id)
	if err != nil || done.Kept != "" {
		t.Errorf("repair of files: %+v, %v, want nothing done", done, err)
	}
}

// A repair loses nothing that can be read, keeps the rest twice, and leaves a session
// that is whole.
func TestRepair(t *testing.T) {
	s, dir := newJournal(t, notes(1, 6)...)
	journal := filepath.Join(dir, string(id)+".jsonl")
	edit(t, dir, func(text string) string {
		text = strings.Replace(text, "note <2>", "note <x>", 1)
		text = strings.Replace(text, "note <4>", "no\x00te", 1)
		return text[:len(text)-30]
	})
	broken, err := os.ReadFile(journal)
	noErr(t, err)
	noErr(t, os.Chtimes(journal, created, created))
	rep, err := s.Repair(t.Context(), id)
	noErr(t, err)
	if rep.Records != 3 || rep.TakenOut != 3 || rep.Filled != 2 || rep.Kept != filepath.Join(dir, string(id)+".original") {
		t.Errorf("repaired: %+v", rep)
	}
	if kept, err := os.ReadFile(rep.Kept); err != nil || string(kept) != string(broken) {
		t.Errorf("kept %q, %v", kept, err)
	}
	taken, err := os.ReadFile(rep.Damaged)
	noErr(t, err)
	for _, want := range []string{"# line 3, offset", "note <x>", "# line 5, offset", "no\x00te", "# line 7, offset", `{"seq":6,`} {
		if !strings.Contains(string(taken), want) {
			t.Errorf("taken out: %q, want %q in it", taken, want)
		}
	}
	if info, err := os.Stat(journal); err != nil || !info.ModTime().Equal(created) || info.Mode().Perm() != 0o600 && os.PathSeparator == '/' {
		t.Errorf("the journal: %v, %v", info, err)
	}
	after, err := s.Check(t.Context(), id)
	noErr(t, err)
	wantDamage(t, after)
	events, _ := readAll(t, s, 0)
	for i, e := range events {
		if lost, ok := e.Payload.(event.Notice); e.Seq != event.Seq(i+1) || ok && (lost.Code == "record_lost") != (i == 1 || i == 3) {
			t.Errorf("record %d: %+v", i+1, e)
		}
	}
	appendOne(t, s)
	if again, err := s.Repair(t.Context(), id); err != nil || again.Kept != "" {
		t.Errorf("repaired again: %+v, %v", again, err)
	}
	edit(t, dir, func(text string) string { return "x" + text })
	second, err := s.Repair(t.Context(), id)
	if err != nil || second.Kept != rep.Kept+"-2" {
		t.Errorf("second repair: %+v, %v", second, err)
	}
	if in, err := s.Info(t.Context(), id); err != nil || in.Format != 1 || !in.Created.Equal(created) || in.Damaged > 0 {
		t.Errorf("after the header was made anew: %+v, %v", in, err)
	}
	noErr(t, s.Delete(t.Context(), id))
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A repaired line is byte for byte what was written, members of later versions too.
func TestRepairKeepsRecordsAsTheyAre(t *testing.T) {
	s, dir := newJournal(t, notes(1, 2)...)
	odd := `{"seq":3,"time":"2026-01-02T15:04:08Z","type":"session.notice","data":{"text":"x","later":[1]},"more":true`
	edit(t, dir, func(text string) string { return text + "?\n" + sealed(odd) })
	if _, err := s.Repair(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, string(id)+".jsonl"))
	if err != nil || !strings.HasSuffix(string(text), sealed(odd)) {
		t.Errorf("repaired: %s, %v", text, err)
	}
}

func TestRepairNeedsTheLock(t *testing.T) {
	s, dir := newJournal(t, notes(1, 2)...)
	l, err := s.Open(t.Context(), id)
	noErr(t, err)
	edit(t, dir, func(text string) string { return strings.Replace(text, "<1>", "<x>", 1) })
	var locked *session.LockedError
	if _, err := s.Repair(t.Context(), id); !errors.As(err, &locked) || !strings.Contains(locked.Hint(), "copy") {
		t.Errorf("repair while it is written: %v", err)
	}
	noErr(t, l.Close())
}

func TestExportLeavesOutWhatIsDamaged(t *testing.T) {
	s, dir := newJournal(t, notes(1, 4)...)
	whole, err := os.ReadFile(filepath.Join(dir, string(id)+".jsonl"))
	noErr(t, err)
	var b strings.Builder
	if n, err := s.Export(t.Context(), id, &b); n != 0 || err != nil || b.String() != string(whole) {
		t.Errorf("whole: %d left out, %v:\n%s", n, err, b.String())
	}
	edit(t, dir, func(text string) string { return strings.Replace(text, "<2>", "<x>", 1) })
	b.Reset()
	n, err := s.Export(t.Context(), id, &b)
	if n != 1 || err != nil || strings.Count(b.String(), "\n") != 4 || strings.Contains(b.String(), "<x>") {
		t.Errorf("damaged: %d left out, %v:\n%s", n, err, b.String())
	}
}

// SE-13: gc keeps the newest, the running and what is not old, finds what is nobody's,
// and changes nothing before it is told to.
func TestSE13GC(t *testing.T) {
	now := created.Add(1000 * time.Hour)
	dir := filepath.Join(t.TempDir(), "sessions")
	beside := filepath.Join(t.TempDir(), "checkpoints")
	s := jsonl.New(dir, jsonl.Options{Now: func() time.Time { return now }, Beside: []string{beside}})
	name := func(i int) event.SessionID { return event.SessionID(fmt.Sprintf("2026010%d-000000-aaaaaa", i)) }
	age := func(path string, hours int) {
		noErr(t, os.Chtimes(path, now, now.Add(-time.Duration(hours)*time.Hour)))
	}
	put := func(path string, hours int) {
		noErr(t, os.MkdirAll(filepath.Dir(path), 0o700))
		noErr(t, os.WriteFile(path, []byte("12345"), 0o600))
		age(path, hours)
	}
	for i := range 5 {
		l, err := s.Create(t.Context(), session.Meta{ID: name(i)})
		noErr(t, err)
		noErr(t, l.Append(event.Envelope{Seq: 1, Payload: event.PromptQueued{Display: fmt.Sprint("task ", i)}}))
		noErr(t, l.Close())
	}
	hash, saved, err := s.Save(t.Context(), name(4), strings.NewReader("used"))
	noErr(t, err)
	_, unused, err := s.Save(t.Context(), name(4), strings.NewReader("not used"))
	noErr(t, err)
	l, err := s.Open(t.Context(), name(4))
	noErr(t, err)
	noErr(t, l.Append(event.Envelope{Seq: 2, Payload: event.ToolFinished{Full: hash}}))
	noErr(t, l.Close())
	age(saved, 48)
	age(unused, 48)
	running, err := s.Open(t.Context(), name(0))
	noErr(t, err)
	for i := range 5 {
		age(filepath.Join(dir, string(name(i))+".jsonl"), []int{900, 800, 700, 10, -50}[i]) // the last one is of a clock that was wrong
	}
	put(filepath.Join(dir, "20250101-000000-aaaaaa.idx"), 0)
	put(filepath.Join(dir, "20250101-000000-aaaaaa.files", hash), 0)
	put(filepath.Join(dir, "20250101-000000-bbbbbb.lock"), 0)
	put(filepath.Join(dir, ".tmp-1"), 30)
	put(filepath.Join(dir, ".tmp-2"), 1)
	put(filepath.Join(dir, "notes.txt"), 1000)
	put(filepath.Join(beside, "20250101-000000-aaaaaa", "x"), 48)
	age(filepath.Join(beside, "20250101-000000-aaaaaa"), 48)
	put(filepath.Join(beside, string(name(4)), "x"), 48)
	put(filepath.Join(beside, string(name(1)), "x"), 48)

	want := map[string]string{
		string(name(0)) + ".jsonl": "old, kept", string(name(1)) + ".jsonl": "old", string(name(2)) + ".jsonl": "old",
		filepath.Base(unused): "unused", "20250101-000000-aaaaaa.idx": "orphan", "20250101-000000-aaaaaa.files": "orphan",
		"20250101-000000-bbbbbb.lock": "orphan", "20250101-000000-aaaaaa": "orphan", ".tmp-1": "unfinished",
	}
	for _, apply := range []bool{false, true} {
		list, err := s.GC(t.Context(), jsonl.GCOptions{OlderThan: 24 * time.Hour, Keep: 1, Apply: apply})
		noErr(t, err)
		got := map[string]string{}
		for _, r := range list {
			got[filepath.Base(r.Path)] = r.Why
			if r.Kept != "" {
				got[filepath.Base(r.Path)] += ", kept"
			}
		}
		if d := cmp.Diff(got, want); d != "" {
			t.Errorf("apply %v (-got +want):\n%s", apply, d)
		}
		for path, there := range map[string]bool{
			filepath.Join(dir, string(name(0))+".jsonl"): true, filepath.Join(dir, string(name(4))+".jsonl"): true, saved: true,
			filepath.Join(dir, string(name(1))+".jsonl"): !apply, unused: !apply, filepath.Join(beside, string(name(1))): !apply,
			filepath.Join(dir, "20250101-000000-aaaaaa.files"): !apply, filepath.Join(dir, "20250101-000000-bbbbbb.lock"): !apply,
			filepath.Join(dir, ".tmp-1"): !apply, filepath.Join(dir, ".tmp-2"): true, filepath.Join(dir, "notes.txt"): true,
			filepath.Join(beside, string(name(4))): true, filepath.Join(beside, "20250101-000000-aaaaaa"): !apply,
		} {
			if _, err := os.Stat(path); (err == nil) != there {
				t.Errorf("apply %v: %s: %v, want there %v", apply, path, err, there)
			}
		}
	}
	noErr(t, running.Close())
	list, err := s.GC(t.Context(), jsonl.GCOptions{})
	if err != nil || len(list) > 0 {
		t.Errorf("again without an age: %+v, %v", list, err)
	}
	list, err = s.GC(t.Context(), jsonl.GCOptions{Keep: 2})
	if err != nil || len(list) != 1 || list[0].Session != name(0) || list[0].Title != "task 0" {
		t.Errorf("keep 2: %+v, %v", list, err)
	}
}

// A clock that jumps back changes nothing that is written or read.
func TestClockThatJumpsBack(t *testing.T) {
	late := event.Envelope{Seq: 1, Time: created.Add(1000 * time.Hour), Payload: event.Replied{Model: "p/m"}}
	early := event.Envelope{Seq: 2, Time: created, Payload: event.Replied{Model: "p/m"}}
	s, _ := newJournal(t, late, early)
	wantRead(t, s, 0, []event.Envelope{late, early})
	in, err := s.Info(t.Context(), id)
	if err != nil || len(in.Spent) != 2 || in.Last != 2 || !in.Updated.Equal(created) {
		t.Errorf("info: %+v, %v", in, err)
	}
	noErr(t, s.Rename(t.Context(), id, "x"))
	appendOne(t, s)
}
