package provider

// The table. A difference stands here only when the vendor documents it or its
// users agree on it; what is uncertain is left to the generic behaviour, which
// adapts to a refusal. docs/providers.md is generated from it, and the scripted
// servers of providertest play it.

const openAICache = "prompt_tokens_details.cached_tokens"

// vendors are the endpoints on the network.
func vendors() []Profile {
	return []Profile{
		{
			Name: "deepseek", Display: "DeepSeek", BaseURL: "https://api.deepseek.com", KeyEnv: "DEEPSEEK_API_KEY",
			Hosts: []string{"deepseek.com"}, Protocol: "deepseek", Reasoning: []string{reasoningContent},
			Usage: "last chunk, with the finish_reason",
			Cache: []string{"prompt_cache_hit_tokens", openAICache},
			Quirks: []string{
				"refuses a message with tool calls whose reasoning_content is missing",
				"sends comments while a request waits for its turn",
				"finish_reason insufficient_system_resource means try again",
			},
		},
		{
			Name: "openai", Display: "OpenAI", BaseURL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY",
			Hosts: []string{"openai.com"}, Protocol: "openai", Replay: ReplayNever, LimitName: maxCompletionTokens,
			Cache: []string{openAICache},
			Quirks: []string{
				"reasoning is counted and not shown",
				"reasoning models refuse temperature and max_tokens",
			},
		},
		{
			Name: "openrouter", Display: "OpenRouter", BaseURL: "https://openrouter.ai/api/v1", KeyEnv: "OPENROUTER_API_KEY",
			OpenList: true, Hosts: []string{"openrouter.ai"}, Reasoning: []string{"reasoning", "reasoning_details"},
			Cache: []string{openAICache},
			Quirks: []string{
				"sends comments until the model begins",
				"reports errors of the vendor behind it in the stream, after HTTP 200",
				"the list of models needs no key",
			},
		},
		{
			Name: "moonshot", Display: "Moonshot", BaseURL: "https://api.moonshot.ai/v1", KeyEnv: "MOONSHOT_API_KEY",
			Hosts: []string{"moonshot.ai", "moonshot.cn"}, Protocol: "kimi", Reasoning: []string{reasoningContent},
			Replay: ReplayAll, LimitName: maxCompletionTokens,
			Usage: "last chunk, inside its choice",
			Cache: []string{"cached_tokens"},
			Quirks: []string{
				"call ids are made of the tool's name and a number and come again in later replies",
				"some models take one temperature only",
			},
		},
		{
			Name: "zhipu", Display: "Zhipu", BaseURL: "https://open.bigmodel.cn/api/paas/v4", KeyEnv: "ZHIPU_API_KEY",
			Hosts: []string{"bigmodel.cn", "z.ai"}, Protocol: "glm", Reasoning: []string{reasoningContent}, Replay: ReplayNever,
			Usage: "last chunk, with the finish_reason",
			Cache: []string{openAICache},
			Quirks: []string{
				"a call comes whole, in one chunk",
				"error codes are numbers of its own; finish_reason sensitive is a refusal",
			},
		},
		{
			Name: "dashscope", Display: "DashScope", BaseURL: "https://dashscope.aliyuncs.com/compatible-mode/v1", KeyEnv: "DASHSCOPE_API_KEY",
			Hosts: []string{"dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com"}, Reasoning: []string{reasoningContent},
			Cache: []string{openAICache},
			Quirks: []string{
				"pieces of a call repeat an empty id and an empty name",
				"thinking is switched with enable_thinking in extra_body",
			},
		},
		{
			Name: "groq", Display: "Groq", BaseURL: "https://api.groq.com/openai/v1", KeyEnv: "GROQ_API_KEY",
			Hosts: []string{"groq.com"}, Reasoning: []string{"reasoning"}, LimitName: maxCompletionTokens,
			Usage: "x_groq of the last chunk",
			Cache: []string{openAICache},
			Quirks: []string{
				"a call comes whole, in one chunk",
				"a call the model wrote badly is HTTP 400 with code tool_use_failed",
			},
		},
		{
			Name: "mistral", Display: "Mistral", BaseURL: "https://api.mistral.ai/v1", KeyEnv: "MISTRAL_API_KEY",
			Hosts: []string{"mistral.ai"}, Reasoning: []string{"content"}, Replay: ReplayNever,
			Drop: []string{"stream_options"}, CallIDs: NineIDs,
			Usage: "last chunk, with the finish_reason, unasked",
			Quirks: []string{
				"refuses parameters it does not know with HTTP 422",
				"reasoning is a thinking part of a content list",
				"a call comes whole, in one chunk",
			},
		},
		{
			Name: "xai", Display: "xAI", BaseURL: "https://api.x.ai/v1", KeyEnv: "XAI_API_KEY",
			Hosts: []string{"x.ai"}, Reasoning: []string{reasoningContent},
			Usage: "every chunk, growing",
			Cache: []string{openAICache},
			Quirks: []string{
				"completion_tokens leave reasoning out, which is billed as output",
				"a call comes whole, in one chunk",
				"some models refuse reasoning_effort",
			},
		},
		{
			Name: "together", Display: "Together", BaseURL: "https://api.together.xyz/v1", KeyEnv: "TOGETHER_API_KEY",
			Hosts: []string{"together.xyz", "together.ai"}, Reasoning: []string{"reasoning", "content"},
			Usage: "last chunk, with the finish_reason",
			Quirks: []string{
				"some models write their reasoning between think tags in the content",
				"finish_reason may be eos",
			},
		},
	}
}

// locals are the servers on this machine, known by their customary port. They
// differ from the generic endpoint in nothing that is sent, so that a port used
// for something else does no harm.
func locals() []Profile {
	return []Profile{
		{
			Name: "ollama", Display: "Ollama", BaseURL: "http://127.0.0.1:11434/v1", Local: true,
			Hosts: []string{":11434"}, Reasoning: []string{"reasoning"},
			Quirks: []string{
				"a call comes whole, and older versions number every call 0",
				"cuts a prompt that is longer than the model's num_ctx without a word",
			},
		},
		{
			Name: "lmstudio", Display: "LM Studio", BaseURL: "http://127.0.0.1:1234/v1", Local: true,
			Hosts: []string{":1234"}, Reasoning: []string{reasoningContent, "reasoning", "content"},
			Quirks: []string{"errors are a bare string, or an event named error in the stream"},
		},
		{
			Name: "llamacpp", Display: "llama.cpp", BaseURL: "http://127.0.0.1:8080/v1", Local: true,
			Hosts: []string{":8080"}, Reasoning: []string{reasoningContent},
			Cache: []string{openAICache},
			Quirks: []string{
				"tools want the server to be started with --jinja",
				"while the model loads it answers HTTP 503",
			},
		},
		{
			Name: "vllm", Display: "vLLM", BaseURL: "http://127.0.0.1:8000/v1", Local: true,
			Hosts: []string{":8000"}, Reasoning: []string{"reasoning", reasoningContent},
			Cache: []string{openAICache},
			Quirks: []string{
				"tools want --enable-auto-tool-choice and --tool-call-parser, reasoning --reasoning-parser",
				"cache counts want --enable-prompt-tokens-details",
				"errors have no error object around them",
			},
		},
	}
}
