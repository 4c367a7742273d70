package jsonl

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// maxLine is the longest line of a journal, in bytes. No longer one is written, so
// a file with one is no journal, and there is no telling how far it goes on.
const maxLine = 64 << 20

// lineReader reads lines and keeps one in memory.
type lineReader struct {
	r    *bufio.Reader
	long []byte
	n    int   // lines read
	at   int64 // where the last one begins
	off  int64 // bytes read
}

func newLineReader(r io.Reader) *lineReader { return newLineReaderSize(r, 64<<10) }

func newLineReaderSize(r io.Reader, size int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, size)}
}

// next returns a line without its ending, valid until the following call, and
// whether it had one; io.EOF behind the last. A line over maxLine is an error.
func (l *lineReader) next() (line []byte, whole bool, err error) {
	line, err = l.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		l.long = l.long[:0]
		for errors.Is(err, bufio.ErrBufferFull) {
			if len(l.long)+len(line) > maxLine {
				return nil, false, fmt.Errorf("line %d is longer than %d bytes", l.n+1, maxLine)
			}
			if cap(l.long)-len(l.long) < len(line) {
				l.long = slices.Grow(l.long, len(l.long)+len(line)) // append alone copies a long line five times
			}
			l.long = append(l.long, line...)
			line, err = l.r.ReadSlice('\n')
		}
		l.long = append(l.long, line...)
		line = l.long
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	if len(line) == 0 {
		return nil, false, io.EOF
	}
	l.n++
	l.at = l.off
	l.off += int64(len(line))
	line, whole = bytes.CutSuffix(line, []byte("\n"))
	return bytes.TrimRight(line, "\r \t"), whole, nil
}
