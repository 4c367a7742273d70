package retrieval_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/retrieval"
)

func segment(t testing.TB, b *retrieval.Builder) *retrieval.Segment {
	t.Helper()
	var buf bytes.Buffer
	n, err := b.WriteTo(&buf)
	if err != nil || n != int64(buf.Len()) {
		t.Fatalf("wrote %d of %d bytes: %v", n, buf.Len(), err)
	}
	return opened(t, buf.Bytes())
}

func opened(t testing.TB, data []byte) *retrieval.Segment {
	t.Helper()
	s, err := retrieval.OpenSegment(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// corpus is n documents of a few words out of many.
func corpus(n int) []string {
	r := rand.New(rand.NewPCG(3, 4))
	list := make([]string, n)
	for i := range list {
		var b strings.Builder
		for range 5 + r.IntN(40) {
			word := r.IntN(1 + r.IntN(3000))
			fmt.Fprintf(&b, "q%cw%c%c ", 'a'+word%26, 'a'+word/26%26, 'a'+word/676)
		}
		list[i] = b.String()
	}
	return list
}

func results(t testing.TB, parts []retrieval.Part, query string, limit int) []string {
	t.Helper()
	hits, err := retrieval.Search(parts, query, limit)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, h := range hits {
		list = append(list, fmt.Sprintf("%d %.4f %s", h.Key, h.Score, strings.Join(h.Terms, ",")))
	}
	return list
}

// However documents are spread over segments, they rank as in one.
func TestSegmentsRankAsOne(t *testing.T) {
	docs := corpus(1500)
	var whole retrieval.Builder
	var parts []retrieval.Part
	part := &retrieval.Builder{}
	for i, text := range docs {
		whole.Add(uint64(i), text)
		part.Add(uint64(i), text)
		if i%400 == 399 || i == len(docs)-1 {
			parts = append(parts, retrieval.All(segment(t, part)))
			part = &retrieval.Builder{}
		}
	}
	one := []retrieval.Part{retrieval.All(segment(t, &whole))}
	var merged bytes.Buffer
	if _, err := retrieval.Merge(&merged, parts); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"qawaa", "qbwba qcwaa qdwaa", "qewab none", docs[700]} {
		want := results(t, one, query, 50)
		if len(want) == 0 {
			t.Fatalf("%q finds nothing", query)
		}
		if diff := cmp.Diff(want, results(t, parts, query, 50)); diff != "" {
			t.Errorf("%q in parts (-want +got):\n%s", query, diff)
		}
		joined := []retrieval.Part{retrieval.All(opened(t, merged.Bytes()))}
		if diff := cmp.Diff(want, results(t, joined, query, 50)); diff != "" {
			t.Errorf("%q merged (-want +got):\n%s", query, diff)
		}
	}
	var again bytes.Buffer
	if _, err := whole.WriteTo(&again); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.Bytes(), merged.Bytes()) {
		t.Error("merging gives other bytes than building at once")
	}
}

func TestMergeDropsWhatDoesNotCount(t *testing.T) {
	docs := corpus(600)
	var b, kept retrieval.Builder
	live := []retrieval.Range{{From: 10, To: 30}, {From: 200, To: 590}}
	for i, text := range docs {
		b.Add(uint64(i), text)
	}
	for _, r := range live {
		for i := r.From; i < r.To; i++ {
			kept.Add(uint64(i), docs[i])
		}
	}
	p := retrieval.Part{Segment: segment(t, &b), Live: live}
	for _, hit := range results(t, []retrieval.Part{p}, "qawaa qbwaa", 1000) {
		var key int
		if fmt.Sscan(hit, &key); key < 10 || key >= 30 && key < 200 || key >= 590 {
			t.Errorf("document %d does not count", key)
		}
	}
	var merged, want bytes.Buffer
	if _, err := retrieval.Merge(&merged, []retrieval.Part{p}); err != nil {
		t.Fatal(err)
	}
	if _, err := kept.WriteTo(&want); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want.Bytes(), merged.Bytes()) {
		t.Error("what is left differs from an index of it")
	}
}

func TestEmptySegment(t *testing.T) {
	p := retrieval.All(segment(t, &retrieval.Builder{}))
	if got := results(t, []retrieval.Part{p}, "anything", 3); got != nil {
		t.Errorf("got %v", got)
	}
	var out bytes.Buffer
	if _, err := retrieval.Merge(&out, []retrieval.Part{p, p}); err != nil {
		t.Fatal(err)
	}
}

// Whatever byte is wrong, a search fails with ErrFormat or finds what it should.
func TestDamagedSegmentIsNoticed(t *testing.T) {
	var b retrieval.Builder
	for i, text := range corpus(40) {
		b.Add(uint64(i), text)
	}
	var buf bytes.Buffer
	if _, err := b.WriteTo(&buf); err != nil {
		t.Fatal(err)
	}
	data := buf.Bytes()
	want := results(t, []retrieval.Part{retrieval.All(opened(t, data))}, "qawaa qbwaa", 10)
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 0x55
		got, err := search(bad, "qawaa qbwaa")
		if err != nil && !errors.Is(err, retrieval.ErrFormat) {
			t.Fatalf("byte %d: %v", i, err)
		}
		if err == nil && !cmp.Equal(want, got) {
			t.Fatalf("byte %d: other results without an error", i)
		}
	}
}

func search(data []byte, query string) ([]string, error) {
	s, err := retrieval.OpenSegment(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	hits, err := retrieval.Search([]retrieval.Part{retrieval.All(s)}, query, 10)
	var list []string
	for _, h := range hits {
		list = append(list, fmt.Sprintf("%d %.4f %s", h.Key, h.Score, strings.Join(h.Terms, ",")))
	}
	return list, err
}

func FuzzSegment(f *testing.F) {
	var b retrieval.Builder
	for i, text := range corpus(3) {
		b.Add(uint64(i), text)
	}
	var buf bytes.Buffer
	if _, err := b.WriteTo(&buf); err != nil {
		f.Fatal(err)
	}
	f.Add(buf.Bytes(), "qawaa")
	f.Fuzz(func(t *testing.T, data []byte, query string) {
		s, err := retrieval.OpenSegment(bytes.NewReader(data), int64(len(data)))
		if err == nil {
			parts := []retrieval.Part{retrieval.All(s)}
			if _, err = retrieval.Search(parts, query, 5); err == nil {
				_, err = retrieval.Merge(&bytes.Buffer{}, parts)
			}
		}
		if err != nil && !errors.Is(err, retrieval.ErrFormat) {
			t.Fatal(err)
		}
	})
}

func BenchmarkTokens(b *testing.B) {
	text := strings.Repeat("func parseHeader(line []byte) (header, error) { return core/session/jsonl.Store, 0x1f4 } the quick brown fox ", 500)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		var x retrieval.Builder
		x.Add(0, text)
	}
}

func BenchmarkBuild(b *testing.B) {
	docs := corpus(20000)
	size := 0
	for _, d := range docs {
		size += len(d)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		var x retrieval.Builder
		for i, d := range docs {
			x.Add(uint64(i), d)
		}
		if _, err := x.WriteTo(&bytes.Buffer{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	var x retrieval.Builder
	for i, d := range corpus(100000) {
		x.Add(uint64(i), d)
	}
	parts := []retrieval.Part{retrieval.All(segment(b, &x))}
	for b.Loop() {
		if _, err := retrieval.Search(parts, "qawaa qbwba qcwaa", 10); err != nil {
			b.Fatal(err)
		}
	}
}
