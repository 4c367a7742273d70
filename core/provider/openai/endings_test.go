package openai_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"reasonix/core/message"
	"reasonix/core/provider"
	pt "reasonix/core/provider/providertest"
)

var two = pt.Delta(`"content":"partial "`) + pt.Delta(`"content":"text"`)

func TestSSE20ErrorObjectInAStream(t *testing.T) {
	for _, c := range []struct {
		name, events, text, says, kind string
		final                          bool // not worth asking again
	}{
		{"behind text", two + pt.Event(`{"error":{"message":"overloaded","code":529}}`), "partial text", "overloaded", provider.KindServerError, false},
		{"first", pt.Event(`{"error":{"message":"overloaded","code":529}}`), "", "overloaded", provider.KindServerError, false},
		{"then the usual end", two + pt.Event(`{"error":{"message":"overloaded"}}`) + ended, "partial text", "overloaded", provider.KindServerError, false},
		{"a string", pt.Event(`{"error":"engine died"}`), "", "engine died", provider.KindServerError, false},
		{"named event", "event: error\ndata: {\"message\":\"out of memory\"}\n\n", "", "out of memory", provider.KindServerError, false},
		{"named event, wrapped", "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n\n", "", "busy", provider.KindServerError, false},
		{"named event, no JSON", "event: error\ndata: it broke\n\n", "", "error without a message", provider.KindServerError, false},
		{"object error", pt.Event(`{"object":"error","message":"bad sampling","code":400}`), "", "bad sampling", provider.KindRequest, true},
		{"in the choice", two + pt.Event(`{"choices":[{"delta":{"content":""},"finish_reason":"error","error":{"code":502,"message":"upstream"}}]}`), "partial text", "upstream", provider.KindServerError, false},
		{"finish_reason error", two + pt.Finish("error") + pt.Done, "partial text", `finish_reason "error"`, provider.KindServerError, false},
		{"under x_groq", two + pt.Event(`{"choices":[],"x_groq":{"error":"tool call failed"}}`), "partial text", "tool call failed", provider.KindServerError, false},
		{"rate limit", pt.Event(`{"error":{"type":"rate_limit_error","message":"slow down"}}`), "", "slow down", provider.KindRateLimit, false},
		{"context", pt.Event(`{"error":{"code":"context_length_exceeded","message":"too long"}}`), "", "too long", provider.KindContext, true},
		{"key", pt.Event(`{"error":{"code":401,"message":"who are you"}}`), "", "who are you", provider.KindAuth, true},
		{"a list", pt.Event(`{"error":[{"message":"several"}]}`), "", "several", provider.KindServerError, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, s *pt.Server) {
				got := ask(t, s, chunksOf(c.events))
				f := failed(t, got)
				if f.Kind != c.kind || f.Retryable == c.final || f.Phase != provider.PhaseStream || !strings.Contains(f.Text, c.says) {
					t.Errorf("got %+v", f)
				}
				if got.Text != c.text {
					t.Errorf("got text %q", got.Text)
				}
			})
		})
	}
}

func TestErrorsThatSayNothingAreNone(t *testing.T) {
	s := pt.New(t)
	got := ask(t, s, chunksOf(pt.Event(`{"error":null,"choices":[{"delta":{"content":"hi"}}]}`)+pt.Event(`{"error":{}}`)+pt.Finish("stop")+pt.Done))
	same(t, got, answer{Text: "hi", Finish: provider.FinishStop})
}

func TestSSE21CutBeforeTheEnd(t *testing.T) {
	write := func(args string) string {
		return pt.Delta(`"content":"Writing."`) + callDelta(`"index":0,"id":"a","function":{"name":"write_file","arguments":"`+args+`"}`)
	}
	for name, events := range map[string]string{
		"in the middle of arguments":    write(`{\"path\":\"a\",\"content\":\"hal`),
		"where the text parses":         write(`{\"path\":\"a\",\"content\":\"half\"}`),
		"in the middle of an event":     write(`{}`) + `data: {"choices":[{"delta":{"content":"mo`,
		"in the middle of the mark":     write(`{}`) + "data: [DON",
		"marked, arguments half":        write(`{\"path\":`) + pt.Done,
		"a damaged event, then the end": write(`{}`) + pt.Event(`{"choices":[{"delta":{"tool_calls":[`) + ended,
	} {
		t.Run(name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, s *pt.Server) {
				replies := []pt.Reply{chunksOf(events), chunksOf(events).Abort(), chunksOf(events).Gzip(), chunksOf(events).GzipCut()}
				for i, reply := range replies {
					got := ask(t, s, reply)
					f := failed(t, got)
					if f.Kind != provider.KindCut || f.Phase != provider.PhaseStream || !f.Retryable || got.Text != "Writing." {
						t.Errorf("reply %d: got %+v, %+v", i, f, got)
					}
				}
			})
		})
	}
}

