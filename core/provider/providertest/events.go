package providertest

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"reasonix/core/message"
)

// Done is the event that ends a well-formed stream.
const Done = "data: [DONE]\n\n"

// Event is one event with data, which is written as it is.
func Event(data string) string { return "data: " + data + "\n\n" }

// Delta is one event with a choices[0].delta of these JSON fields, for example
// Delta(`"content":"hi"`).
func Delta(fields string) string {
	return choice(`"delta":{` + fields + `},"finish_reason":null`)
}

// Finish is the event that closes the choice with a finish_reason.
func Finish(reason string) string {
	return choice(`"delta":{},"finish_reason":` + string(mustJSON(reason)))
}

func choice(fields string) string {
	return Event(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"scripted",` +
		`"choices":[{"index":0,` + fields + `}]}`)
}

// UsageEvent is the last event before [DONE]: token counts and no choices.
func UsageEvent(input, cached, output int) string {
	return usageEvent(message.Usage{Input: input, CacheRead: cached, Output: output})
}

func usageEvent(u message.Usage) string {
	return Event(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"scripted",` +
		`"choices":[],"usage":` + string(mustJSON(wireUsage(u))) + `}`)
}

// counts is usage as the wire has it.
type counts struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
	Details    struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

func wireUsage(u message.Usage) counts {
	c := counts{Prompt: u.Prompt(), Completion: u.Output, Total: u.Prompt() + u.Output}
	c.Details.Cached = u.CacheRead
	return c
}

// events writes the reply as a streaming client gets it.
func (s *said) events() []string {
	if s.as != nil {
		return s.as.events(s)
	}
	out := []string{Delta(`"role":"assistant","content":""`)}
	for _, piece := range pieces(s.reasoning, 2) {
		out = append(out, Delta(reasoningField(s.field, piece)))
	}
	for _, piece := range pieces(s.text, 3) {
		out = append(out, Delta(`"content":`+string(mustJSON(piece))))
	}
	for i, c := range s.calls {
		out = append(out, callEvents(i, c)...)
	}
	return append(out, Finish(s.finish), usageEvent(s.usage), Done)
}

// callEvents opens a call with its id and name, then writes its arguments.
func callEvents(index int, c Call) []string {
	out := []string{Delta(fmt.Sprintf(
		`"tool_calls":[{"index":%d,"id":%s,"type":"function","function":{"name":%s,"arguments":""}}]`,
		index, mustJSON(c.ID), mustJSON(c.Name)))}
	for _, piece := range pieces(c.Arguments, 2) {
		out = append(out, Delta(fmt.Sprintf(
			`"tool_calls":[{"index":%d,"function":{"arguments":%s}}]`, index, mustJSON(piece))))
	}
	return out
}

func reasoningField(field, text string) string {
	if field == "reasoning_details" {
		return fmt.Sprintf(`"reasoning_details":[{"type":"reasoning.text","text":%s,"index":0}]`, mustJSON(text))
	}
	return fmt.Sprintf(`%s:%s`, mustJSON(field), mustJSON(text))
}

// pieces cuts s into at most n parts between runes.
func pieces(s string, n int) []string {
	var out []string
	for ; n > 1 && s != ""; n-- {
		cut := max(1, len(s)/n)
		for cut < len(s) && !utf8.RuneStart(s[cut]) {
			cut++
		}
		out = append(out, s[:cut])
		s = s[cut:]
	}
	if s != "" {
		out = append(out, s)
	}
	return out
}

// completion is the reply as a client that did not ask for a stream gets it.
func (s *said) completion() string {
	msg := []string{`"role":"assistant"`, `"content":` + string(mustJSON(s.text))}
	if s.reasoning != "" {
		msg = append(msg, reasoningField(s.field, s.reasoning))
	}
	if len(s.calls) > 0 {
		calls := make([]string, len(s.calls))
		for i, c := range s.calls {
			calls[i] = fmt.Sprintf(`{"id":%s,"type":"function","function":{"name":%s,"arguments":%s}}`,
				mustJSON(c.ID), mustJSON(c.Name), mustJSON(c.Arguments))
		}
		msg = append(msg, `"tool_calls":[`+strings.Join(calls, ",")+`]`)
	}
	return fmt.Sprintf(`{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"scripted",`+
		`"choices":[{"index":0,"message":{%s},"finish_reason":%s}],"usage":%s}`,
		strings.Join(msg, ","), mustJSON(s.finish), mustJSON(wireUsage(s.usage)))
}
