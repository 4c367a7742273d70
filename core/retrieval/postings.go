package retrieval

import (
	"encoding/binary"
	"fmt"
)

// A list of postings is, per document in ascending order, the distance from the one
// before (from -1 at first) doubled, plus one when the term is there once; else the
// number of times follows. Both are varints.

// list is a term's postings while an index grows. The last document is held back
// until the next begins.
type list struct {
	done  []byte
	base  uint32 // one more than the last document in done
	last  uint32
	times uint32 // of the term in last
	docs  uint32
}

// put adds a document behind the last.
func (l *list) put(doc, times uint32) {
	l.flush()
	l.last, l.times = doc, times
	l.docs++
}

// flush writes the document that is held back; put or the end of the list follows.
func (l *list) flush() {
	if l.docs == 0 {
		return
	}
	l.done = appendPosting(l.done, l.last-l.base, l.times)
	l.base = l.last + 1
}

// encoded appends the whole list to dst.
func (l *list) encoded(dst []byte) []byte {
	dst = append(dst, l.done...)
	if l.docs == 0 {
		return dst
	}
	return appendPosting(dst, l.last-l.base, l.times)
}

func appendPosting(dst []byte, distance, times uint32) []byte {
	if times == 1 {
		return binary.AppendUvarint(dst, uint64(distance)<<1|1)
	}
	dst = binary.AppendUvarint(dst, uint64(distance)<<1)
	return binary.AppendUvarint(dst, uint64(times))
}

// eachPosting decodes a list of an index with size documents.
func eachPosting(data []byte, size int, yield func(doc, times uint32)) error {
	next := uint64(0)
	for len(data) > 0 {
		v, n := binary.Uvarint(data)
		if n <= 0 {
			return fmt.Errorf("%w: a list of postings is cut", ErrFormat)
		}
		data = data[n:]
		times := uint64(1)
		if v&1 == 0 {
			if times, n = binary.Uvarint(data); n <= 0 {
				return fmt.Errorf("%w: a list of postings is cut", ErrFormat)
			}
			data = data[n:]
		}
		doc := next + v>>1
		if v>>1 >= uint64(size) || doc >= uint64(size) || times > 1<<31 {
			return fmt.Errorf("%w: a posting of document %d of %d", ErrFormat, doc, size)
		}
		yield(uint32(doc), uint32(times))
		next = doc + 1
	}
	return nil
}
