package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
)

// A process that answers and leaves has answered.
func TestWhatAProcessWroteBeforeItEndedIsRead(t *testing.T) {
	const messages = 20
	for range 100 {
		p := newPipe(func(line []byte) { t.Errorf("no message: %s", line) })
		for i := range messages {
			if _, err := fmt.Fprintf(output{p}, `{"jsonrpc":"2.0","id":%d,"result":{}}`+"\n", i+1); err != nil {
				t.Fatal(err)
			}
		}
		p.finish()
		for i := range messages {
			if _, err := p.Read(context.Background()); err != nil {
				t.Fatalf("message %d of %d: %v", i+1, messages, err)
			}
		}
		if _, err := p.Read(context.Background()); !errors.Is(err, io.EOF) {
			t.Fatalf("behind the last one: %v, want io.EOF", err)
		}
	}
}
