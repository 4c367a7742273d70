package config

import (
	"math"
	"slices"
	"strings"
	"sync"
)

// Kind is the type of a key's value.
type Kind string

// The kinds of value.
const (
	KindString  Kind = "string"
	KindBool    Kind = "boolean"
	KindInt     Kind = "integer"
	KindFloat   Kind = "number"
	KindStrings Kind = "list of strings"
	KindMap     Kind = "table of strings"
	KindIntMap  Kind = "table of integers"
	KindAny     Kind = "table"
)

// Key is one line of the key table: everything known about a key apart from its
// present value.
type Key struct {
	// Path is dotted; a part in angle brackets stands for a name of the user's.
	Path    string
	Kind    Kind
	Default any    // nil: not set
	Doc     string // one sentence
	Enum    []string
	Example string // a value in TOML for the example file, when the default says little

	Min, Max float64 // of numbers; Max 0: none

	UserOnly   bool   // ignored in a project file
	Widens     bool   // may let a run do or reach more: in a project file what does counts once it is granted
	InProject  string // what a project may do with it, and why, where the two above do not say it all
	FileOnly   bool   // neither flag nor environment sets it
	Later      bool   // parsed and validated; what it does comes with a later version
	Retired    bool   // parsed, without effect
	Secret     bool   // never shown
	IsPath     bool   // ~, variables and relative paths are expanded
	Accumulate bool   // layers add up instead of replacing each other
	Fallback   bool   // an unknown value becomes the default
}

// Keys is the key table in the order of the example file. The result is shared:
// do not modify it.
var Keys = sync.OnceValue(func() []Key {
	groups := [][]Key{
		topKeys, uiKeys, agentKeys, providerKeys, environmentKeys, toolKeys, skillKeys,
		permissionKeys, sandboxKeys, serviceKeys, pluginKeys, hookKeys,
	}
	var all []Key
	for _, g := range groups {
		all = append(all, g...)
	}
	for i, k := range all {
		whole := strings.HasPrefix(k.Path, "plugins.") || strings.HasPrefix(k.Path, "hooks.")
		field, isProvider := strings.CutPrefix(k.Path, "providers.<name>.")
		field, _, _ = strings.Cut(field, ".")
		routes := isProvider && (slices.Contains(routing, field) || slices.Contains(pricing, field))
		all[i].Widens = k.Widens || whole && !k.UserOnly || routes // granted block by block
		switch {
		case isProvider && slices.Contains(routing, field):
			all[i].InProject = "A project's is off until it is granted."
		case routes:
			all[i].InProject = "Over a provider of yours a project's is off until it is granted."
		}
	}
	return all
})

var topKeys = []Key{
	{Path: "default_model", Kind: KindString, Default: "deepseek", InProject: "A project may choose among the models of your own providers, where your conversations go anyway; a model of a provider of its own is off until it is granted.", Doc: "The model to use: a provider's name (its default model), provider/model, or a model's name."},
	{Path: "language", Kind: KindString, Default: "", Doc: "Language tag of the interface; empty: $REASONIX_LANG, then $LANG.", Example: `"zh"`},
}

var uiKeys = []Key{
	{Path: "ui.shortcut_layout", Kind: KindString, Default: "desktop", Enum: []string{"classic", "desktop"}, Later: true, Doc: "Kept for compatibility."},
	{Path: "ui.cursor_shape", Kind: KindString, Default: "bar", Enum: []string{"underline", "block", "bar"}, Fallback: true, Later: true, Doc: "Cursor of the terminal's text area."},
}

