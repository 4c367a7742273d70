package providertest

import (
	"fmt"

	"reasonix/core/message"
	"reasonix/core/provider"
)

// vendors is the shape of every profile's endpoint, written down from the
// vendors' documentation and from what users of other clients report. None of it
// was recorded from a live endpoint.
func vendors() []vendor {
	return []vendor{
		{
			profile: named("deepseek"), noise: ": keep-alive\n\n", reasoning: under("reasoning_content"),
			place: usageWithFinish, counts: countsDeepSeek, check: wantsReasoning,
			tooLong: "This model's maximum context length is 131072 tokens. However, you requested 200000 tokens (200000 in the messages, 0 in the completion).",
		},
		{
			profile: named("openai"), check: refuses("max_tokens"),
			tooLong: "Your input exceeds the context window of this model. Please adjust your input and try again.",
		},
		{
			profile: named("openrouter"), noise: ": OPENROUTER PROCESSING\n\n", reasoning: twice, fault: faultOpenRouter,
			tooLong: "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens.",
		},
		{
			profile: named("moonshot"), reasoning: under("reasoning_content"), place: usageInChoice, unasked: true,
			counts: countsMoonshot, calls: callShape{id: nameAndNumber}, check: wantsReasoning,
			tooLong: "Invalid request: Your request exceeded model token limit: 131072",
		},
		{
			profile: named("zhipu"), reasoning: under("reasoning_content"), place: usageWithFinish, unasked: true,
			calls: callShape{whole: true}, fault: faultZhipu,
			tooLong: "Prompt 超长",
		},
		{
			profile: named("dashscope"), reasoning: under("reasoning_content"), calls: callShape{emptyTail: true}, fault: faultDashScope,
			tooLong: "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]",
		},
		{
			profile: named("groq"), reasoning: under("reasoning"), place: usageXGroq, unasked: true,
			calls: callShape{whole: true}, check: refusesField("reasoning_content"),
			tooLong: "Please reduce the length of the messages or completion.",
		},
		{
			profile: named("mistral"), reasoning: thinkingPart, place: usageWithFinish, unasked: true,
			counts: countsPlain, calls: callShape{whole: true, id: nineCharacters}, fault: faultMistral, check: checkMistral,
			tooLong: "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
		},
		{
			profile: named("xai"), reasoning: under("reasoning_content"), place: usageEverywhere, unasked: true,
			counts: countsXAI, calls: callShape{whole: true}, fault: faultXAI,
			tooLong: "This model's maximum prompt length is 131072 but the request contains 200000 tokens.",
		},
		{
			profile: named("together"), reasoning: under("reasoning"), place: usageWithFinish, counts: countsPlain,
			tooLong: "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 512 `max_new_tokens`",
		},
		{
			profile: named("ollama"), reasoning: under("reasoning"), counts: countsPlain, calls: callShape{whole: true, zero: true}, fault: faultOllama,
			tooLong: "the input length exceeds the context length",
		},
		{
			profile: named("lmstudio"), reasoning: under("reasoning_content"), counts: countsPlain, calls: callShape{id: numeral}, fault: faultLMStudio,
			tooLong: "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens.",
		},
		{
			profile: named("llamacpp"), reasoning: under("reasoning_content"), fault: faultLlamaCpp,
			tooLong: "the request exceeds the available context size (4096 tokens), try increasing it",
		},
		{
			profile: named("vllm"), reasoning: under("reasoning"), fault: faultVLLM,
			tooLong: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
		},
	}
}

func named(name string) provider.Profile { return provider.Profile{Name: name} }

func under(field string) func(string) string {
	return func(text string) string { return reasoningField(field, text) }
}

// twice sends the same reasoning under both of OpenRouter's names.
func twice(text string) string {
	return reasoningField("reasoning", text) + "," + reasoningField("reasoning_details", text)
}

// thinkingPart is reasoning as a part of a content list.
func thinkingPart(text string) string {
	return fmt.Sprintf(`"content":[{"type":"thinking","thinking":[{"type":"text","text":%s}]}]`, mustJSON(text))
}

// The usage objects.

func countsPlain(u message.Usage) string {
	return fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}`, u.Prompt(), u.Output, u.Prompt()+u.Output)
}

func countsDetailed(u message.Usage) string {
	return fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,`+
		`"prompt_tokens_details":{"cached_tokens":%d,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":%d}}`,
		u.Prompt(), u.Output, u.Prompt()+u.Output, u.CacheRead, u.Reasoning)
}

func countsDeepSeek(u message.Usage) string {
	return fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d},`+
		`"completion_tokens_details":{"reasoning_tokens":%d},"prompt_cache_hit_tokens":%d,"prompt_cache_miss_tokens":%d}`,
		u.Prompt(), u.Output, u.Prompt()+u.Output, u.CacheRead, u.Reasoning, u.CacheRead, u.Input)
}

func countsMoonshot(u message.Usage) string {
	return fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"cached_tokens":%d}`,
		u.Prompt(), u.Output, u.Prompt()+u.Output, u.CacheRead)
}

// countsXAI leaves reasoning out of completion_tokens.
func countsXAI(u message.Usage) string {
	return fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d},`+
		`"completion_tokens_details":{"reasoning_tokens":%d}}`,
		u.Prompt(), u.Output-u.Reasoning, u.Prompt()+u.Output, u.CacheRead, u.Reasoning)
}

// The ids of calls.

// nameAndNumber begins again with every reply.
func nameAndNumber(_, i int, c Call) string { return fmt.Sprintf("functions.%s:%d", c.Name, i) }

func nineCharacters(request, i int, _ Call) string { return fmt.Sprintf("Ab%05d%02d", request, i) }

func numeral(request, i int, _ Call) string { return fmt.Sprintf("%d", 100_000_000+request*100+i) }
