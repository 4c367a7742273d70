package retrieval

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
)

// FuzzHostileSegment reads segments whose checksums are right and whose terms and
// postings are anything.
func FuzzHostileSegment(f *testing.F) {
	f.Add([]byte{1, 2, 3, 5, 7}, []byte{9, 200, 1, 1}, byte(3), byte(2), uint64(1<<39))
	f.Add([]byte{0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}, []byte{}, byte(0), byte(1), uint64(0))
	f.Fuzz(func(t *testing.T, first, second []byte, docs, count byte, at uint64) {
		query := Tokens("some words")
		hashes := []uint64{hashOf([]byte(query[0].Term)), hashOf([]byte(query[1].Term))}
		if hashes[0] > hashes[1] {
			hashes[0], hashes[1] = hashes[1], hashes[0]
		}
		var out bytes.Buffer
		w := newSegmentWriter(&out)
		w.term(hashes[0], uint32(count), first)
		w.term(hashes[1], uint32(count)+1, second)
		if n := len(w.pages); at%3 == 0 && n >= entrySize { // a place in the file that is anything, too
			binary.LittleEndian.PutUint64(w.pages[n-8:], at)
		}
		if _, err := w.finish(make([]uint64, docs), make([]byte, docs)); err != nil {
			t.Fatal(err)
		}
		s, err := OpenSegment(bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Search([]Part{All(s)}, "some words", 10); err != nil && !errors.Is(err, ErrFormat) {
			t.Fatal(err)
		}
		if _, err := Merge(&bytes.Buffer{}, []Part{All(s), All(s)}); err != nil && !errors.Is(err, ErrFormat) {
			t.Fatal(err)
		}
	})
}
