package jsonl

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// lineReader reads lines of any length and keeps one in memory.
type lineReader struct {
	r    *bufio.Reader
	long []byte
	n    int   // lines read
	off  int64 // bytes read
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10)}
}

// next returns a line without its ending, valid until the following call, and
// whether it had one; io.EOF behind the last.
func (l *lineReader) next() (line []byte, whole bool, err error) {
	line, err = l.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		l.long = l.long[:0]
		for errors.Is(err, bufio.ErrBufferFull) {
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
	l.off += int64(len(line))
	line, whole = bytes.CutSuffix(line, []byte("\n"))
	return bytes.TrimRight(line, "\r \t"), whole, nil
}
