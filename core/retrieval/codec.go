package retrieval

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
)

// indexMagic begins a written Index; the last byte is the version. Its ids follow,
// each with its length, then their checksum, then a segment.
const indexMagic = "RXINDX\x00\x01"

// AppendBinary appends the index to dst. Equal indexes are equal bytes.
func (x *Index) AppendBinary(dst []byte) ([]byte, error) {
	if len(x.docs) < len(x.ids) {
		x.compact()
	}
	start := len(dst)
	dst = append(dst, indexMagic...)
	dst = binary.AppendUvarint(dst, uint64(len(x.ids)))
	for _, id := range x.ids {
		dst = binary.AppendUvarint(dst, uint64(len(id)))
		dst = append(dst, id...)
	}
	buf := bytes.NewBuffer(dst)
	sw := newSegmentWriter(buf)
	for _, hash := range slices.Sorted(maps.Keys(x.lists)) {
		sw.term(hash, x.lists[hash].docs, x.lists[hash].encoded(nil))
	}
	if _, err := sw.finish(make([]uint64, len(x.ids)), x.lengths); err != nil {
		return nil, err
	}
	return appendSum(buf.Bytes(), start), nil
}

// UnmarshalBinary replaces the index by what AppendBinary wrote. After an error,
// which wraps ErrFormat, the index is what it was before: build it anew.
func (x *Index) UnmarshalBinary(data []byte) error {
	y, err := decodeIndex(data)
	if err != nil {
		return fmt.Errorf("decode index: %w", err)
	}
	*x = *y
	return nil
}

func decodeIndex(data []byte) (*Index, error) {
	rest, ok := bytes.CutPrefix(data, []byte(indexMagic))
	if !ok || len(rest) < crcSize {
		return nil, fmt.Errorf("%w: another version, or something else", ErrFormat)
	}
	if end := len(data) - crcSize; checksum(data[:end]) != binary.LittleEndian.Uint32(data[end:]) {
		return nil, fmt.Errorf("%w: its checksum does not match", ErrFormat)
	}
	rest = rest[:len(rest)-crcSize]
	ids, rest, err := decodeIDs(rest)
	if err != nil {
		return nil, err
	}
	s, err := OpenSegment(bytes.NewReader(rest), int64(len(rest)))
	if err != nil {
		return nil, err
	}
	x := &Index{ids: ids, docs: map[string]uint32{}, dead: make([]bool, len(ids))}
	for doc, id := range ids {
		x.docs[id] = uint32(doc)
	}
	if s.docs != len(ids) || len(x.docs) != len(ids) {
		return nil, fmt.Errorf("%w: %d documents for %d ids", ErrFormat, s.docs, len(x.docs))
	}
	x.lists, x.lengths = make(map[uint64]*list, s.terms), s.lengths
	return x, x.load(s)
}

func decodeIDs(data []byte) (ids []string, rest []byte, err error) {
	cut := fmt.Errorf("%w: its ids are cut", ErrFormat)
	count, n := binary.Uvarint(data)
	if n <= 0 || count > uint64(len(data)) {
		return nil, nil, cut
	}
	rest = data[n:]
	for range count {
		length, n := binary.Uvarint(rest)
		if n <= 0 || length > uint64(len(rest)-n) {
			return nil, nil, cut
		}
		ids = append(ids, string(rest[n:n+int(length)]))
		rest = rest[n+int(length):]
	}
	return ids, rest, nil
}

// load reads every term of s into memory.
func (x *Index) load(s *Segment) error {
	in := input{Segment: s}
	for {
		if err := in.step(); err != nil {
			return err
		}
		if in.done() {
			return nil
		}
		data, err := s.postings(entry(in.page, in.at))
		if err != nil {
			return err
		}
		hash := in.hash()
		if err := eachPosting(data, s.docs, func(doc, times uint32) { x.put(hash, doc, times) }); err != nil {
			return err
		}
	}
}
