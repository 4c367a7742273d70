package providertest

import (
	"compress/gzip"
	"io"
	"net"
	"net/http"
)

// play sends reply. Whatever the reply holds, the connection is abandoned as soon
// as the client leaves or the server is closed.
func (s *Server) play(w http.ResponseWriter, r *http.Request, rec *Received, reply Reply) {
	s.mu.Lock()
	chunkBytes := s.settings.chunkBytes
	s.mu.Unlock()
	chunks := reply.setHeader(w.Header(), rec.Stream)
	if reply.headerGate != nil {
		s.hold(r, reply.headerGate)
	}
	if len(chunks) == 0 && len(reply.gates) == 0 {
		s.cut(w, reply.end) // before a single byte of an answer
	}
	w.WriteHeader(reply.code())
	out, finish := encoding(reply, pacer{w: w, n: chunkBytes})
	for i, chunk := range chunks {
		s.pass(w, r, reply, i)
		send(out, chunk)
	}
	s.pass(w, r, reply, len(chunks))
	finish()
	s.cut(w, reply.end)
	if reply.end == endsHeld {
		_ = http.NewResponseController(w).Flush()
		s.hold(r, nil)
	}
}

// pass waits at every gate before chunk i, with the headers already sent.
func (s *Server) pass(w http.ResponseWriter, r *http.Request, reply Reply, i int) {
	for _, g := range reply.gates {
		if g.before == i {
			_ = http.NewResponseController(w).Flush()
			s.hold(r, g.open)
		}
	}
}

// hold waits for g. When the client leaves first, or the server is closed, it
// abandons the connection instead of returning.
func (s *Server) hold(r *http.Request, g <-chan struct{}) {
	select {
	case <-g:
		return
	case <-r.Context().Done():
	case <-s.closed.Done():
	}
	panic(http.ErrAbortHandler)
}

// cut breaks the connection if the reply ends so; otherwise it does nothing.
func (s *Server) cut(w http.ResponseWriter, how ending) {
	switch how {
	case endsCleanly, endsHeld:
		return
	case endsReset:
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			if tcp, ok := conn.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0)
			}
			_ = conn.Close()
		}
	case endsAborted:
	}
	panic(http.ErrAbortHandler)
}

// code is the HTTP status.
func (r Reply) code() int {
	if r.status == 0 {
		return http.StatusOK
	}
	return r.status
}

// setHeader fills in the response header and returns the body that goes with it:
// whole for a client that did not ask for a stream.
func (r Reply) setHeader(h http.Header, stream bool) []string {
	chunks := r.Chunks()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	if r.said != nil && !stream {
		h.Set("Content-Type", "application/json")
		chunks = []string{r.said.completion()}
	}
	if r.gzip {
		h.Set("Content-Encoding", "gzip")
	}
	for _, kv := range r.header {
		h.Set(kv[0], kv[1])
	}
	return chunks
}

// encoding returns the writer of the body and what ends it.
func encoding(r Reply, p pacer) (io.Writer, func()) {
	if !r.gzip {
		return p, func() {}
	}
	z := gzip.NewWriter(p)
	if r.noTrailer {
		return z, func() {}
	}
	return z, func() { _ = z.Close() }
}

// send writes one chunk so that the client can have it now.
func send(out io.Writer, chunk string) {
	_, err := io.WriteString(out, chunk)
	if z, compressed := out.(*gzip.Writer); compressed && err == nil {
		err = z.Flush()
	}
	if err != nil {
		panic(http.ErrAbortHandler) // the client left
	}
}

// pacer flushes after every n bytes, or after every write when n is 0.
type pacer struct {
	w http.ResponseWriter
	n int
}

func (p pacer) Write(b []byte) (int, error) {
	ctl := http.NewResponseController(p.w)
	for done := 0; done < len(b); {
		next := len(b)
		if p.n > 0 {
			next = min(done+p.n, len(b))
		}
		if _, err := p.w.Write(b[done:next]); err != nil {
			return done, err
		}
		if err := ctl.Flush(); err != nil {
			return done, err
		}
		done = next
	}
	return len(b), nil
}