func TestEndsThatAreOnesWithoutTheMark(t *testing.T) {
	call := callDelta(`"index":0,"id":"a","function":{"name":"read_file","arguments":"{\"path\":\"a.txt\"}"}`)
	for _, c := range []struct {
		name  string
		reply pt.Reply
		want  answer
	}{
		{"finish_reason, no mark", chunksOf(two + pt.Finish("stop")), answer{Text: "partial text", Finish: provider.FinishStop}},
		{"finish_reason, then a reset", chunksOf(two + pt.Finish("stop")).Abort(), answer{Text: "partial text", Finish: provider.FinishStop}},
		{"mark, no finish_reason", chunksOf(two + pt.Done), answer{Text: "partial text", Finish: provider.FinishStop}},
		{"mark, no finish_reason, a call", chunksOf(call + pt.Done), called(readA)},
		{"mark without its blank line", pt.Raw(two + pt.Finish("stop") + "data: [DONE]"), answer{Text: "partial text", Finish: provider.FinishStop}},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, s *pt.Server) { same(t, ask(t, s, c.reply), c.want) })
		})
	}
}

func TestSSE22MarkedButTheSocketStaysOpen(t *testing.T) {
	eachWay(t, func(t *testing.T, s *pt.Server) {
		for _, reply := range []pt.Reply{chunksOf(two + pt.Finish("stop") + pt.Done).Hold(), chunksOf(two + pt.Finish("stop") + pt.Done).Gzip().Hold()} {
			start := time.Now()
			same(t, ask(t, s, reply), answer{Text: "partial text", Finish: provider.FinishStop})
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
		}
	})
}

func TestFinishedButNeitherMarkedNorClosed(t *testing.T) {
	s := pt.New(t)
	same(t, ask(t, s, chunksOf(two+pt.Finish("stop")).Hold(), options(func(o *provider.Options) { o.Idle = 50 * time.Millisecond })),
		answer{Text: "partial text", Finish: provider.FinishStop})
}

func TestSSE23NotAnEventStream(t *testing.T) {
	const page = "<!DOCTYPE html>\n<html><head><title>Sign in</title></head>\n<body>key=sk-secret-0123456789</body></html>"
	const key = "sk-secret-0123456789"
	completion := `{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"hi",` +
		`"reasoning_content":"hm","tool_calls":[{"id":"a","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a.txt\"}"}}]},` +
		`"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}`
	eachWay(t, func(t *testing.T, s *pt.Server) {
		withKey := func(c *provider.Config) {
			c.APIKey, c.Options.ChatURL = key, s.BaseURL()+"/chat/completions?api_key=hush-hush-hush"
		}
		for _, c := range []struct {
			name      string
			reply     pt.Reply
			kind      string
			status    int
			says      string
			retryable bool
		}{
			{"login page", pt.Status(200, page), provider.KindNotAStream, 200, "text/html", false},
			{"login page called a stream", pt.Raw(page), provider.KindNotAStream, 200, "text/event-stream", false},
			{"bad gateway page", pt.Status(502, page), provider.KindOverloaded, 502, "text/html", true},
			{"empty body", pt.Status(200, ""), provider.KindNotAStream, 200, "empty", false},
			{"empty stream", pt.Raw(), provider.KindNotAStream, 200, "empty", true},
			{"prose", pt.Status(200, "welcome to nginx\n"), provider.KindNotAStream, 200, "text/plain", false},
			{"JSON that is no completion", pt.Status(200, `{"detail":"no such thing"}`), provider.KindNotAStream, 200, "no such thing", false},
			{"JSON error with status 200", pt.Status(200, `{"error":{"message":"overloaded"}}`), provider.KindServerError, 0, "overloaded", true},
			{"a list", pt.Status(200, `[]`), provider.KindNotAStream, 200, "application/json", false},
			{"half a completion", pt.Status(200, completion[:80]), provider.KindCut, 0, "damaged", true},
		} {
			t.Run(c.name, func(t *testing.T) {
				got := ask(t, s, c.reply, withKey)
				f := failed(t, got)
				if f.Kind != c.kind || f.Status != c.status || f.Retryable != c.retryable || !strings.Contains(f.Text, c.says) {
					t.Errorf("got %+v", f)
				}
				if c.kind == provider.KindNotAStream && !strings.Contains(f.Text, s.BaseURL()+"/chat/completions") {
					t.Errorf("does not name the URL: %s", f)
				}
				for _, secret := range []string{key, "hush", "<html", "Sign in"} {
					if strings.Contains(fmt.Sprintf("%v %+v", f, f.Err), secret) {
						t.Errorf("%q is in %v", secret, f)
					}
				}
			})
		}
		for _, reply := range []pt.Reply{pt.Status(200, completion), pt.Status(200, "\n "+completion+"\n", "Content-Type", "text/event-stream")} {
			same(t, ask(t, s, reply), answer{
				Text: "hi", Thoughts: "hm", Kept: &message.Reasoning{Kind: "reasoning_content", Text: "hm"},
				Calls: []message.ToolCall{readA}, Finish: provider.FinishStop, Usage: &message.Usage{Input: 3, Output: 4},
			})
		}
	})
}

