package openai_test

import (
	"strings"
	"testing"

	"reasonix/core/message"
	"reasonix/core/provider"
	pt "reasonix/core/provider/providertest"
)

const speech = "你好, wörld 🙂!"

// spoken is the events that say speech, then write a file with it.
func spoken() string {
	var b strings.Builder
	for _, r := range speech {
		b.WriteString(pt.Delta(`"content":"` + string(r) + `"`))
	}
	b.WriteString(callDelta(`"index":0,"id":"a","function":{"name":"write_file","arguments":""}`))
	for _, r := range speech {
		b.WriteString(callDelta(`"index":0,"function":{"arguments":"` + string(r) + `"}`))
	}
	return b.String()
}

func TestSSE10UsageChunkWithoutChoices(t *testing.T) {
	usage := `"usage":{"prompt_tokens":120,"completion_tokens":7,"total_tokens":127,"prompt_tokens_details":{"cached_tokens":80},"completion_tokens_details":{"reasoning_tokens":3}}`
	want := answer{
		Text: "hi", Finish: provider.FinishStop,
		Usage: &message.Usage{Input: 40, CacheRead: 80, Output: 7, Reasoning: 3},
	}
	hi := pt.Delta(`"content":"hi"`)
	for name, events := range map[string]string{
		"choices empty":          hi + pt.Finish("stop") + pt.Event(`{"choices":[],`+usage+`}`),
		"choices null":           hi + pt.Finish("stop") + pt.Event(`{"choices":null,`+usage+`}`),
		"no choices":             hi + pt.Finish("stop") + pt.Event(`{`+usage+`}`),
		"in the last choice":     hi + pt.Event(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop",`+usage+`}]}`),
		"under x_groq":           hi + pt.Event(`{"choices":[{"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"r",`+usage+`}}`),
		"under x_groq and above": hi + pt.Event(`{"choices":[{"delta":{},"finish_reason":"stop"}],"x_groq":{`+usage+`},`+usage+`}`),
		"then null": hi + pt.Event(`{"choices":[{"delta":{},"finish_reason":"stop"}],`+usage+`}`) +
			pt.Event(`{"choices":[],"usage":null}`) + pt.Event(`{"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0}}`),
		"on every chunk, cumulative": pt.Event(`{"choices":[{"delta":{"content":"h"}}],"usage":{"prompt_tokens":120,"completion_tokens":1}}`) +
			pt.Event(`{"choices":[{"delta":{"content":"i"},"finish_reason":"stop"}],`+usage+`}`),
		"vendor's own cache counts": hi + pt.Finish("stop") + pt.Event(`{"choices":[],"usage":{"prompt_tokens":120,"completion_tokens":7,`+
			`"prompt_cache_hit_tokens":80,"prompt_cache_miss_tokens":40,"completion_tokens_details":{"reasoning_tokens":3}}}`),
		"as other APIs name them": hi + pt.Finish("stop") + pt.Event(`{"choices":[],"usage":{"input_tokens":120.0,"output_tokens":"7",`+
			`"cached_tokens":80,"output_tokens_details":{"reasoning_tokens":3}}}`),
	} {
		t.Run(name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, s *pt.Server) { same(t, ask(t, s, chunksOf(events+pt.Done)), want) })
		})
	}
}

// between puts noise before, between and behind good events.
func between(noise string) string {
	return noise + pt.Delta(`"content":"h"`) + noise + noise + pt.Delta(`"content":"i"`) + noise + pt.Finish("stop") + noise + pt.Done
}

func TestSSE11CommentKeepAlives(t *testing.T) {
	for _, noise := range []string{
		": PROCESSING\n\n: PROCESSING\n\n: PROCESSING\n\n", ":\n\n", ":\n", "event: ping\n\n", "id: 7\n\n", "retry: 3000\n\n", "\n\n",
	} {
		eachWay(t, func(t *testing.T, s *pt.Server) {
			same(t, ask(t, s, chunksOf(between(noise))), answer{Text: "hi", Finish: provider.FinishStop})
		})
	}
}

func TestSSE12KeepAliveWrappedInData(t *testing.T) {
	for _, noise := range []string{
		"data: : PROCESSING\n\n", "data: ping\n\n", "data: \n\n", "data: null\n\n", "data: []\n\n", "data: {}\n\n",
		"data: \"ping\"\n\n", "event: ping\ndata: {\"type\":\"ping\"}\n\n", "data: 17\n\n",
	} {
		eachWay(t, func(t *testing.T, s *pt.Server) {
			same(t, ask(t, s, chunksOf(between(noise))), answer{Text: "hi", Finish: provider.FinishStop})
		})
	}
}

func TestSSE13FramingVariants(t *testing.T) {
	plain := spoken() + ended
	for name, events := range map[string]string{
		"no space":         strings.ReplaceAll(plain, "data: ", "data:"),
		"CRLF":             strings.ReplaceAll(plain, "\n", "\r\n"),
		"CR alone":         strings.ReplaceAll(plain, "\n", "\r"),
		"mixed":            strings.ReplaceAll(plain, "\n\n", "\r\n\n"),
		"two data lines":   strings.ReplaceAll(plain, `,"choices"`, ",\ndata: \"choices\""),
		"byte order mark":  "\xef\xbb\xbf" + plain,
		"event names":      strings.ReplaceAll(plain, "data: ", "event: message\ndata: "),
		"no last line end": strings.TrimRight(plain, "\n"),
	} {
		t.Run(name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, s *pt.Server) {
				same(t, ask(t, s, pt.Raw(events)), answer{
					Text: speech, Finish: provider.FinishStop,
					Calls: []message.ToolCall{{ID: "a", Name: "write_file", Arguments: speech}},
				})
			})
		})
	}
}

