package jsonl_test

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"reasonix/core/event"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
)

// tinyDisk mounts a file system of 64 KiB. Where that is not allowed it returns "":
// the same rules are tested with an injected full disk in core/durable.
func tinyDisk(t *testing.T) string {
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Logf("no tmpfs here: %v", err)
		return ""
	}
	t.Cleanup(func() { noErr(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

// SE-15: the disk is full: the error says so and where, old data stays, and the
// session goes on when there is room again.
func TestSE15DiskFull(t *testing.T) {
	disk := tinyDisk(t)
	if disk == "" {
		return
	}
	dir := filepath.Join(disk, "sessions")
	s := jsonl.New(dir, jsonl.Options{})
	l, err := s.Create(t.Context(), meta())
	noErr(t, err)
	_, ballast, err := s.Save(t.Context(), id, strings.NewReader(strings.Repeat("x", 20<<10)))
	noErr(t, err)
	for err == nil {
		err = l.Append(note(l.Last() + 1))
	}
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), string(id)+".jsonl: no space left") {
		t.Fatalf("append: %v, want no space left, with the file's name", err)
	}
	last := l.Last()
	wantRead(t, s, 0, notes(1, last))
	if _, _, err := s.Save(t.Context(), id, strings.NewReader(strings.Repeat("y", 60<<10))); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("save: %v, want no space left", err)
	}
	other := meta()
	other.ID = "20260102-150406-000000"
	if _, err := s.Create(t.Context(), other); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("create: %v, want no space left", err)
	}
	noErr(t, syscall.Unlink(ballast))
	noErr(t, l.Append(note(last+1), note(last+2)))
	noErr(t, l.Close())
	wantRead(t, s, 0, notes(1, last+2))
	entries, err := filepath.Glob(filepath.Join(dir, "*", ".new-*"))
	more, _ := filepath.Glob(filepath.Join(dir, string(other.ID)+"*"))
	if err != nil || len(entries)+len(more) > 0 {
		t.Errorf("left behind: %v %v %v", entries, more, err)
	}
}

// SE-15: a home that cannot be written: everything that only reads works, and what
// writes says where it cannot.
func TestSE15ReadOnlyHome(t *testing.T) {
	disk := tinyDisk(t)
	if disk == "" {
		return
	}
	dir := filepath.Join(disk, "sessions")
	s := jsonl.New(dir, jsonl.Options{})
	l, err := s.Create(t.Context(), meta())
	noErr(t, err)
	noErr(t, l.Append(notes(1, 3)...))
	noErr(t, l.Close())
	noErr(t, syscall.Unlink(filepath.Join(dir, string(id)+".idx")))
	noErr(t, syscall.Mount("none", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))

	wantRead(t, s, 0, notes(1, 3))
	if list, err := s.List(t.Context(), session.Query{}); err != nil || len(list) != 1 {
		t.Errorf("list: %v, %v", list, err)
	}
	if in, err := s.Info(t.Context(), id); err != nil || in.Last != 3 {
		t.Errorf("info: %+v, %v", in, err)
	}
	if rep, err := s.Check(t.Context(), id); err != nil || len(rep.Damages) > 0 {
		t.Errorf("check: %+v, %v", rep, err)
	}
	other := meta()
	other.ID = "20260102-150406-000000"
	for what, err := range map[string]error{
		"open":   func() error { _, err := s.Open(t.Context(), id); return err }(),
		"create": func() error { _, err := s.Create(t.Context(), other); return err }(),
		"copy":   s.Copy(t.Context(), id, 0, other),
		"rename": s.Rename(t.Context(), id, "x"),
		"delete": s.Delete(t.Context(), id),
	} {
		if !errors.Is(err, syscall.EROFS) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v, want read-only file system and where", what, err)
		}
	}
	wantRead(t, s, 0, notes(1, 3))
}

// A full disk takes the index and nothing else: a turn that ends is in the journal, and
// the next one is found without it.
func TestSE15DiskFullForTheIndex(t *testing.T) {
	disk := tinyDisk(t)
	if disk == "" {
		return
	}
	dir := filepath.Join(disk, "sessions")
	s := jsonl.New(dir, jsonl.Options{})
	l, err := s.Create(t.Context(), meta())
	noErr(t, err)
	ballast := strings.Repeat("x", 4<<10)
	for err == nil {
		_, _, err = s.Save(t.Context(), id, strings.NewReader(ballast))
		ballast += "x"
	}
	ended := event.Envelope{Seq: 1, Time: created, Turn: 1, Payload: event.TurnEnded{Outcome: event.Completed}}
	noErr(t, l.Append(ended)) // on the journal's first page
	noErr(t, l.Close())
	if left, _ := filepath.Glob(filepath.Join(dir, ".tmp-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	in, err := s.Info(t.Context(), id)
	if err != nil || in.Outcome != event.Completed {
		t.Errorf("info: %+v, %v", in, err)
	}
	copied := meta()
	copied.ID = "20260102-150406-000000"
	if err := s.Copy(t.Context(), id, 0, copied); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("copy: %v, want no space left", err)
	}
	edit := func(text string) { noErr(t, editFile(filepath.Join(dir, string(id)+".jsonl"), "completed", text)) }
	edit("complicate")
	if _, err := s.Repair(t.Context(), id); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("repair: %v, want no space left", err)
	}
	if rep, err := s.Check(t.Context(), id); err != nil || len(rep.Damages) != 1 {
		t.Errorf("the journal a repair failed on: %+v, %v", rep, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*"+string(copied.ID)+"*.jsonl")); len(left) > 0 {
		t.Errorf("half a copy: %v", left)
	}
}

// A kernel that stops a write half way (here at the process's file size limit) leaves
// no half record.
func TestPartialWriteIsTakenBack(t *testing.T) {
	s, dir := newJournal(t, note(1))
	l, err := s.Open(t.Context(), id)
	noErr(t, err)
	var was syscall.Rlimit
	noErr(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was))
	size := fileSize(t, filepath.Join(dir, string(id)+".jsonl"))
	noErr(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size + 100, Max: was.Max}))
	err = l.Append(note(2), note(3))
	noErr(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was))
	if !errors.Is(err, syscall.EFBIG) {
		t.Errorf("append: %v, want file too large", err)
	}
	if now := fileSize(t, filepath.Join(dir, string(id)+".jsonl")); now != size {
		t.Errorf("file has %d bytes, want the %d before", now, size)
	}
	noErr(t, l.Append(note(2)))
	noErr(t, l.Close())
	wantRead(t, s, 0, []event.Envelope{note(1), note(2)})
}

func fileSize(t *testing.T, path string) uint64 {
	t.Helper()
	var st syscall.Stat_t
	noErr(t, syscall.Stat(path, &st))
	return uint64(st.Size)
}