func TestSSE23BaseURLWithoutItsVersion(t *testing.T) {
	s := pt.New(t)
	p := open(t, s, func(c *provider.Config) { c.BaseURL = s.Root() + "/" })
	f := failed(t, stream(t, p, provider.Request{Messages: hello}))
	if f.Kind != provider.KindRequest || f.Status != 404 || f.Retryable ||
		!strings.Contains(f.Text, "try "+s.Root()+"/v1") || !strings.Contains(f.Text, s.Root()+"/chat/completions") {
		t.Errorf("got %+v", f)
	}
}

func TestSSE24FinishReasonLength(t *testing.T) {
	eachWay(t, func(t *testing.T, s *pt.Server) {
		for _, reason := range []string{"length", "max_tokens", "model_length"} {
			same(t, ask(t, s, chunksOf(two+pt.Finish(reason)+pt.Done)), answer{Text: "partial text", Finish: provider.FinishLength})
		}
		half := callDelta(`"index":0,"id":"a","function":{"name":"write_file","arguments":"{\"path\":\"a\",\"conte"}`)
		same(t, ask(t, s, chunksOf(two+half+pt.Finish("length")+pt.Done)), answer{Text: "partial text", Finish: provider.FinishLength})
		same(t, ask(t, s, chunksOf(half+pt.Finish("length"))), answer{Finish: provider.FinishLength})
	})
}

func TestRefusals(t *testing.T) {
	eachWay(t, func(t *testing.T, s *pt.Server) {
		for name, events := range map[string]string{
			"refusal instead of content": pt.Delta(`"content":null,"refusal":"I can"`) + pt.Delta(`"refusal":"not."`) + pt.Finish("stop"),
			"refusal part":               pt.Delta(`"content":[{"type":"refusal","refusal":"I cannot."}]`) + pt.Finish("stop"),
			"content filter":             pt.Delta(`"content":"I cannot."`) + pt.Finish("content_filter"),
		} {
			t.Run(name, func(t *testing.T) {
				same(t, ask(t, s, chunksOf(events+pt.Done)), answer{Text: "I cannot.", Finish: provider.FinishRefusal})
			})
		}
		same(t, ask(t, s, chunksOf(pt.Finish("content_filter")+pt.Done)), answer{Finish: provider.FinishRefusal})
	})
}

func TestEmptyReplyIsAFailure(t *testing.T) {
	eachWay(t, func(t *testing.T, s *pt.Server) {
		for _, events := range []string{pt.Delta(`"role":"assistant","content":""`) + pt.Finish("stop") + pt.Done, pt.Done, pt.Delta(`"content":" \n"`) + pt.Finish("stop")} {
			if f := failed(t, ask(t, s, chunksOf(events))); f.Kind != provider.KindEmptyReply || !f.Retryable {
				t.Errorf("%s: got %+v", events, f)
			}
		}
	})
}
