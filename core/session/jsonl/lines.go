package jsonl

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// maxLine is the longest line of a journal, in bytes. No longer one is written: what is
// longer is a hole, or junk. Of that the beginning is kept in memory and the end, where
// the record may be whose line it spoils. A file that begins with one is no journal.
const (
	maxLine  = 64 << 20
	longHead = 1 << 20
	longTail = maxLine / 2
)

// lineReader reads lines and keeps one in memory.
type lineReader struct {
	r    *bufio.Reader
	long []byte
	n    int   // lines read
	at   int64 // where the last one begins
	off  int64 // bytes read
	cut  int64 // bytes of the last one that are not in memory, behind longHead
}

func newLineReader(r io.Reader) *lineReader { return newLineReaderSize(r, 64<<10) }

func newLineReaderSize(r io.Reader, size int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, size)}
}

// next returns a line without its ending, valid until the following call, and
// whether it had one; io.EOF behind the last. Of a line over maxLine the middle is
// missing; the first line is an error then.
func (l *lineReader) next() (line []byte, whole bool, err error) {
	l.cut = 0
	line, err = l.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		l.long = l.long[:0]
		for errors.Is(err, bufio.ErrBufferFull) {
			if l.n == 0 && len(l.long)+len(line) > maxLine {
				return nil, false, fmt.Errorf("line 1 is longer than %d bytes", maxLine)
			}
			l.add(line)
			line, err = l.r.ReadSlice('\n')
		}
		l.add(line)
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
	l.off += int64(len(line)) + l.cut
	line, whole = bytes.CutSuffix(line, []byte("\n"))
	return bytes.TrimRight(line, "\r \t"), whole, nil
}

// add appends a part of a long line, and leaves out the middle of one that is too long.
func (l *lineReader) add(part []byte) {
	if over := len(l.long) + len(part) - maxLine; over > 0 {
		tail := l.long[len(l.long)-longTail:]
		l.cut += int64(len(l.long) - longHead - longTail)
		l.long = l.long[:longHead+copy(l.long[longHead:], tail)]
	}
	if cap(l.long)-len(l.long) < len(part) {
		l.long = slices.Grow(l.long, len(l.long)+len(part)) // append alone copies a long line five times
	}
	l.long = append(l.long, part...)
}

// offset is where in the file a place in the last line is.
func (l *lineReader) offset(at int) int64 {
	if at > longHead {
		return l.at + int64(at) + l.cut
	}
	return l.at + int64(at)
}