var agentKeys = []Key{
	{Path: "agent.system_prompt", Kind: KindString, Default: "", Widens: true, InProject: "A project's is off until it is granted; its instruction files (AGENTS.md) need no grant.", Doc: "Replaces the built-in system prompt.", Example: `"You are a careful engineer."`},
	{Path: "agent.system_prompt_file", Kind: KindString, Default: "", IsPath: true, Widens: true, InProject: "A project's is off until it is granted, for what the file says then.", Doc: "File with the system prompt.", Example: `"prompt.md"`},
	{Path: "agent.temperature", Kind: KindFloat, Max: 2, Doc: "Sampling temperature; sent only when set.", Example: "0.0"},
	{Path: "agent.reasoning_language", Kind: KindString, Default: "auto", Enum: []string{"auto", "zh", "en"}, Doc: "Language of visible reasoning; auto adds nothing to the prompt."},
	{Path: "agent.work_mode", Kind: KindString, Default: "balanced", Enum: []string{"economy", "balanced"}, Widens: true, Doc: "Tools the model is offered: balanced is those tools.enabled names, or all; economy is read_file, edit_file, write_file, bash and those tools.enabled names."},
	{Path: "agent.planner_model", Kind: KindString, Default: "", Widens: true, InProject: "A project's is off until it is granted, for what you type goes there, too.", Doc: "A second model that plans, with tools that only read, before the first one works.", Example: `"deepseek/deepseek-v4-pro"`},
	{Path: "agent.guardian_model", Kind: KindString, Default: "", UserOnly: true, InProject: "Not in a project file: it decides in your place.", Doc: "Model that reviews calls where approvals_reviewer is auto_review; empty: the session's own.", Example: `"deepseek/deepseek-v4-flash"`},
	{Path: "agent.subagent_model", Kind: KindString, Default: "", Later: true, Widens: true, InProject: "A project's is off until it is granted.", Doc: "Model of subagents.", Example: `"deepseek/deepseek-v4-pro"`},
	{Path: "agent.subagent_effort", Kind: KindString, Default: "", Later: true, Doc: "Reasoning effort of subagents.", Example: `"high"`},
	{Path: "agent.subagent_models", Kind: KindMap, Later: true, Widens: true, InProject: "A project's is off until it is granted.", Doc: "Model by subagent profile.", Example: `{ review = "deepseek/deepseek-v4-pro" }`},
	{Path: "agent.subagent_efforts", Kind: KindMap, Later: true, Doc: "Reasoning effort by subagent profile.", Example: `{ review = "max" }`},
	{Path: "agent.compact_soft_ratio", Kind: KindFloat, Default: 0.5, Max: 1, Doc: "Share of the context window at which you are told once that it fills up; 0 < soft <= snip < compact < force <= 1."},
	{Path: "agent.tool_result_snip_ratio", Kind: KindFloat, Default: 0.6, Max: 1, Doc: "Share at which old tool results are shortened."},
	{Path: "agent.compact_ratio", Kind: KindFloat, Default: 0.8, Max: 1, Doc: "Share at which old tool results are dropped, and the work is folded into a summary when that is not enough."},
	{Path: "agent.compact_force_ratio", Kind: KindFloat, Default: 0.9, Max: 1, Doc: "Share at which it is folded even when folding saves little."},
	{Path: "agent.compact_tail_turns", Kind: KindInt, Default: 2, Min: 1, Max: 1000, Doc: "The last so many user turns are left alone, or compact_tail_ratio, whichever is less."},
	{Path: "agent.compact_tail_ratio", Kind: KindFloat, Default: 0.2, Min: 0.01, Max: 0.9, Doc: "Share of the context window at the end of the conversation that is left alone."},
	{Path: "agent.compact_pin_tokens", Kind: KindInt, Default: 2000, Min: 1, Max: maxSeconds, Doc: "A user turn of at most so many tokens is kept word for word; a longer one folds with the work."},
	{Path: "agent.compact_min_gain", Kind: KindFloat, Default: 0.1, Min: 0.001, Max: 0.9, Doc: "A step that frees a smaller share of the window is left out unless it is forced."},
	{Path: "agent.max_subagent_concurrency", Kind: KindInt, Default: 6, Min: 1, Max: 32, Later: true, Doc: "Subagents at work at once."},
	{Path: "agent.max_parallel_writers", Kind: KindInt, Default: 3, Min: 1, Max: 32, Later: true, Doc: "How many of them may write."},
	{Path: "agent.plan_mode_allowed_tools", Kind: KindStrings, Widens: true, Doc: "MCP tools trusted as read-only; an old name for plugins' trusted_read_only_tools.", Example: `["mcp__docs__search"]`},
	{Path: "agent.plan_mode_read_only_commands", Kind: KindStrings, Retired: true, Doc: "Permissions decide about commands in plan mode too."},
	{Path: "agent.max_steps", Kind: KindInt, Retired: true, Doc: "Use --max-steps for one run."},
	{Path: "agent.planner_max_steps", Kind: KindInt, Retired: true, Doc: "The planner has no limit of its own."},
}

