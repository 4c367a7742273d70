package history_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/durable"
	"reasonix/core/history"
)

// big makes a journal large enough for its index to be written.
func big(j *journal, word string) {
	j.t.Helper()
	for i := range 30 {
		j.user(fmt.Sprintf("prompt %d", i))
		j.result("bash", "cat", fmt.Sprintf("%s number%d ", word, i)+strings.Repeat(fmt.Sprintf("line%d of output ", i), 1500))
	}
}

func indexOf(w world, project string) string {
	return filepath.Join(w.home, "projects", project, "history.idx")
}

// The index follows its journals: growth, deletion, another file under the name, an
// edit, and damage to the index itself, without an answer that is wrong.
func TestIndexFollowsTheJournals(t *testing.T) {
	w := newWorld(t)
	h := w.history("app")
	j := w.journal("app", "s1")
	big(j, "platypus")
	find := func(word string) int { return len(search(t, h, history.Query{Text: word, Limit: 50}).Hits) }
	if got := find("platypus"); got != 30 {
		t.Fatalf("%d hits, want 30", got)
	}
	before, err := os.Stat(indexOf(w, "app"))
	if err != nil {
		t.Fatalf("no index was written: %v", err)
	}
	j.result("bash", "cat", "one echidna")
	if find("echidna") != 1 || find("platypus") != 30 {
		t.Error("growth is not found beside what is in the file")
	}
	if after, err := os.Stat(indexOf(w, "app")); err != nil || after.Size() != before.Size() {
		t.Errorf("a small growth was written at once: %v", err)
	}
	k := w.journal("app", "s2")
	big(k, "numbat")
	if find("numbat") != 30 || find("echidna") != 1 || find("platypus") != 30 {
		t.Error("a second journal is not found beside the first")
	}
	if err := os.Remove(k.path); err != nil {
		t.Fatal(err)
	}
	if find("numbat") != 0 || find("platypus") != 30 {
		t.Error("a deleted journal is still found, or another is not")
	}
	data, err := os.ReadFile(j.path)
	if err != nil {
		t.Fatal(err)
	}
	edited := []byte(strings.Replace(string(data), "one echidna", "two echidna", 1)) // the checksum is wrong now
	if err := os.WriteFile(j.path, edited, 0o600); err != nil {
		t.Fatal(err)
	}
	if find("echidna") != 0 || find("platypus") != 30 {
		t.Error("an edited line is found, or the others are not")
	}
	if err := os.WriteFile(j.path, data[:len(data)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if got := find("platypus"); got < 13 || got > 16 {
		t.Errorf("%d hits in half of the journal", got)
	}
	if err := os.Remove(indexOf(w, "app")); err != nil {
		t.Fatal(err)
	}
	if got := find("platypus"); got < 13 || got > 16 {
		t.Errorf("%d hits without the index", got)
	}
}

func TestDamagedIndexIsBuiltAgain(t *testing.T) {
	w := newWorld(t)
	big(w.journal("app", "s1"), "platypus")
	h := w.history("app")
	query := history.Query{Text: "platypus number7 line7"}
	want := places(search(t, h, query))
	path := indexOf(w, "app")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]byte{
		"empty": nil, "other": []byte(strings.Repeat("x", 5000)), "cut": good[:len(good)/2], "half a head": good[:20],
		"slots": append(append([]byte(nil), good[:8]...), make([]byte, len(good)-8)...),
	} {
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, places(search(t, h, query))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for i := 0; i < len(good); i += 1499 {
		bad := append([]byte(nil), good...)
		bad[i] ^= 0x20
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, places(search(t, h, query))); diff != "" {
			t.Fatalf("byte %d (-want +got):\n%s", i, diff)
		}
	}
}

// A second process searches while one writes the index, and where nothing can be
// written.
func TestSearchWithoutTheLock(t *testing.T) {
	w := newWorld(t)
	big(w.journal("app", "s1"), "platypus")
	lock, err := durable.Acquire(indexOf(w, "app") + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	h := w.history("app")
	if got := len(search(t, h, history.Query{Text: "platypus", Limit: 50}).Hits); got != 30 {
		t.Errorf("%d hits", got)
	}
	if _, err := os.Stat(indexOf(w, "app")); err == nil {
		t.Error("the index was written without the lock")
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	done := make(chan int)
	for range 4 {
		go func() {
			r, err := w.history("app").Search(t.Context(), history.Query{Text: "platypus", Scope: history.Project, Limit: 50})
			if err != nil {
				t.Error(err)
			}
			done <- len(r.Hits)
		}()
	}
	for range 4 {
		if got := <-done; got != 30 {
			t.Errorf("%d hits in parallel", got)
		}
	}
}

// Many small commits leave few segments and a file not much larger than its content.
func TestIndexStaysSmall(t *testing.T) {
	w := newWorld(t)
	j := w.journal("app", "s1")
	h := w.history("app")
	for i := range 6 {
		big(j, fmt.Sprintf("animal%d", i))
		search(t, h, history.Query{Text: "animal1"})
	}
	grown, err := os.Stat(indexOf(w, "app"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(indexOf(w, "app")); err != nil {
		t.Fatal(err)
	}
	search(t, h, history.Query{Text: "animal1"})
	fresh, err := os.Stat(indexOf(w, "app"))
	if err != nil {
		t.Fatal(err)
	}
	if grown.Size() > 2*fresh.Size()+2<<20 {
		t.Errorf("%d bytes after 6 rounds, %d when built at once", grown.Size(), fresh.Size())
	}
}

func TestPatienceLeavesTheRest(t *testing.T) {
	w := newWorld(t)
	for i := range 3 {
		j := w.journal("app", fmt.Sprintf("s%d", i))
		big(j, "platypus")
		big(j, "platypus")
	}
	clock := epoch
	h := history.New(history.Below(w.home, w.sessions("app")), func() time.Time {
		clock = clock.Add(time.Second)
		return clock
	})
	first := search(t, h, history.Query{Text: "platypus", Patience: time.Millisecond})
	if first.Behind == 0 || len(first.Hits) == 0 {
		t.Fatalf("behind %d bytes with %d hits, want some of both", first.Behind, len(first.Hits))
	}
	last := first
	for range 10 {
		last = search(t, h, history.Query{Text: "platypus", Patience: time.Millisecond})
		if last.Behind == 0 {
			return
		}
	}
	t.Errorf("still %d bytes behind", last.Behind)
}
