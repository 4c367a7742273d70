package retrieval

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"sync"
)

// The layout of a segment, all numbers little-endian, each block followed by its
// CRC-32C:
//
//	magic     8 bytes
//	postings  of every term that more than one document has: CRC, length, list
//	terms     pages of 256 entries of 16 bytes, ascending by hash
//	fences    the first hash of each page
//	keys      pages of 512 keys of 8 bytes
//	lengths   one byte a document
//	footer    documents, terms, where the four blocks begin, magic, CRC
//
// An entry is the hash and a number: the documents in the low 24 bits and above
// them where the postings are; with one document it and how often it has the term.
const (
	magic       = "RXBM25\x00\x01" // the last byte is the version
	entrySize   = 16
	pageEntries = 256
	keySize     = 8
	pageKeys    = 512
	crcSize     = 4
	listHead    = crcSize + 4
	footerSize  = 6*8 + len(magic) + crcSize

	docsBits  = 24
	timesBits = 16
)

var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

func checksum(data []byte) uint32 { return crc32.Checksum(data, castagnoli()) }

func appendSum(dst []byte, start int) []byte {
	return binary.LittleEndian.AppendUint32(dst, checksum(dst[start:]))
}

// segmentWriter writes a segment term by term. Its error comes at the end.
type segmentWriter struct {
	w      *bufio.Writer
	off    int64
	err    error
	pages  []byte
	fences []byte
	page   int // where in pages the current one begins
	terms  uint64
	buf    []byte
}

func newSegmentWriter(w io.Writer) *segmentWriter {
	s := &segmentWriter{w: bufio.NewWriterSize(w, 64<<10)}
	s.write([]byte(magic))
	return s
}

func (s *segmentWriter) write(data []byte) {
	if s.err != nil {
		return
	}
	n, err := s.w.Write(data)
	s.off += int64(n)
	s.err = err
}

// term adds a term; hashes ascend. A term of no document is left out.
func (s *segmentWriter) term(hash uint64, docs uint32, postings []byte) {
	if docs == 0 {
		return
	}
	var value uint64
	if docs == 1 {
		_ = eachPosting(postings, MaxDocs, func(doc, times uint32) { // sound: it was just encoded
			value = uint64(doc) | uint64(min(times, 1<<timesBits-1))<<docsBits
		})
	} else {
		value = uint64(s.off)
		s.buf = binary.LittleEndian.AppendUint32(s.buf[:0], checksum(postings))
		s.buf = binary.LittleEndian.AppendUint32(s.buf, uint32(len(postings)))
		s.write(append(s.buf, postings...))
	}
	if s.terms%pageEntries == 0 {
		s.endPage()
		s.fences = binary.LittleEndian.AppendUint64(s.fences, hash)
	}
	s.pages = binary.LittleEndian.AppendUint64(s.pages, hash)
	s.pages = binary.LittleEndian.AppendUint64(s.pages, value<<docsBits|uint64(docs))
	s.terms++
}

func (s *segmentWriter) endPage() {
	if len(s.pages) > s.page {
		s.pages = appendSum(s.pages, s.page)
	}
	s.page = len(s.pages)
}

// finish writes what is known of the documents and returns the segment's size.
func (s *segmentWriter) finish(keys []uint64, lengths []byte) (int64, error) {
	s.endPage()
	footer := binary.LittleEndian.AppendUint64(nil, uint64(len(keys)))
	footer = binary.LittleEndian.AppendUint64(footer, s.terms)
	for _, block := range [][]byte{s.pages, appendSum(s.fences, 0), keyPages(keys), appendSum(bytes.Clone(lengths), 0)} {
		footer = binary.LittleEndian.AppendUint64(footer, uint64(s.off))
		s.write(block)
	}
	s.write(appendSum(append(footer, magic...), 0))
	if s.err == nil {
		s.err = s.w.Flush()
	}
	if s.err != nil {
		return 0, fmt.Errorf("write index: %w", s.err)
	}
	return s.off, nil
}

func keyPages(keys []uint64) []byte {
	pages := make([]byte, 0, pagedSize(len(keys), keySize, pageKeys))
	for page := range slices.Chunk(keys, pageKeys) {
		start := len(pages)
		for _, key := range page {
			pages = binary.LittleEndian.AppendUint64(pages, key)
		}
		pages = appendSum(pages, start)
	}
	return pages
}

// pagedSize is how many bytes n things of a size take, with a checksum a page.
func pagedSize(n, size, perPage int) int {
	return n*size + (n+perPage-1)/perPage*crcSize
}
