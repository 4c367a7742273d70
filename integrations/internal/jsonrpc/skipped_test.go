package jsonrpc_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"reasonix/integrations/internal/jsonrpc"
)

const tooLong = `"error":{"code":-32600,"message":"invalid request: a message is longer than 33554432 bytes"}}`

func TestOverlongLineIsAnsweredAndSkipped(t *testing.T) {
	p := connect(t, echo)
	fill := func(n int, id string) string { // a request whose line has n bytes
		head, tail := `{"method":"m","x":"`, `"`+id+`}`
		return head + strings.Repeat("x", n-len(head)-len(tail)) + tail
	}
	p.expect(fill(jsonrpc.MaxLine, `,"id":1`), `{"jsonrpc":"2.0","id":1,"result":{}}`)
	for _, n := range []int{jsonrpc.MaxLine + 1, 33 << 20, 2*jsonrpc.MaxLine + 9} {
		p.expect(fill(n, `,"id":1`), `{"jsonrpc":"2.0","id":1,`+tooLong)
		p.expect(fill(n, ``), `{"jsonrpc":"2.0","id":null,`+tooLong)
		p.expect(`{"id":2,"method":"m"}`, `{"jsonrpc":"2.0","id":2,"result":{}}`)
	}
}

// Wherever in an answer its id stands, the call that waits for it ends.
func TestAnAnswerThatIsTooLongEndsItsCall(t *testing.T) {
	p := connect(t, echo)
	long := strings.Repeat("x", jsonrpc.MaxLine)
	for i, form := range []string{`{"id":%[1]d,"result":{"id":9,"content":"%[2]s"}}`, `{"result":{"content":"%[2]s"},"id":%[1]d}`} {
		ended := make(chan error)
		go func() {
			call, err := p.Call("ask", nil)
			if err == nil {
				err = call.Wait(t.Context(), nil)
			}
			ended <- err
		}()
		p.hear()
		p.say(fmt.Sprintf(form, i+1, long))
		if err := <-ended; !errors.Is(err, jsonrpc.ErrTooLong) {
			t.Errorf("%s: ended with %v", form, err)
		}
		p.expect(`{"id":2,"method":"m"}`, `{"jsonrpc":"2.0","id":2,"result":{}}`)
	}
	p.expect(`{"id":77,"result":"`+long+`"}`, `{"jsonrpc":"2.0","id":null,`+tooLong)
}
