package acp

import (
	"context"
	"io"
	"strings"
	"testing"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/protocol"
	"reasonix/integrations/internal/jsonrpc"
)

// quiet is a session of which nothing but the id is asked.
type quiet struct{ protocol.Session }

func (quiet) ID() event.SessionID { return "20260102-150405-abcdef" }

var ids = [2]message.ID{"msg-0123456789", "msg-9876543210"}

// BenchmarkChunk is what one streamed piece of text costs from the session's event to
// the bytes for the client. It must stay below 2 microseconds and 4 allocations.
func BenchmarkChunk(b *testing.B) {
	for name, text := range map[string]string{
		"ascii": "a few words more, ", "chinese": "再写几个字，", "lines": strings.Repeat("\tx := \"y\"\n", 8), "escapes": strings.Repeat("\n\t\"\\", 20),
	} {
		b.Run(name, func(b *testing.B) {
			conn := jsonrpc.New(strings.NewReader(""), io.Discard, func(*jsonrpc.Request) {})
			defer conn.Close()
			s := newSession(quiet{}, conn, protocol.Host{}, protocol.Spec{}, client{})
			events, over := make(chan reading), make(chan struct{})
			go func() {
				defer close(over)
				s.goOn(context.Background(), events)
			}()
			b.ReportAllocs()
			offset, reply := 0, 0
			for b.Loop() {
				if offset > 20_000 { // as long as replies are
					offset, reply = 0, reply+1
				}
				events <- reading{Envelope: event.Envelope{Payload: event.TextDelta{Message: ids[reply%2], Offset: offset, Text: text}}}
				offset += len(text)
			}
			close(events)
			<-over
		})
	}
}
