package openai_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"reasonix/core/provider"
	pt "reasonix/core/provider/providertest"
)

// tokens is how many deltas one benchmarked reply has.
const tokens = 1000

var (
	words = strings.Repeat(pt.Delta(`"content":" word"`), tokens) + pt.Finish("stop") + pt.UsageEvent(100, 50, tokens) + pt.Done
	args  = callDelta(`"index":0,"id":"a","type":"function","function":{"name":"write_file","arguments":"{\"a\":\""}`) +
		strings.Repeat(callDelta(`"index":0,"function":{"arguments":" word"}`), tokens) +
		callDelta(`"index":0,"function":{"arguments":"\"}"}`) + pt.Finish("tool_calls") + pt.Done
	thoughts = strings.Repeat(pt.Delta(`"content":null,"reasoning_content":" word"`), tokens) + pt.Delta(`"content":"so"`) + pt.Finish("stop") + pt.Done
)

// lines is a transport that gives body away one event a read, as a model's
// server does that flushes every token, or all at once.
type lines struct {
	body  string
	whole bool
}

func (l lines) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: 200, Request: req,
		Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body:   io.NopCloser(l.reader()),
	}, nil
}

func (l lines) reader() io.Reader {
	if l.whole {
		return strings.NewReader(l.body)
	}
	return &eventReader{rest: l.body}
}

type eventReader struct{ rest string }

func (r *eventReader) Read(b []byte) (int, error) {
	if r.rest == "" {
		return 0, io.EOF
	}
	n := strings.Index(r.rest, "\n\n") + 2
	n = copy(b, r.rest[:n])
	r.rest = r.rest[n:]
	return n, nil
}

// floor is the plainest client there is: a line scanner and encoding/json into a
// small struct.
func floor(r io.Reader, text *strings.Builder) error {
	var chunk struct {
		Choices []struct {
			Delta struct {
				Content string `json:"content"`
			} `json:"delta"`
			FinishReason *string `json:"finish_reason"`
		} `json:"choices"`
	}
	scan := bufio.NewScanner(r)
	for scan.Scan() {
		data, ok := bytes.CutPrefix(scan.Bytes(), []byte("data: "))
		if !ok || string(data) == "[DONE]" {
			continue
		}
		chunk.Choices = chunk.Choices[:0]
		if err := json.Unmarshal(data, &chunk); err != nil {
			return err
		}
		for _, c := range chunk.Choices {
			text.WriteString(c.Delta.Content)
		}
	}
	return scan.Err()
}

// BenchmarkFloor and BenchmarkStream read the same replies; ns/token is the
// figure to compare.
func BenchmarkFloor(b *testing.B) {
	for _, whole := range []bool{false, true} {
		b.Run(reads(whole), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var text strings.Builder
				if err := floor(lines{words, whole}.reader(), &text); err != nil {
					b.Fatal(err)
				}
			}
			perToken(b)
		})
	}
}

func BenchmarkStream(b *testing.B) {
	for name, body := range map[string]string{"text": words, "arguments": args, "reasoning": thoughts} {
		for _, whole := range []bool{false, true} {
			b.Run(name+"/"+reads(whole), func(b *testing.B) {
				p := scripted(b, lines{body, whole})
				b.ReportAllocs()
				for b.Loop() {
					chunks, err := p.Stream(context.Background(), provider.Request{Messages: hello})
					if err != nil {
						b.Fatal(err)
					}
					for c := range chunks {
						if c.Type == provider.ChunkError {
							b.Fatal(c.Err)
						}
					}
				}
				perToken(b)
			})
		}
	}
}

func reads(whole bool) string {
	if whole {
		return "large reads"
	}
	return "one token a read"
}

func perToken(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tokens, "ns/token")
}

// BenchmarkRequest sends a conversation that is already encoded. Beyond writing
// it, its cost must not depend on its length.
func BenchmarkRequest(b *testing.B) {
	for _, n := range []int{2, 400} {
		b.Run(map[int]string{2: "2 messages", 400: "400 messages"}[n], func(b *testing.B) {
			p := scripted(b, sink{})
			wire := provider.NewWire(p)
			if err := wire.Append(history(n)...); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(wire.Bytes())))
			b.ReportAllocs()
			for b.Loop() {
				chunks, err := p.Stream(context.Background(), provider.Request{Wire: wire})
				if err != nil {
					b.Fatal(err)
				}
				for range chunks {
				}
			}
		})
	}
}

// sink reads a request the way a transport does and answers it shortly.
type sink struct{}

func (sink) RoundTrip(req *http.Request) (*http.Response, error) {
	var buf [32 << 10]byte
	for {
		if _, err := req.Body.Read(buf[:]); err != nil {
			break
		}
	}
	return lines{pt.Delta(`"content":"hi"`) + pt.Done, true}.RoundTrip(req)
}
