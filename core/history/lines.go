package history

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine is the longest line that is taken in. Results are far shorter; a longer
// line is passed over without being held in memory.
const maxLine = 4 << 20

// lines reads the whole lines of a file from an offset on.
type lines struct {
	r    *bufio.Reader
	off  int64 // behind the last line
	long []byte
}

func newLines(r io.ReaderAt, from, to int64) *lines {
	return &lines{r: bufio.NewReaderSize(io.NewSectionReader(r, from, to-from), 256<<10), off: from}
}

// next returns a line without its newline, valid until the next call, and where it
// begins. A line over maxLine comes as nil. io.EOF ends; what has no newline yet is
// no line.
func (l *lines) next() (line []byte, at int64, err error) {
	at = l.off
	line, err = l.r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		if err != nil {
			return nil, at, err
		}
		l.off += int64(len(line))
		return bytes.TrimRight(line, "\r\n \t"), at, nil
	}
	l.long = l.long[:0]
	read, over := 0, false
	for {
		read += len(line)
		if over = over || read > maxLine; !over {
			l.long = append(l.long, line...)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, at, err
		}
		line, err = l.r.ReadSlice('\n')
	}
	l.off += int64(read)
	if over {
		return nil, at, nil
	}
	return bytes.TrimRight(l.long, "\r\n \t"), at, nil
}
