package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The SDK handles what a server tells in a queue beside the answers, so that the
// last step of a call may come after its answer, when nobody asks any more. Progress
// is therefore heard where messages are read, in the order of the server.

const progressMethod = "notifications/progress"

// progressOf reads a message that tells progress; nil for any other.
func progressOf(text []byte) *sdk.ProgressNotificationParams {
	var m struct {
		Method string
		Params *sdk.ProgressNotificationParams
	}
	if !bytes.Contains(text, []byte(progressMethod)) || json.Unmarshal(text, &m) != nil || m.Method != progressMethod {
		return nil
	}
	return m.Params
}

// hear takes progress that was read and that the SDK hands on later.
func (l *link) hear(p *sdk.ProgressNotificationParams) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.calls[fmt.Sprint(p.ProgressToken)]; c != nil {
		c.early++
		c.hear(p)
	}
}

// progress takes what the SDK hands on, unless it was heard before.
func (l *link) progress(p *sdk.ProgressNotificationParams) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch c := l.calls[fmt.Sprint(p.ProgressToken)]; {
	case c == nil:
	case c.early > 0:
		c.early--
	default:
		c.hear(p)
	}
}

// hear never waits: where too much is not looked at yet, the oldest is as good as
// the next one. The caller has the lock.
func (c *call) hear(p *sdk.ProgressNotificationParams) {
	for {
		select {
		case c.news <- p:
			return
		default:
		}
		select {
		case <-c.news:
		default:
		}
	}
}
