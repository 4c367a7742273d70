package openai

import "reasonix/core/message"

// tokens is what an endpoint counts. The same count has several names; the
// largest that comes is taken, because a vendor that sends two sends them equal
// or leaves one at zero.
type tokens struct {
	prompt, output, cached, written, reasoning, total int
}

// readUsage reads a usage object. Each one is the sum so far, so the last counts;
// one that counts nothing is no news.
func (d *delta) readUsage(w *walker) {
	if !w.open('{') {
		return
	}
	var t tokens
	t.read(w)
	if u := t.usage(); u != (message.Usage{}) {
		d.usage, d.hasUsage = u, true
	}
}

func (t *tokens) read(w *walker) {
	for w.next('}') {
		switch string(w.key()) {
		case "prompt_tokens", "input_tokens":
			t.prompt = max(t.prompt, w.count())
		case "completion_tokens", "output_tokens":
			t.output = max(t.output, w.count())
		case "prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens":
			t.cached = max(t.cached, w.count())
		case "cache_write_tokens", "cache_creation_input_tokens":
			t.written = max(t.written, w.count())
		case "reasoning_tokens":
			t.reasoning = max(t.reasoning, w.count())
		case "total_tokens":
			t.total = max(t.total, w.count())
		case "prompt_tokens_details", "completion_tokens_details", "input_tokens_details", "output_tokens_details":
			if w.open('{') {
				t.read(w)
			}
		default:
			w.skip()
		}
	}
}

// usage splits the prompt: on the wire it includes what the cache gave. The output
// includes the reasoning, unless the total says that it does not.
func (t tokens) usage() message.Usage {
	if t.reasoning > 0 && t.total == t.prompt+t.output+t.reasoning {
		t.output += t.reasoning
	}
	return message.Usage{
		Input:      max(0, t.prompt-t.cached-t.written),
		Output:     t.output,
		CacheRead:  t.cached,
		CacheWrite: t.written,
		Reasoning:  min(t.reasoning, t.output),
	}
}
