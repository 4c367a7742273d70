package history

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"reasonix/core/durable"
	"reasonix/core/retrieval"
)

// The file of an index begins with its name and two slots. Behind them are segments
// and catalogs, written one after the other and never changed. A slot says where a
// catalog is; the newer of the slots whose catalog is whole counts, and writers take
// turns with them, so that there is a good one at every moment.
const (
	indexMagic = "RXHIST\x00\x01" // the last byte is the version
	slotSize   = 32               // number, offset, length, CRC-32C of the catalog, of the slot
	slotsAt    = len(indexMagic)
	headSize   = int64(slotsAt + 2*slotSize)
)

// errIndex is wrapped by what is wrong with an index file. It is built anew then.
var errIndex = errors.New("not a usable index")

// catalog says what an index covers.
type catalog struct {
	Sources  []*source `json:"sources"`
	Segments []*inFile `json:"segments"`
	Free     int64     `json:"free"` // bytes of the file that nothing refers to any more
}

// source is a journal and how far it was taken in.
type source struct {
	ID       int    `json:"id"`
	Name     string `json:"name"`
	Size     int64  `json:"size"`
	Modified int64  `json:"modified"`
	Offset   int64  `json:"offset"` // everything before it was taken in
	Print    uint32 `json:"print"`  // of the bytes before Offset
	Turn     int    `json:"turn"`   // the last one
	First    int64  `json:"first"`  // where the first prompt is, plus 1
	Titled   int64  `json:"titled"` // where the last configuration with a title is, plus 1
}

// run says whose the documents of a segment are.
type run struct{ Source, From, To int }

// inFile is a segment in the file.
type inFile struct {
	Offset int64 `json:"offset"`
	Size   int64 `json:"size"`
	Runs   []run `json:"runs"`
}

// byName indexes the sources.
func (c *catalog) byName() map[string]*source {
	m := make(map[string]*source, len(c.Sources))
	for _, s := range c.Sources {
		m[s.Name] = s
	}
	return m
}

// indexFile is an open index. It never changes what it has read: its segments stay
// where they are while others append.
type indexFile struct {
	f       *os.File
	catalog catalog
	number  uint64 // of the catalog
	end     int64  // of what the slots refer to
	written int64  // bytes of the file that the catalog itself takes
}

// openIndex reads the index at path. An error that wraps errIndex or fs.ErrNotExist
// means that there is none to use.
func openIndex(path string) (*indexFile, error) {
	f, err := durable.Open(path)
	if err != nil {
		return nil, err
	}
	x := &indexFile{f: f}
	if err := x.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), f.Close())
	}
	return x, nil
}

func (x *indexFile) load() error {
	head := make([]byte, headSize)
	if _, err := x.f.ReadAt(head, 0); err != nil {
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%w: it is cut", errIndex)
		}
		return err
	}
	if string(head[:slotsAt]) != indexMagic {
		return fmt.Errorf("%w: another version, or another file", errIndex)
	}
	for i := range 2 {
		slot := head[slotsAt+i*slotSize:][:slotSize]
		number := binary.LittleEndian.Uint64(slot)
		if number <= x.number || checksum(slot[:slotSize-4]) != binary.LittleEndian.Uint32(slot[slotSize-4:]) {
			continue
		}
		at, size := int64(binary.LittleEndian.Uint64(slot[8:])), int64(binary.LittleEndian.Uint64(slot[16:]))
		if c, ok := x.read(at, size, binary.LittleEndian.Uint32(slot[24:])); ok {
			x.catalog, x.number, x.end, x.written = c, number, at+size, size
		}
	}
	if x.number == 0 {
		return fmt.Errorf("%w: no catalog", errIndex)
	}
	return nil
}

func (x *indexFile) read(at, size int64, sum uint32) (c catalog, ok bool) {
	info, err := x.f.Stat()
	if err != nil || at < headSize || size < 0 || at > info.Size()-size {
		return c, false
	}
	data := make([]byte, size)
	if _, err := x.f.ReadAt(data, at); err != nil || checksum(data) != sum || json.Unmarshal(data, &c) != nil {
		return c, false
	}
	for _, s := range c.Segments {
		if s.Offset < headSize || s.Size < 0 || s.Offset > at-s.Size {
			return c, false
		}
	}
	return c, true
}

func checksum(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }

// segment opens one of the file's.
func (x *indexFile) segment(s *inFile) (*retrieval.Segment, error) {
	return retrieval.OpenSegment(io.NewSectionReader(x.f, s.Offset, s.Size), s.Size)
}

func (x *indexFile) Close() error { return x.f.Close() }

// appendSlot encodes a slot.
func appendSlot(dst []byte, number uint64, at, size int64, sum uint32) []byte {
	start := len(dst)
	dst = binary.LittleEndian.AppendUint64(dst, number)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(at))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(size))
	dst = binary.LittleEndian.AppendUint32(dst, sum)
	return binary.LittleEndian.AppendUint32(dst, checksum(dst[start:]))
}