var providerKeys = []Key{
	{Path: "providers.<name>.name", Kind: KindString, InProject: "A project's block that wants no key and speaks to this machine alone needs no grant: nothing goes there until you choose it.", Doc: "How models refer to this endpoint.", Example: `"deepseek"`},
	{Path: "providers.<name>.display_name", Kind: KindString, Default: "", Doc: "How it is shown.", Example: `"DeepSeek"`},
	{Path: "providers.<name>.kind", Kind: KindString, Default: "openai", Doc: "Wire format: openai, or demo, which needs no endpoint."},
	{Path: "providers.<name>.base_url", Kind: KindString, Default: "", Doc: "Where requests go; /chat/completions is added.", Example: `"https://api.deepseek.com"`},
	{Path: "providers.<name>.chat_url", Kind: KindString, Default: "", Doc: "Full URL of chat requests, for gateways that need one.", Example: `"https://proxy.example.com/v1/chat/completions"`},
	{Path: "providers.<name>.models_url", Kind: KindString, Default: "", Doc: "Full URL of the model list.", Example: `"https://proxy.example.com/v1/models"`},
	{Path: "providers.<name>.model", Kind: KindString, Default: "", Doc: "The one model of this endpoint.", Example: `"deepseek-v4-flash"`},
	{Path: "providers.<name>.models", Kind: KindStrings, Doc: "Or several of them.", Example: `["deepseek-v4-flash", "deepseek-v4-pro"]`},
	{Path: "providers.<name>.default", Kind: KindString, Default: "", Doc: "Which of them the provider's name stands for; the first when left out.", Example: `"deepseek-v4-flash"`},
	{Path: "providers.<name>.api_key_env", Kind: KindString, Doc: `Variable of <home>/.env that holds the key; "" when the endpoint wants none.`, Example: `"DEEPSEEK_API_KEY"`},
	{Path: "providers.<name>.headers", Kind: KindMap, Doc: "Further request headers.", Example: `{ "X-Team" = "core" }`},
	{Path: "providers.<name>.extra_body", Kind: KindAny, Doc: "Further fields of the request body.", Example: `{ top_p = 0.9 }`},
	{Path: "providers.<name>.context_window", Kind: KindInt, Default: 0, Doc: "Context window in tokens; 0 turns compaction off.", Example: "1000000"},
	{Path: "providers.<name>.max_output_tokens", Kind: KindInt, Default: 0, Doc: "Limit of one reply in tokens; 0 sends none."},
	{Path: "providers.<name>.price.cache_hit", Kind: KindFloat, Default: 0.0, Doc: "Price of a million cached input tokens.", Example: "0.006"},
	{Path: "providers.<name>.price.input", Kind: KindFloat, Default: 0.0, Doc: "Price of a million input tokens.", Example: "0.3"},
	{Path: "providers.<name>.price.output", Kind: KindFloat, Default: 0.0, Doc: "Price of a million output tokens.", Example: "1.2"},
	{Path: "providers.<name>.price.currency", Kind: KindString, Default: "USD", Doc: "Currency of the prices."},
	{Path: "providers.<name>.prices.<model>.cache_hit", Kind: KindFloat, Default: 0.0, Doc: "Price of a million cached input tokens of one model.", Example: "0.006"},
	{Path: "providers.<name>.prices.<model>.input", Kind: KindFloat, Default: 0.0, Doc: "Price of a million input tokens of one model.", Example: "0.3"},
	{Path: "providers.<name>.prices.<model>.output", Kind: KindFloat, Default: 0.0, Doc: "Price of a million output tokens of one model.", Example: "1.2"},
	{Path: "providers.<name>.prices.<model>.currency", Kind: KindString, Default: "USD", Doc: "Currency of one model's prices."},
	{Path: "providers.<name>.reasoning_protocol", Kind: KindString, Default: "auto", Enum: protocols, Doc: "How reasoning is asked for and replayed; auto goes by the host."},
	{Path: "providers.<name>.effort", Kind: KindString, Default: "", Doc: "Reasoning effort to use, one of supported_efforts.", Example: `"high"`},
	{Path: "providers.<name>.supported_efforts", Kind: KindStrings, Doc: "Efforts that can be chosen.", Example: `["disabled", "low", "high", "max"]`},
	{Path: "providers.<name>.default_effort", Kind: KindString, Default: "", Doc: "The effort when none is chosen.", Example: `"high"`},
	{Path: "providers.<name>.vision", Kind: KindBool, Default: false, Doc: "Whether all models take images."},
	{Path: "providers.<name>.vision_models", Kind: KindStrings, Doc: "Or which of them do.", Example: `["model-with-eyes"]`},
	{Path: "providers.<name>.connect_timeout_seconds", Kind: KindFloat, Default: 0.0, Doc: "Limit for the connection; 0 is the kind's own."},
	{Path: "providers.<name>.first_byte_timeout_seconds", Kind: KindFloat, Default: 0.0, Doc: "Limit from the request to the reply's first byte; 0 is the kind's own."},
	{Path: "providers.<name>.idle_timeout_seconds", Kind: KindFloat, Default: 0.0, Doc: "Limit between two pieces of a reply; 0 is the kind's own."},
	{Path: "providers.<name>.model_overrides.<model>.context_window", Kind: KindInt, Default: 0, Doc: "Context window of one model; 0 inherits the provider's.", Example: "128000"},
	{Path: "providers.<name>.model_overrides.<model>.max_output_tokens", Kind: KindInt, Default: 0, Doc: "Limit of one reply of one model; 0 inherits.", Example: "8192"},
	{Path: "providers.<name>.model_overrides.<model>.reasoning_protocol", Kind: KindString, Default: "", Enum: protocols, Doc: "Reasoning protocol of one model.", Example: `"openai"`},
	{Path: "providers.<name>.model_overrides.<model>.effort", Kind: KindString, Default: "", Doc: "Reasoning effort of one model.", Example: `"low"`},
	{Path: "providers.<name>.model_overrides.<model>.supported_efforts", Kind: KindStrings, Doc: "Efforts of one model.", Example: `["low", "high"]`},
	{Path: "providers.<name>.model_overrides.<model>.default_effort", Kind: KindString, Default: "", Doc: "Default effort of one model.", Example: `"low"`},
	{Path: "providers.<name>.model_overrides.<model>.vision", Kind: KindBool, Doc: "Whether one model takes images.", Example: "true"},
}

