package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxBody is how much of an answer that is no stream is read.
const maxBody = maxLine

var errBody = errors.New("the server's answer is too large")

// mending is the body of resp with each message in it repaired. heard is told of
// progress in a stream.
func mending(resp *http.Response, heard func(*sdk.ProgressNotificationParams)) io.ReadCloser {
	media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case err != nil || resp.StatusCode != http.StatusOK:
		return resp.Body
	case media == "text/event-stream":
		resp.ContentLength = -1
		return &mended{from: bufio.NewReaderSize(resp.Body, 32<<10), body: resp.Body, heard: heard}
	case media == "application/json":
		data, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
		if len(data) > maxBody {
			err = errBody
		}
		data = repair(data)
		resp.ContentLength = int64(len(data))
		resp.Header.Set("Content-Length", strconv.Itoa(len(data)))
		return struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(data), failing{err}), resp.Body}
	}
	return resp.Body
}

// failing is a reader that is at its end, for a reason.
type failing struct{ err error }

// Read implements io.Reader.
func (f failing) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}

// mended passes a stream of events on, a line at a time.
type mended struct {
	from *bufio.Reader
	body io.Closer
	line []byte
	err  error

	heard func(*sdk.ProgressNotificationParams)
}

// Read implements io.Reader.
func (m *mended) Read(p []byte) (int, error) {
	for len(m.line) == 0 {
		if m.err != nil {
			return 0, m.err
		}
		m.line, m.err = m.next()
	}
	n := copy(p, m.line)
	m.line = m.line[n:]
	return n, nil
}

func (m *mended) next() ([]byte, error) {
	var line []byte
	for {
		part, err := m.from.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxBody {
			return nil, errBody
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		text, ok := bytes.CutPrefix(bytes.TrimRight(line, "\r\n"), []byte("data:"))
		if p := progressOf(text); ok && p != nil {
			m.heard(p)
		}
		if fixed := repair(text); ok && len(fixed) > 0 && !bytes.Equal(fixed, text) {
			line = append(append([]byte("data: "), fixed...), '\n')
		}
		return line, err
	}
}

// Close implements io.Closer.
func (m *mended) Close() error { return m.body.Close() }
