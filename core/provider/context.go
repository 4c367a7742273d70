package provider

import (
	"net/http"
	"strings"
)

// IsContextLength reports whether an endpoint refused a prompt because it is too
// long for the model: by its HTTP status (0 for an error object in a stream), and
// the code and message of its error. A limit on tokens a minute is none, however
// it is worded.
func IsContextLength(status int, code, message string) bool {
	switch {
	case status == http.StatusRequestEntityTooLarge:
		return true
	case status == http.StatusTooManyRequests, status == http.StatusUnauthorized, status == http.StatusForbidden:
		return false
	}
	code, message = strings.ToLower(code), strings.ToLower(message)
	for _, c := range contextCodes {
		if strings.Contains(code, c) {
			return true
		}
	}
	for _, w := range contextWords {
		if strings.Contains(message, w) {
			return true
		}
	}
	return false
}

// contextCodes are what vendors put into code or type, in lower case.
var contextCodes = [...]string{
	"context_length_exceeded",    // OpenAI, DeepSeek, Groq, OpenRouter, LM Studio
	"exceed_context_size",        // llama.cpp: exceed_context_size_error
	"context_window_exceeded",    // gateways
	"model_context_window",       // Anthropic: model_context_window_exceeded
	"request_too_large",          // Anthropic
	"string_above_max_length",    // OpenAI
	"contextwindowexceedederror", // LiteLLM
	"tokens_limit_reached",       // GitHub Models
	"model_max_prompt_tokens",    // Copilot: model_max_prompt_tokens_exceeded
}

// contextWords are what they say, in lower case.
var contextWords = [...]string{
	"context_length_exceeded",
	"context length",                       // "maximum context length is 8192": OpenAI, DeepSeek, Mistral, vLLM, Ollama, LM Studio
	"context window",                       // OpenAI responses, MiniMax
	"context limit",                        // Anthropic: "input length and `max_tokens` exceed context limit"
	"available context size",               // llama.cpp
	"prompt is too long",                   // Anthropic
	"input is too long",                    // Bedrock
	"input token count",                    // Gemini
	"exceeded model token limit",           // Moonshot
	"too many tokens in the prompt",        // gateways
	"number of tokens in the prompt",       // Cohere
	"range of input length",                // DashScope
	"prompt exceeds max length",            // Zhipu
	"prompt 超长",                            // Zhipu
	"maximum prompt length",                // xAI
	"reduce the length of the messages",    // Groq
	"`inputs` tokens + `max_new_tokens`",   // TGI
	"`inputs` must have less than",         // TGI
	"exceeds the maximum number of tokens", // Gemini, Vertex
	"longer than the maximum model length", // vLLM
	"request body too large for",           // GitHub Models: "... model. Max size: 8000 tokens"
}
