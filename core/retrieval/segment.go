package retrieval

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sort"
)

// Segment is an index that does not change, read in place. It holds one byte per
// document and eight per 256 terms in memory, and reads a page or a list at a time,
// each of them checked. It is safe for concurrent use when its reader is.
type Segment struct {
	r       io.ReaderAt
	docs    int
	terms   int
	pages   int64 // where they begin
	keys    int64
	end     int64 // of the postings
	fences  []uint64
	lengths []byte
}

// OpenSegment reads the frame of the size bytes of r that a Builder or Merge wrote.
// An error that wraps ErrFormat says that they are something else; any other is r's.
func OpenSegment(r io.ReaderAt, size int64) (*Segment, error) {
	s := &Segment{r: r}
	if err := s.open(size); err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	return s, nil
}

func (s *Segment) open(size int64) error {
	if size < int64(len(magic)+footerSize) {
		return fmt.Errorf("%w: %d bytes are too few", ErrFormat, size)
	}
	footer, err := s.block(size-int64(footerSize), footerSize-crcSize)
	if err != nil {
		return err
	}
	head := make([]byte, len(magic))
	if err := s.read(head, 0); err != nil {
		return err
	}
	if string(footer[6*8:]) != magic || string(head) != magic {
		return fmt.Errorf("%w: another version, or another file", ErrFormat)
	}
	var n [6]uint64
	for i := range n {
		n[i] = binary.LittleEndian.Uint64(footer[i*8:])
	}
	docs, terms := n[0], n[1]
	if docs > MaxDocs || terms > uint64(size)/entrySize {
		return fmt.Errorf("%w: %d documents, %d terms", ErrFormat, docs, terms)
	}
	s.docs, s.terms = int(docs), int(terms)
	fences := (s.terms + pageEntries - 1) / pageEntries
	at := int64(n[2])
	for i, length := range []int{pagedSize(s.terms, entrySize, pageEntries), fences*8 + crcSize, pagedSize(s.docs, keySize, pageKeys), s.docs + crcSize} {
		if at < int64(len(magic)) || uint64(at) != n[2+i] {
			return fmt.Errorf("%w: its blocks are not where they should be", ErrFormat)
		}
		at += int64(length)
	}
	if at != size-int64(footerSize) {
		return fmt.Errorf("%w: its blocks are not where they should be", ErrFormat)
	}
	s.pages, s.end, s.keys = int64(n[2]), int64(n[2]), int64(n[4])
	return s.frame(int64(n[3]), fences, int64(n[5]))
}

// frame reads the fences and the lengths.
func (s *Segment) frame(fencesAt int64, fences int, lengthsAt int64) error {
	data, err := s.block(fencesAt, fences*8)
	if err != nil {
		return err
	}
	s.fences = make([]uint64, fences)
	for i := range s.fences {
		s.fences[i] = binary.LittleEndian.Uint64(data[i*8:])
	}
	s.lengths, err = s.block(lengthsAt, s.docs)
	return err
}

// block reads length bytes and the checksum behind them.
func (s *Segment) block(at int64, length int) ([]byte, error) {
	data := make([]byte, length+crcSize)
	if err := s.read(data, at); err != nil {
		return nil, err
	}
	data, sum := data[:length], binary.LittleEndian.Uint32(data[length:])
	if checksum(data) != sum {
		return nil, fmt.Errorf("%w: the checksum at %d does not match", ErrFormat, at)
	}
	return data, nil
}

func (s *Segment) read(data []byte, at int64) error {
	n, err := s.r.ReadAt(data, at)
	if n == len(data) {
		return nil
	}
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: it is cut", ErrFormat)
	}
	return err
}

// Docs is how many documents the segment has.
func (s *Segment) Docs() int { return s.docs }

// Key returns what Builder.Add was given for a document from 0 to Docs()-1.
func (s *Segment) Key(doc int) (uint64, error) {
	page := doc / pageKeys
	data, err := s.page(s.keys, page, min(pageKeys, s.docs-page*pageKeys), keySize, pageKeys)
	if err != nil {
		return 0, fmt.Errorf("read key of document %d: %w", doc, err)
	}
	return decodeKey(data, doc), nil
}

func decodeKey(page []byte, doc int) uint64 {
	return binary.LittleEndian.Uint64(page[doc%pageKeys*keySize:])
}

// page reads one page of n things.
func (s *Segment) page(base int64, page, n, size, perPage int) ([]byte, error) {
	return s.block(base+int64(page)*int64(perPage*size+crcSize), n*size)
}

func (s *Segment) lengthCodes() ([]byte, error) { return s.lengths, nil }

func (s *Segment) find(hash uint64) (found, error) {
	page := sort.Search(len(s.fences), func(i int) bool { return s.fences[i] > hash }) - 1
	if page < 0 {
		return found{}, nil
	}
	data, err := s.termPage(page)
	if err != nil {
		return found{}, err
	}
	n := len(data) / entrySize
	i := sort.Search(n, func(i int) bool { return entryHash(data, i) >= hash })
	if i == n || entryHash(data, i) != hash {
		return found{}, nil
	}
	return entry(data, i), nil
}

func (s *Segment) termPage(page int) ([]byte, error) {
	return s.page(s.pages, page, min(pageEntries, s.terms-page*pageEntries), entrySize, pageEntries)
}

func entryHash(page []byte, i int) uint64 {
	return binary.LittleEndian.Uint64(page[i*entrySize:])
}

func entry(page []byte, i int) found {
	value := binary.LittleEndian.Uint64(page[i*entrySize+8:])
	return found{docs: uint32(value & (1<<docsBits - 1)), at: value >> docsBits}
}

// postings reads a list. A guess of its length saves the second read nearly always.
func (s *Segment) postings(f found) ([]byte, error) {
	if f.docs == 1 {
		return appendPosting(nil, uint32(f.at&(1<<docsBits-1)), uint32(f.at>>docsBits)), nil
	}
	at := int64(f.at)
	room := s.end - at - listHead
	if room < 0 {
		return nil, fmt.Errorf("%w: postings at %d", ErrFormat, at)
	}
	data := make([]byte, listHead+min(room, int64(f.docs)*2+16))
	if err := s.read(data, at); err != nil {
		return nil, err
	}
	sum, length := binary.LittleEndian.Uint32(data), int64(binary.LittleEndian.Uint32(data[crcSize:]))
	if length > room {
		return nil, fmt.Errorf("%w: postings at %d", ErrFormat, at)
	}
	if have := int64(len(data)) - listHead; length > have {
		data = append(data, make([]byte, length-have)...)
		if err := s.read(data[listHead+have:], at+listHead+have); err != nil {
			return nil, err
		}
	}
	data = data[listHead : listHead+length]
	if checksum(data) != sum {
		return nil, fmt.Errorf("%w: the checksum at %d does not match", ErrFormat, at)
	}
	return data, nil
}
