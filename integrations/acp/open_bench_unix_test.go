//go:build unix

package acp_test

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/provider/providertest"
	"reasonix/integrations/acp"
)

// openBare opens a session without a server and reads until what can be chosen is known.
func openBare(b *testing.B, host protocol.Host, dir string) protocol.Session {
	b.Helper()
	s, err := host.Open(b.Context(), protocol.Spec{Workspace: dir, Interactive: true})
	if err != nil {
		b.Fatal(err)
	}
	for env, err := range s.Events(b.Context(), 0) {
		if err != nil {
			b.Fatal(err)
		}
		if _, ok := env.Payload.(event.Offered); ok {
			break
		}
	}
	return s
}

// serving is a client of a server on host.
func serving(b *testing.B, host protocol.Host) *client {
	b.Helper()
	in, out := serveBench(b, host)
	c := newClient(b, in, out)
	b.Cleanup(func() {
		in.Close()
		<-c.ended
	})
	return c
}

func serveBench(b testing.TB, host protocol.Host) (in io.WriteCloser, out io.Reader) {
	b.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	go func() {
		if err := acp.Serve(b.Context(), host, acp.Options{}, inR, outW); err != nil {
			b.Errorf("serve: %v", err)
		}
		outW.Close()
	}()
	return inW, outR
}

// plainClient is a client that costs next to nothing: it looks for the answer alone.
type plainClient struct {
	b   testing.TB
	in  io.Writer
	out *bufio.Reader
	n   int
}

// call returns the line with the answer.
func (c *plainClient) call(method, params string) string {
	c.n++
	if _, err := fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", c.n, method, params); err != nil {
		c.b.Fatal(err)
	}
	answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":`, c.n)
	for {
		line, err := c.out.ReadString('\n')
		if err != nil {
			c.b.Fatal(err)
		}
		if strings.HasPrefix(line, answer) {
			return line
		}
	}
}

// BenchmarkOpen is what session/new takes, from a client's line to the line with the
// answer, beside the opening of such a session by its host: at most 1.2 times. Each round
// is one of both, so that whatever else the machine does is in both figures, and the
// medians are compared, so that one round in which it did much counts like any other.
func BenchmarkOpen(b *testing.B) {
	host, dir := engine(b, providertest.New(b)), b.TempDir()
	in, out := serveBench(b, host)
	c := &plainClient{b: b, in: in, out: bufio.NewReaderSize(out, 64<<10)}
	id := regexp.MustCompile(`"sessionId":"([^"]+)"`)
	var opened, answered []time.Duration
	for b.Loop() {
		begun := time.Now()
		s, err := host.Open(b.Context(), protocol.Spec{Workspace: dir, Interactive: true, Client: "acp"})
		opened = append(opened, time.Since(begun))
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
		begun = time.Now()
		answer := c.call("session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, dir))
		answered = append(answered, time.Since(begun))
		c.call("session/close", fmt.Sprintf(`{"sessionId":%q}`, id.FindStringSubmatch(answer)[1]))
	}
	in.Close()
	_, _ = io.Copy(io.Discard, out)
	open, answer := median(opened), median(answered)
	b.ReportMetric(float64(open), "open-ns")
	b.ReportMetric(float64(answer), "new-ns")
	b.ReportMetric(float64(answer)/float64(open), "new/open")
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

// BenchmarkIdleSession is the memory that an open session without a turn keeps: heap
// and stacks, of the session alone and with the server.
func BenchmarkIdleSession(b *testing.B) {
	const many = 50
	inUse := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // what finalizers let go of
		runtime.ReadMemStats(&m)
		return m.HeapInuse + m.StackInuse
	}
	measure := func(b *testing.B, open func()) {
		for b.Loop() {
			open() // what is made once
			before := inUse()
			for range many {
				open()
			}
			b.ReportMetric(float64(inUse()-before)/many/1024, "KiB/session")
		}
	}
	b.Run("engine", func(b *testing.B) {
		host, dir := engine(b, providertest.New(b)), b.TempDir()
		measure(b, func() {
			s := openBare(b, host, dir)
			b.Cleanup(func() { s.Close() })
		})
	})
	b.Run("acp", func(b *testing.B) {
		host, dir := engine(b, providertest.New(b)), b.TempDir()
		c := serving(b, host)
		measure(b, func() {
			c.open(dir)
			c.forget()
		})
	})
}
