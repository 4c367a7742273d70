package retrieval_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/retrieval"
)

func ids(hits []retrieval.Hit) []string {
	var list []string
	for _, h := range hits {
		list = append(list, h.ID)
	}
	return list
}

func TestRareTermsBeatCommonOnes(t *testing.T) {
	var x retrieval.Index
	for i := range 20 {
		x.Add(fmt.Sprintf("noise%02d", i), "the build of the project runs the tests")
	}
	x.Add("answer", "the flaky watchdog test was fixed by raising the deadline")
	hits := x.Search("the watchdog deadline", 10)
	if diff := cmp.Diff([]string{"answer"}, ids(hits)); diff != "" {
		t.Fatalf("common words alone are no hit (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"the", "watchdog", "deadline"}, hits[0].Terms); diff != "" {
		t.Errorf("matched terms (-want +got):\n%s", diff)
	}
	if got := len(x.Search("project tests", 5)); got != 5 {
		t.Errorf("%d hits when all are equal, want the limit", got)
	}
}

func TestIdentifiersAreFoundByTheirPartsAndWhole(t *testing.T) {
	var x retrieval.Index
	x.Add("camel", "func parseJournalHeader()")
	x.Add("snake", "def write_file(path)")
	x.Add("path", "core/session/jsonl/store.go")
	x.Add("chinese", "会话恢复时日志被截断")
	for query, want := range map[string]string{
		"journal": "camel", "parse_journal_header": "camel", "writeFile": "snake",
		"jsonl/store": "path", "恢复": "chinese", "日志截断": "chinese",
	} {
		if got := x.Search(query, 1); len(got) != 1 || got[0].ID != want {
			t.Errorf("%s: got %v, want %s", query, got, want)
		}
	}
	for _, query := range []string{"", "...", "x", "absent"} {
		if got := x.Search(query, 3); got != nil {
			t.Errorf("%q: got %v", query, got)
		}
	}
	if got := x.Search("journal", 0); got != nil {
		t.Errorf("limit 0: got %v", got)
	}
}

// A removed or replaced document leaves no trace in the ranking.
func TestRemovingLeavesNoTrace(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var b strings.Builder
		for range 3 + r.IntN(20) {
			fmt.Fprintf(&b, "w%c%c ", 'a'+r.IntN(6), 'a'+r.IntN(6))
		}
		return b.String()
	}
	var changed, fresh retrieval.Index
	kept := map[string]string{}
	for range 400 {
		id := fmt.Sprint(r.IntN(60))
		if r.IntN(3) == 0 {
			changed.Remove(id)
			delete(kept, id)
			continue
		}
		kept[id] = text()
		changed.Add(id, kept[id])
	}
	for id, text := range kept {
		fresh.Add(id, text)
	}
	if changed.Len() != len(kept) {
		t.Fatalf("%d documents, want %d", changed.Len(), len(kept))
	}
	for a := 'a'; a < 'g'; a++ {
		query := fmt.Sprintf("w%ca w%cb wbc", a, a)
		if diff := cmp.Diff(fresh.Search(query, 100), changed.Search(query, 100)); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", query, diff)
		}
	}
	written, err := changed.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	var read retrieval.Index
	if err := read.UnmarshalBinary(written); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fresh.Search("wab wbc wcd", 100), read.Search("wab wbc wcd", 100)); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	again, err := read.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if string(again) != string(written) {
		t.Error("writing what was read gives other bytes")
	}
}

func TestDamagedBytesAreNoIndex(t *testing.T) {
	var x retrieval.Index
	x.Add("a", "some words to find here, words again")
	x.Add("b", "other words to find")
	good, err := x.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range good {
		bad := []byte(string(good))
		bad[i] ^= 0x41
		var y retrieval.Index
		y.Add("old", "kept")
		if err := y.UnmarshalBinary(bad); !errors.Is(err, retrieval.ErrFormat) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
		if !y.Has("old") {
			t.Fatal("a failed read changed the index")
		}
		if err := y.UnmarshalBinary(good[:i]); !errors.Is(err, retrieval.ErrFormat) {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
}

func FuzzIndexDecoder(f *testing.F) {
	var x retrieval.Index
	x.Add("a", "some words to find, words")
	x.Add("b", "some other words")
	data, err := x.AppendBinary(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		var y retrieval.Index
		if err := y.UnmarshalBinary(data); err != nil {
			if !errors.Is(err, retrieval.ErrFormat) {
				t.Fatal(err)
			}
			return
		}
		y.Search("some other words", 10)
		y.Add("c", "words")
		y.Remove("a")
	})
}