var protocols = []string{"auto", "deepseek", "openai", "glm", "kimi", "plain"}

var environmentKeys = []Key{
	{Path: "environment.enabled", Kind: KindBool, Default: true, Doc: "Tell the model about OS, shell and tool versions."},
	{Path: "environment.tools", Kind: KindMap, IsPath: true, Widens: true, Doc: "Executables to name when PATH does not have them; those of a project or inside the workspace are listed, not run.", Example: `{ go = "/opt/homebrew/bin/go" }`},
}

var toolKeys = []Key{
	{Path: "tools.enabled", Kind: KindStrings, Widens: true, Doc: "Built-in tools to offer; empty: all.", Example: `["read_file", "grep", "ls"]`},
	{Path: "tools.bash_timeout_seconds", Kind: KindInt, Default: 120, Max: maxSeconds, Doc: "Limit of one foreground command; 0: none."},
	{Path: "tools.mcp_call_timeout_seconds", Kind: KindInt, Default: 300, Max: maxSeconds, Widens: true, Doc: "Limit of one MCP call without progress; 0: the default."},
	{Path: "tools.mcp_start_grace_seconds", Kind: KindInt, Default: 1, Max: 60, Widens: true, Doc: "How long the first prompt waits for MCP servers that are still starting."},
	{Path: "tools.mcp_schema_budget", Kind: KindInt, Default: 6000, Max: maxSeconds, Widens: true, Doc: "Tokens of MCP tool schemas; beyond it tools are listed by name and found with tool_search."},
	{Path: "tools.mcp_disabled", Kind: KindStrings, UserOnly: true, Doc: "Servers of projects that you have turned off: a directory and a name after its last slash, or a name alone for every directory.", Example: `["/home/you/project/docs"]`},
	{Path: "tools.shell.prefer", Kind: KindString, Default: "auto", Enum: []string{"auto", "bash", "powershell", "pwsh"}, Widens: true, Doc: "Interpreter of the shell tool."},
	{Path: "tools.shell.path", Kind: KindString, Default: "", IsPath: true, Widens: true, Doc: "Its executable, when it is not on PATH.", Example: `'C:\Program Files\PowerShell\7\pwsh.exe'`},
}

// maxSeconds keeps a duration in seconds inside what time.Duration can hold.
const maxSeconds = math.MaxInt32