func TestSSE14CharactersSplitAcrossWrites(t *testing.T) {
	want := answer{
		Text: speech, Finish: provider.FinishStop,
		Calls: []message.ToolCall{{ID: "a", Name: "write_file", Arguments: speech}},
	}
	for size := range 5 {
		s := pt.New(t)
		s.SetChunkBytes(size)
		same(t, ask(t, s, pt.Raw(spoken()+ended)), want)
	}
}

func TestSSE14CharactersSplitAcrossDeltas(t *testing.T) {
	for name, halves := range map[string][2]string{
		"bytes of one character": {"\xf0\x9f", "\x99\x82"},
		"a surrogate pair":       {`\ud83d`, `\ude42`},
	} {
		t.Run(name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, s *pt.Server) {
				for _, h := range []string{`"content":"`, `"reasoning_content":"`} {
					events := pt.Delta(h+halves[0]+`"`) + pt.Delta(h+halves[1]+`"`) + pt.Delta(`"content":"."`) + pt.Finish("stop") + pt.Done
					got := ask(t, s, chunksOf(events))
					if all := got.Thoughts + got.Text; all != "🙂." {
						t.Errorf("got %q", all)
					}
				}
				got := ask(t, s, chunksOf(callDelta(`"id":"a","function":{"name":"w","arguments":"`+halves[0]+`"}`)+
					callDelta(`"function":{"arguments":"`+halves[1]+`"}`)+ended))
				same(t, got, called(message.ToolCall{ID: "a", Name: "w", Arguments: "🙂"}))
			})
		})
	}
}

func TestSSE14WhatIsNoCharacterAtAllIsReplacedOnce(t *testing.T) {
	s := pt.New(t)
	got := ask(t, s, chunksOf(pt.Delta("\"content\":\"a\xffb\"")+pt.Delta(`"content":"c\ud83d"`)+pt.Finish("stop")+pt.Done))
	same(t, got, answer{Text: "a\uFFFDbc\uFFFD", Finish: provider.FinishStop})
}

func TestSSE29CompressedStream(t *testing.T) {
	eachWay(t, func(t *testing.T, s *pt.Server) {
		want := answer{
			Text: speech, Finish: provider.FinishStop,
			Calls: []message.ToolCall{{ID: "a", Name: "write_file", Arguments: speech}},
		}
		same(t, ask(t, s, chunksOf(spoken()+ended).Gzip()), want)
		for _, end := range []string{ended, pt.Finish("tool_calls"), ""} {
			got := ask(t, s, chunksOf(spoken()+end).GzipCut())
			if f := failed(t, got); f.Kind != provider.KindCut || !f.Retryable {
				t.Errorf("without its trailer: got %+v", f)
			}
		}
	})
}

func TestSSE29CompressedStreamIsDecodedLive(t *testing.T) {
	gate := make(chan struct{})
	s := pt.New(t, pt.Raw(pt.Delta(`"content":"early"`), pt.Delta(`"content":" late"`)+pt.Finish("stop")+pt.Done).Gzip().GateAt(1, gate))
	chunks, err := open(t, s).Stream(t.Context(), provider.Request{Messages: hello})
	if err != nil {
		t.Fatal(err)
	}
	if first := <-chunks; first.Text != "early" {
		t.Errorf("got %+v", first)
	}
	close(gate)
	same(t, collect(t, chunks), answer{Text: " late", Finish: provider.FinishStop})
}

func TestContentAsAList(t *testing.T) {
	for name, content := range map[string]string{
		"typed parts": `[{"type":"text","text":"h"},{"type":"text","text":"i"}]`,
		"strings":     `["h","i"]`,
		"one part":    `{"type":"text","text":"hi"}`,
		"with images": `[{"type":"text","text":"hi"},{"type":"image_url","image_url":{"url":"data:"}},null,7,[["x"]]]`,
	} {
		t.Run(name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, s *pt.Server) {
				same(t, ask(t, s, chunksOf(pt.Delta(`"content":`+content)+pt.Finish("stop")+pt.Done)), answer{Text: "hi", Finish: provider.FinishStop})
			})
		})
	}
}

func TestOneChunkPerRead(t *testing.T) {
	events := strings.Repeat(pt.Delta(`"content":"word "`), 50) + pt.Finish("stop") + pt.Done
	s := pt.New(t, pt.Raw(events))
	chunks, err := open(t, s).Stream(t.Context(), provider.Request{Messages: hello})
	if err != nil {
		t.Fatal(err)
	}
	texts := 0
	for c := range chunks {
		if c.Type == provider.ChunkText {
			texts++
		}
	}
	if texts > 10 {
		t.Errorf("50 deltas in one write came as %d chunks", texts)
	}
}
