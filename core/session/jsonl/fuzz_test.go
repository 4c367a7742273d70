package jsonl_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
)

// FuzzJournal damages a valid journal at random: overwrites, removes, inserts and
// cuts. What was not touched is still read, what is read is what was written, and
// after one more append everything that was readable still is.
func FuzzJournal(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, uint8(seed%5), []byte("\n\x00{\"seq\":"))
	}
	f.Add(uint64(1), uint8(0), []byte{})
	written := notes(1, 12)
	s, dir := newJournal(f, written...)
	path := filepath.Join(dir, string(id)+".jsonl")
	whole, err := os.ReadFile(path)
	noErr(f, err)

	f.Fuzz(func(t *testing.T, seed uint64, wounds uint8, with []byte) {
		text := wound(rand.New(rand.NewPCG(seed, 0)), whole, int(wounds%8), with)
		noErr(t, os.WriteFile(path, text, 0o600))
		before, _ := readAll(t, s, 0)
		wantUntouched(t, whole, text, written, before)

		l, err := s.Open(t.Context(), id)
		if _, newer := errors.AsType[*session.FormatError](err); newer {
			return
		}
		noErr(t, err)
		if n := len(before); n > 0 && l.Last() < before[n-1].Seq {
			t.Fatalf("last %d, behind %d that was read", l.Last(), before[n-1].Seq)
		}
		next := note(l.Last() + 1)
		noErr(t, l.Append(next))
		noErr(t, l.Close())
		after, _ := readAll(t, s, 0)
		if d := cmp.Diff(after, append(before, next)); d != "" {
			t.Fatalf("after an append (-got +want):\n%s", d)
		}
		if _, err := s.List(t.Context(), session.Query{}); err != nil {
			t.Fatal(err)
		}
	})
}

func wound(r *rand.Rand, whole []byte, wounds int, with []byte) []byte {
	text := slices.Clone(whole)
	for range wounds {
		at := r.IntN(len(text) + 1)
		end := min(len(text), at+r.IntN(40))
		switch r.IntN(4) {
		case 0:
			copy(text[at:], with)
		case 1:
			text = slices.Delete(text, at, end)
		case 2:
			text = slices.Insert(text, at, with...)
		case 3:
			text = text[:at]
		}
	}
	return text
}

// wantUntouched checks that got holds written records alone, in order, and among them
// every one whose line is whole in text, up to what a record moved out of order hides.
func wantUntouched(t *testing.T, whole, text []byte, written, got []event.Envelope) {
	t.Helper()
	read := map[event.Seq]bool{}
	last := event.Seq(0)
	for _, e := range got {
		if e.Seq <= last || e.Seq > event.Seq(len(written)) || !cmp.Equal(e, written[e.Seq-1]) {
			t.Fatalf("read %+v behind %d: never written so", e, last)
		}
		last, read[e.Seq] = e.Seq, true
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))[1:]
	for _, line := range bytes.SplitAfter(text, []byte("\n")) {
		i := slices.IndexFunc(lines, func(l []byte) bool { return len(l) > 0 && bytes.Equal(l, line) })
		if i >= 0 && !read[event.Seq(i+1)] {
			t.Fatalf("record %d is whole and was not read", i+1)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	s := jsonl.New(filepath.Join(b.TempDir(), "s"), jsonl.Options{})
	l, err := s.Create(b.Context(), meta())
	noErr(b, err)
	defer l.Close()
	b.ReportAllocs()
	for b.Loop() {
		if err := l.Append(note(l.Last() + 1)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	s, dir := newJournal(b, notes(1, 5000)...)
	info, err := os.Stat(filepath.Join(dir, string(id)+".jsonl"))
	noErr(b, err)
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, err := range s.Read(b.Context(), id, 0) {
			noErr(b, err)
			n++
		}
		if n != 5000 {
			b.Fatal(n)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	s, dir := newJournal(b, notes(1, 5000)...)
	info, err := os.Stat(filepath.Join(dir, string(id)+".jsonl"))
	noErr(b, err)
	b.SetBytes(info.Size())
	for b.Loop() {
		l, err := s.Open(b.Context(), id)
		noErr(b, err)
		noErr(b, l.Close())
	}
}