var skillKeys = []Key{
	{Path: "skills.paths", Kind: KindStrings, IsPath: true, Accumulate: true, Widens: true, Doc: "Further directories with skills; a project may name some inside itself.", Example: `["~/my-skills"]`},
	{Path: "skills.excluded_paths", Kind: KindStrings, IsPath: true, Accumulate: true, Doc: "Directories to leave out.", Example: `["~/.agents/skills"]`},
	{Path: "skills.disabled_skills", Kind: KindStrings, Accumulate: true, Doc: "Skills hidden by name.", Example: `["review"]`},
}

var permissionKeys = []Key{
	{Path: "permissions.mode", Kind: KindString, Default: "ask", Enum: []string{"ask", "allow", "deny"}, Widens: true, Doc: "What happens to a call that writes when no rule matches."},
	{Path: "permissions.posture", Kind: KindString, Default: "ask", Enum: []string{"ask", "auto", "yolo"}, UserOnly: true, Doc: "How a session starts: ask, auto (writes without asking), yolo (everything but deny rules)."},
	{Path: "permissions.headless", Kind: KindString, Default: "allow", Enum: []string{"allow", "deny"}, UserOnly: true, Doc: "What a call that must be asked about becomes when nobody can be asked."},
	{Path: "permissions.allow", Kind: KindStrings, Accumulate: true, Widens: true, Doc: "Calls that run without asking; in a project file each rule is granted by itself.", Example: `["Bash(go test:*)", "Bash(git status:*)"]`},
	{Path: "permissions.ask", Kind: KindStrings, Accumulate: true, Doc: "Calls that are always asked about.", Example: `["Bash(git commit:*)"]`},
	{Path: "permissions.deny", Kind: KindStrings, Accumulate: true, Doc: "Calls that never run, in any posture.", Example: `["Bash(rm -rf*)", "Bash(git push*)"]`},
	{Path: "permissions.read_only_commands", Kind: KindBool, Default: true, Widens: true, Doc: "Shell commands that only read, such as ls and git status, run without asking where the mode is ask."},
}

var sandboxKeys = []Key{
	{Path: "sandbox.workspace_root", Kind: KindString, Default: "", IsPath: true, Widens: true, Doc: "Where sessions work and write; empty: the working directory.", Example: `"~/project"`},
	{Path: "sandbox.allow_write", Kind: KindStrings, IsPath: true, Accumulate: true, Widens: true, Doc: "Further directories that tools and commands may write to.", Example: `["/tmp"]`},
	{Path: "sandbox.forbid_read", Kind: KindStrings, IsPath: true, Accumulate: true, Doc: "What neither tools nor sandboxed commands may read: absolute paths, or with ~/ or a variable in front.", Example: `["${HOME}/.ssh"]`},
	{Path: "sandbox.bash", Kind: KindString, Default: "enforce", Enum: []string{"enforce", "off"}, Widens: true, Doc: "Whether commands run in the system's sandbox."},
	{Path: "sandbox.network", Kind: KindBool, Default: true, Widens: true, Doc: "Whether sandboxed commands reach the network."},
}

var serviceKeys = []Key{
	{Path: "serve.auth_mode", Kind: KindString, Default: "none", Enum: []string{"none", "token", "password"}, UserOnly: true, Later: true, Doc: "How the browser proves who it is; none is for loopback alone."},
	{Path: "serve.token", Kind: KindString, Default: "", UserOnly: true, Later: true, Secret: true, Doc: "Fixed token; empty: one is made at every start.", Example: `"a-long-random-text"`},
	{Path: "serve.password_hash", Kind: KindString, Default: "", UserOnly: true, Later: true, Secret: true, Doc: "bcrypt hash of the password.", Example: `'$2a$10$...'`},
	{Path: "serve.behind_proxy", Kind: KindBool, Default: false, UserOnly: true, Later: true, Doc: "Believe X-Forwarded-* of a trusted reverse proxy."},
	{Path: "secrets.from_env", Kind: KindBool, Default: false, UserOnly: true, FileOnly: true, Doc: "Also take provider keys from exported variables, for CI."},
	{Path: "notifications.enabled", Kind: KindBool, Default: false, UserOnly: true, Later: true, Doc: "Notifications of the operating system."},
	{Path: "bot.max_steps", Kind: KindInt, Default: 0, UserOnly: true, Later: true, Doc: "Model replies with calls in one unattended run; 0: no limit."},
}

