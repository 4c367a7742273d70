package search

import (
	"bytes"
	"context"
	"errors"
	"io"
	"unicode/utf8"

	"reasonix/core/internal/textenc"
)

// blockSize is how much of a file a scanner holds. A longer line is searched in
// pieces that overlap by overlap bytes: a longer match across two is not found.
const (
	blockSize = 64 << 10
	overlap   = 16 << 10
	slowSlice = 16 << 10 // the longest a regular expression runs between two looks at the context
)

// scanner searches one file after the other. It is not safe for concurrent use;
// each worker has one.
type scanner struct {
	ctx  context.Context
	m    *matcher
	want int // hits that are enough
	find *finder
	auto *dfa
	buf  []byte

	// The file being searched.
	enc      textenc.Encoding // what it is read as
	judged   bool             // its encoding has been looked at
	out      fileHits
	line     int // number of the line that starts at counted
	counted  int // in buf
	long     bool
	longFrom int  // where in its line buf begins
	longHit  bool // the line has been reported
	seen     int  // bytes at the start of buf that were searched as part of the piece before
}

func newScanner(ctx context.Context, m *matcher, want int) *scanner {
	return &scanner{ctx: ctx, m: m, want: want, find: newFinder(m.need), auto: m.auto.fork(), buf: make([]byte, blockSize)}
}

// reread says that the file must be read again, in another encoding.
type reread struct{ enc textenc.Encoding }

func (reread) Error() string { return "another encoding" }

// errBinary ends the search of a binary file at its first match.
var errBinary = errors.New("binary file matches")

// scan returns what name holds, nil for nothing. With an error it returns what
// was found before.
func (s *scanner) scan(name string) (*fileHits, error) {
	s.out = fileHits{}
	err := s.scanAs(name, textenc.UTF8)
	var again reread
	if errors.As(err, &again) {
		err = s.scanAs(name, again.enc)
	}
	if errors.Is(err, errBinary) {
		return &fileHits{binary: true}, nil
	}
	if len(s.out.hits) == 0 {
		return nil, err
	}
	found := s.out
	found.enc = s.enc
	return &found, err
}

func (s *scanner) scanAs(name string, enc textenc.Encoding) error {
	f, err := openFile(name)
	if err != nil {
		return err
	}
	defer f.Close()
	s.enc, s.judged, s.out = enc, !enc.IsUTF8(), fileHits{}
	s.line, s.long, s.longHit = 1, false, false
	return s.blocks(open(f, enc))
}

func open(r io.Reader, enc textenc.Encoding) source {
	if enc.IsUTF8() {
		return plain{r}
	}
	return newDecoded(r, enc)
}

// blocks fills the buffer, searches the whole lines in it, and moves the rest to
// its start.
func (s *scanner) blocks(src source) error {
	have := 0
	for first := true; ; first = false {
		n, eof, err := src.fill(s.buf[have:])
		if err != nil {
			return err
		}
		data := s.buf[:have+n]
		if first {
			if data, err = s.sniff(data); err != nil {
				return err
			}
		}
		used, err := s.block(data, eof)
		if err != nil || eof && used == len(data) || len(s.out.hits) >= s.want {
			return err
		}
		if s.ctx.Err() != nil {
			return nil
		}
		have = copy(s.buf, data[used:])
	}
}

// sniff looks at the first block: it drops a byte order mark and finds the files
// that are not text as they stand.
func (s *scanner) sniff(data []byte) ([]byte, error) {
	if !s.enc.IsUTF8() {
		return data, nil
	}
	wide := bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff"))
	if wide || bytes.IndexByte(data, 0) >= 0 {
		if enc := textenc.DetectPrefix(data); enc != textenc.Binary && !enc.IsUTF8() {
			return nil, reread{enc}
		}
		s.out.binary = true
	}
	return bytes.TrimPrefix(data, []byte(textenc.UTF8BOM.BOM())), nil
}

// block searches what it can of data and returns how much it is done with.
func (s *scanner) block(data []byte, eof bool) (used int, err error) {
	s.counted = 0
	if s.long {
		return s.piece(data, eof)
	}
	end := len(data)
	if !eof {
		if end = bytes.LastIndexByte(data, '\n') + 1; end == 0 {
			s.long, s.longHit, s.longFrom, s.seen = true, false, 0, 0
			return s.piece(data, eof)
		}
	}
	if err := s.lines(data[:end]); err != nil {
		return end, err
	}
	if !eof {
		s.count(data, end)
	}
	return end, nil
}

// count moves the line number on to the line that starts at to.
func (s *scanner) count(data []byte, to int) int {
	s.line += bytes.Count(data[s.counted:to], []byte("\n"))
	s.counted = to
	return s.line
}

// lines searches whole lines.
func (s *scanner) lines(data []byte) error {
	if s.find != nil {
		s.find.reset()
	}
	from, judged := 0, false
	for from < len(data) && len(s.out.hits) < s.want && s.ctx.Err() == nil {
		at := s.candidate(data, from)
		if at < 0 {
			break
		}
		if !judged {
			if err := s.judge(data); err != nil {
				return err
			}
			judged = true
		}
		start := bytes.LastIndexByte(data[from:at], '\n') + 1 + from
		end := len(data)
		if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
			end = at + i
		}
		from = end + 1
		line := trimCR(data[start:end])
		if where := s.in(line, at-start); where >= 0 {
			if s.out.binary {
				return errBinary
			}
			s.out.hits = append(s.out.hits, hit{s.count(data, start), show(line, where, 0, true)})
		}
	}
	if !judged && !s.m.ascii {
		return s.judge(data)
	}
	return nil
}

// candidate returns the first place at from or later where a match may be, or -1.
func (s *scanner) candidate(data []byte, from int) int {
	if s.find != nil {
		return s.find.find(data, from)
	}
	for from < len(data) && s.ctx.Err() == nil {
		end := len(data)
		if from+slowSlice < end {
			if i := bytes.IndexByte(data[from+slowSlice:], '\n'); i >= 0 {
				end = from + slowSlice + i + 1
			}
		}
		// Behind the last line feed there is no line that could be empty.
		part := bytes.TrimSuffix(data[from:end], []byte("\n"))
		if at := s.first(part); at >= 0 {
			return from + at
		}
		from = end
	}
	return -1
}

// judge looks once at how a file is encoded, when it matters: at the first
// candidate, or when a text that is not ASCII was not found as it stands.
func (s *scanner) judge(data []byte) error {
	if s.out.binary || len(s.out.hits) > 0 {
		return nil
	}
	if bytes.IndexByte(data, 0) >= 0 && s.enc.IsUTF8() {
		s.out.binary = true
		return nil
	}
	if s.judged || utf8.Valid(data) {
		return nil
	}
	s.judged = true
	if enc := textenc.DetectPrefix(data); enc != textenc.Binary && !enc.IsUTF8() {
		return reread{enc}
	}
	return nil
}
