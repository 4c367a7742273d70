package search

import (
	"bytes"

	"reasonix/core/internal/textenc"
)

// around reads a file again for up to n lines before and after each hit and
// returns them by number. What has become unreadable is left out.
func (s *scanner) around(name string, f *fileHits, n int) map[int]string {
	found := map[int]string{}
	in, err := openFile(name)
	if err != nil {
		return found
	}
	defer in.Close()
	hits := f.hits
	// What has been found stays good if reading ends early.
	_ = s.eachLine(open(in, f.enc), func(num int, line []byte, whole bool) bool {
		for len(hits) > 0 && num > hits[0].line+n {
			hits = hits[1:]
		}
		if len(hits) > 0 && num >= hits[0].line-n {
			found[num] = showContext(line, whole)
		}
		return len(hits) > 0
	})
	return found
}

// eachLine yields the lines of src until yield has enough; of one longer than the
// buffer the beginning, with whole false.
func (s *scanner) eachLine(src source, yield func(num int, line []byte, whole bool) bool) error {
	have, skip := 0, false
	for num := 1; s.ctx.Err() == nil; {
		n, eof, err := src.fill(s.buf[have:])
		if err != nil {
			return err
		}
		data := s.buf[:have+n]
		if num == 1 && have == 0 {
			data = bytes.TrimPrefix(data, []byte(textenc.UTF8BOM.BOM()))
		}
		for i := bytes.IndexByte(data, '\n'); i >= 0; i = bytes.IndexByte(data, '\n') {
			if !skip && !yield(num, trimCR(data[:i]), true) {
				return nil
			}
			num, skip, data = num+1, false, data[i+1:]
		}
		full := len(data) >= len(s.buf)-len(textenc.UTF8BOM.BOM())
		if len(data) > 0 && !skip && (eof || full) && !yield(num, data, eof) {
			return nil
		}
		if eof {
			return nil
		}
		if skip = skip || full; skip {
			data = nil
		}
		have = copy(s.buf, data)
	}
	return nil
}