var pluginKeys = []Key{
	{Path: "plugins.<name>.name", Kind: KindString, Doc: "Name of an MCP server; its tools are mcp__<name>__<tool>.", Example: `"example"`},
	{Path: "plugins.<name>.type", Kind: KindString, Default: "stdio", Enum: []string{"stdio", "http", "streamable-http", "sse"}, Doc: "How it is reached; http, unless set, where there is only a url. streamable-http is another word for http, and sse is deprecated."},
	{Path: "plugins.<name>.command", Kind: KindString, Default: "", Doc: "Program of a stdio server; ${VAR} and ${VAR:-default} are expanded here and in args, env, url and headers.", Example: `"reasonix-plugin-example"`},
	{Path: "plugins.<name>.args", Kind: KindStrings, Doc: "Its arguments.", Example: `["--verbose"]`},
	{Path: "plugins.<name>.env", Kind: KindMap, Doc: "Its environment.", Example: `{ FOO = "bar" }`},
	{Path: "plugins.<name>.url", Kind: KindString, Default: "", Doc: "Address of a remote server.", Example: `"https://mcp.example.com"`},
	{Path: "plugins.<name>.headers", Kind: KindMap, Doc: "Headers of its requests.", Example: `{ Authorization = "Bearer ${EXAMPLE_KEY}" }`},
	{Path: "plugins.<name>.headers_helper", Kind: KindString, Default: "", Doc: "Command that prints further headers as a JSON object; runs in a shell, as a hook would.", Example: `"get-token --json"`},
	{Path: "plugins.<name>.enabled", Kind: KindBool, Default: true, Doc: "Whether it is started."},
	{Path: "plugins.<name>.sandbox", Kind: KindBool, Default: true, UserOnly: true, Doc: "Whether a stdio server runs in the system's sandbox; one of a project always does."},
	{Path: "plugins.<name>.sampling", Kind: KindBool, Default: false, UserOnly: true, Doc: "Whether it may ask your model, at your cost."},
	{Path: "plugins.<name>.protocol_version", Kind: KindString, Default: "", Doc: "Version of the protocol to offer; empty: the newest.", Example: `"2025-06-18"`},
	{Path: "plugins.<name>.start_timeout_seconds", Kind: KindInt, Default: 0, Max: maxSeconds, Doc: "How long it may take to start; 0: 30."},
	{Path: "plugins.<name>.call_timeout_seconds", Kind: KindInt, Default: 0, Max: maxSeconds, Doc: "Limit of one call; 0: tools.mcp_call_timeout_seconds."},
	{Path: "plugins.<name>.tool_timeout_seconds", Kind: KindIntMap, Max: maxSeconds, Doc: "Limit by tool.", Example: `{ generate_video = 1800 }`},
	{Path: "plugins.<name>.trusted_read_only_tools", Kind: KindStrings, Doc: "Tools you have checked to be read-only.", Example: `["search"]`},
	{Path: "plugins.<name>.default_tools_approval_mode", Kind: KindString, Default: "", Enum: approvals, Doc: "How its calls are approved; empty: approve for your own servers, auto for a project's.", Example: `"auto"`},
	{Path: "plugins.<name>.tools.<tool>.approval_mode", Kind: KindString, Default: "", Enum: approvals, Doc: "How calls of one tool are approved.", Example: `"prompt"`},
	{Path: "plugins.<name>.approvals_reviewer", Kind: KindString, Default: "user", Enum: []string{"user", "auto_review"}, Doc: "Who is asked: you, or a model that reviews (agent.guardian_model)."},
	{Path: "plugins.<name>.oauth.grant", Kind: KindString, Default: "authorization_code", Enum: []string{"authorization_code", "client_credentials", "cross_app_access"}, Doc: "How a login is had: by a person in a browser, by the client itself, or by an ID token of your organisation."},
	{Path: "plugins.<name>.oauth.issuer", Kind: KindString, Default: "", Doc: "The only authorization server that gets the client's credentials; empty: the one that the server names.", Example: `"https://auth.example.com"`},
	{Path: "plugins.<name>.oauth.client_id", Kind: KindString, Default: "", Doc: "Registered client of a remote server; empty: one is registered when you log in.", Example: `"my-client"`},
	{Path: "plugins.<name>.oauth.client_secret_env", Kind: KindString, Default: "", Doc: "Variable that holds the client's secret.", Example: `"EXAMPLE_CLIENT_SECRET"`},
	{Path: "plugins.<name>.oauth.private_key_env", Kind: KindString, Default: "", Doc: "Variable that holds the client's private key in PEM, instead of a secret; not for authorization_code.", Example: `"EXAMPLE_PRIVATE_KEY"`},
	{Path: "plugins.<name>.oauth.private_key_file", Kind: KindString, Default: "", IsPath: true, UserOnly: true, Doc: "File that holds it.", Example: `"~/keys/example.pem"`},
	{Path: "plugins.<name>.oauth.key_id", Kind: KindString, Default: "", Doc: "What the authorization server knows that key by, where it wants to be told.", Example: `"2026-01"`},
	{Path: "plugins.<name>.oauth.signing_algorithm", Kind: KindString, Default: "", Enum: []string{"ES256", "ES384", "ES512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "EdDSA"}, Doc: "What is signed with; empty: what fits the key (RS256 for RSA).", Example: `"PS256"`},
	{Path: "plugins.<name>.oauth.idp_issuer", Kind: KindString, Default: "", UserOnly: true, Doc: "Identity provider of your organisation, for cross_app_access.", Example: `"https://login.example.com"`},
	{Path: "plugins.<name>.oauth.idp_client_id", Kind: KindString, Default: "", UserOnly: true, Doc: "Client that is registered there.", Example: `"my-idp-client"`},
	{Path: "plugins.<name>.oauth.idp_client_secret_env", Kind: KindString, Default: "", UserOnly: true, Doc: "Variable that holds that client's secret, where it has one.", Example: `"EXAMPLE_IDP_SECRET"`},
	{Path: "plugins.<name>.oauth.id_token_env", Kind: KindString, Default: "", UserOnly: true, Doc: "Variable that holds your ID token of it.", Example: `"EXAMPLE_ID_TOKEN"`},
	{Path: "plugins.<name>.oauth.id_token_file", Kind: KindString, Default: "", IsPath: true, UserOnly: true, Doc: "File that holds your ID token; it is read anew whenever a token is needed.", Example: `"~/.cache/sso/id_token"`},
	{Path: "plugins.<name>.oauth.scopes", Kind: KindStrings, Doc: "What to ask for; empty: what the server names.", Example: `["read"]`},
	{Path: "plugins.<name>.oauth.callback_port", Kind: KindInt, Default: 0, Max: 65535, Doc: "Port of the address the browser comes back to; 0: a free one."},
}

var approvals = []string{"auto", "prompt", "writes", "approve"}

var hookKeys = []Key{
	{Path: "hooks.<name>.name", Kind: KindString, Doc: "Name of a hook, to refer to it.", Example: `"format"`},
	{Path: "hooks.<name>.event", Kind: KindString, Default: "", Enum: hookEvents, Doc: "What it runs at.", Example: `"PostToolUse"`},
	{Path: "hooks.<name>.match", Kind: KindString, Default: "", Doc: "Regular expression that a tool's whole name matches; empty: every tool.", Example: `"edit_file|write_file"`},
	{Path: "hooks.<name>.command", Kind: KindString, Default: "", Doc: "What runs, in a shell, with the event as JSON on its standard input.", Example: `"gofmt -w ."`},
	{Path: "hooks.<name>.description", Kind: KindString, Default: "", Doc: "What it is for.", Example: `"keep the code formatted"`},
	{Path: "hooks.<name>.timeout_seconds", Kind: KindInt, Default: 0, Max: maxSeconds, Doc: "How long it may take; 0: 5 where it can block, else 30."},
	{Path: "hooks.<name>.dir", Kind: KindString, Default: "", IsPath: true, Doc: "Where it runs; empty: the working directory.", Example: `"~/project"`},
}

// hookEvents are the events of a hook. Stop is another word for TurnEnd; those of
// deadEvents never happen.
var hookEvents = slices.Concat([]string{
	"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PermissionRequest", "PreCompact",
	"TurnEnd", "SessionEnd", "Notification", "SubagentStop", "Stop",
}, deadEvents)

var deadEvents = []string{"PostToolUseFailure", "PostLLMCall", "SubagentStart"}
