package provider_test

import (
	"testing"

	"reasonix/core/provider"
)

func TestCP01RefusalsOfTooLongPrompts(t *testing.T) {
	for _, c := range []struct {
		vendor, code, message string
	}{
		{"OpenAI", "context_length_exceeded", "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."},
		{"OpenAI, code alone", "context_length_exceeded", "too long"},
		{"OpenAI, responses", "", "Your input exceeds the context window of this model. Please adjust your input and try again."},
		{"DeepSeek", "invalid_request_error", "This model's maximum context length is 131072 tokens. However, you requested 200000 tokens (200000 in the messages, 0 in the completion)."},
		{"Anthropic", "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"},
		{"Anthropic, with output", "invalid_request_error", "input length and `max_tokens` exceed context limit: 199000 + 4096 > 200000"},
		{"Bedrock", "ValidationException", "Input is too long for requested model."},
		{"Gemini", "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."},
		{"Moonshot", "", "Invalid request: Your request exceeded model token limit: 8192"},
		{"Zhipu", "1261", "Prompt exceeds max length"},
		{"Zhipu, Chinese", "1261", "Prompt 超长"},
		{"DashScope", "InvalidParameter", "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]"},
		{"MiniMax", "2013", "invalid params, context window exceeds limit (2013)"},
		{"xAI", "", "This model's maximum prompt length is 131072 but the request contains 200000 tokens."},
		{"Groq", "", "Please reduce the length of the messages or completion."},
		{"Mistral", "3051", "Prompt contains 40000 tokens, too large for model with 32768 maximum context length"},
		{"TGI", "validation", "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 512 `max_new_tokens`"},
		{"Ollama", "", "the input length exceeds the context length"},
		{"llama.cpp", "exceed_context_size_error", "the request exceeds the available context size (4096 tokens), try increasing it"},
		{"LM Studio", "", "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens."},
		{"vLLM", "BadRequestError", "The decoder prompt (length 9000) is longer than the maximum model length of 8192."},
		{"GitHub Models", "tokens_limit_reached", "Request body too large for gpt-4o-mini model. Max size: 8000 tokens."},
		{"LiteLLM", "ContextWindowExceededError", ""},
	} {
		for _, status := range []int{400, 422, 500, 0} {
			if !provider.IsContextLength(status, c.code, c.message) {
				t.Errorf("%s with status %d was not recognized", c.vendor, status)
			}
		}
	}
	if !provider.IsContextLength(413, "", "big") {
		t.Error("413 was not recognized")
	}
}

func TestOtherRefusalsAreNotAboutLength(t *testing.T) {
	for _, c := range []struct {
		status        int
		code, message string
	}{
		{429, "rate_limit_exceeded", "Rate limit reached: tokens per minute. Please reduce the length of the messages"},
		{400, "invalid_request_error", "messages.3.tool_call_id: no such call"},
		{401, "invalid_api_key", "Incorrect API key; see the context length page"},
		{400, "invalid_value", "max_tokens is too large: 99999"},
		{503, "", "overloaded"},
	} {
		if provider.IsContextLength(c.status, c.code, c.message) {
			t.Errorf("%d %s: %s", c.status, c.code, c.message)
		}
	}
}
