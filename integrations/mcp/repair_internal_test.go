package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const unknownKind = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"kept"},{"type":"hologram"}]}}`

// TestBodiesAreMended: in one answer and in a stream of events, with CRLF too, and
// what is in order keeps its bytes.
func TestBodiesAreMended(t *testing.T) {
	plain := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"kept"}]}}`
	deep := `{"jsonrpc":"2.0","result":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `,"id":"a"}`
	for name, c := range map[string]struct{ media, body, has string }{
		"deep answer":   {"application/json", deep, `"id":"a","error":{"code":-32700,"message":"its answer cannot be read: `},
		"deep stream":   {"text/event-stream", "event: message\ndata: " + deep + "\n\n", `"id":"a","error":{"code":-32700,"message":"its answer cannot be read: `},
		"broken answer": {"application/json", `{"jsonrpc":"2.0","id":7,"result":{`, `"id":7,"error":{`},
		"broken call":   {"application/json", `{"jsonrpc":"2.0","id":7,"method":"x","params":{"result":`, `{"jsonrpc":"2.0","id":7,"method":"x","params":{"result":`},
		"answer":        {"application/json", unknownKind, "hologram"},
		"same answer":   {"application/json; charset=utf-8", plain, plain},
		"stream":        {"text/event-stream", ": hi\n\nevent: message\ndata: " + unknownKind + "\n\n", "\n\nevent: message\ndata: {"},
		"CRLF":          {"text/event-stream", "event: message\r\ndata: " + unknownKind + "\r\n\r\n", "event: message\r\ndata: {"},
		"same stream":   {"text/event-stream", "data:" + plain + "\r\n\r\n", "data:" + plain + "\r\n\r\n"},
		"something":     {"text/plain", unknownKind, unknownKind},
		"no end":        {"text/event-stream", "data: " + plain, "data: " + plain},
		"long":          {"text/event-stream", "data: " + strings.Repeat("x", 100<<10) + "\n\n", strings.Repeat("x", 100<<10)},
		"unknown media": {"", plain, plain},
	} {
		resp := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {c.media}}, Body: io.NopCloser(strings.NewReader(c.body))}
		data, err := io.ReadAll(mending(resp, func(*sdk.ProgressNotificationParams) {}))
		if err != nil || !strings.Contains(string(data), c.has) {
			t.Errorf("%s: %.300q, %v", name, data, err)
		}
	}
}

// FuzzDecode: whatever a server writes, a line is messages that can be sent again,
// or none.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		unknownKind, `[` + unknownKind + `]`, `{"jsonrpc":"2.0","method":"x"}`, `{}`, `[]`, `[1]`, `x`, `{"jsonrpc":"2.0","id":null,"error":{}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":7}]}}`, `{"jsonrpc":"2.0","id":1,"result":{[`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			return
		}
		for _, m := range decode(line) {
			if _, err := jsonrpc.EncodeMessage(m); err != nil {
				t.Error(err)
			}
			r, ok := m.(*jsonrpc.Response)
			if !ok || !bytes.Contains(r.Result, []byte(`"tools":[`)) || !json.Valid(r.Result) {
				continue
			}
			var tools struct {
				Tools []json.RawMessage `json:"tools"`
			}
			if json.Unmarshal(r.Result, &tools) == nil {
				for _, raw := range tools.Tools {
					if string(raw) != "null" && json.Unmarshal(raw, &sdk.Tool{}) != nil {
						t.Errorf("a tool that cannot be read is left: %s", raw)
					}
				}
			}
		}
		_ = repair(line)
	})
}
