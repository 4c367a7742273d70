//go:build !race

package acp

import (
	"context"
	"io"
	"strings"
	"testing"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/integrations/internal/jsonrpc"
)

// mostAllocs is how often a streamed piece of text may allocate, from its event to the
// bytes for the client.
const mostAllocs = 4

func TestAStreamedPieceAllocatesLittle(t *testing.T) {
	conn := jsonrpc.New(strings.NewReader(""), io.Discard, func(*jsonrpc.Request) {})
	defer conn.Close()
	s := newSession(quiet{}, conn, protocol.Host{}, protocol.Spec{}, client{})
	const text = "a few words more, "
	offset := 0
	got := testing.AllocsPerRun(1000, func() {
		e := event.Envelope{Payload: event.TextDelta{Message: ids[0], Offset: offset, Text: text}}
		s.status.apply(e)
		s.tell(context.Background(), e)
		offset += len(text)
	})
	if got >= mostAllocs {
		t.Errorf("%g allocations, want fewer than %d", got, mostAllocs)
	}
}
