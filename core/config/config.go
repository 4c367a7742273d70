package config

// Config is everything reasonix was told. It does not change after Load, so it
// may be read from any goroutine; what it hands out must not be modified. The
// doc of each field is in the key table.
type Config struct {
	DefaultModel  string        `toml:"default_model"`
	Language      string        `toml:"language"`
	UI            UI            `toml:"ui"`
	Agent         Agent         `toml:"agent"`
	Providers     []Provider    `toml:"providers"`
	Environment   Environment   `toml:"environment"`
	Tools         Tools         `toml:"tools"`
	Skills        Skills        `toml:"skills"`
	Permissions   Permissions   `toml:"permissions"`
	Sandbox       Sandbox       `toml:"sandbox"`
	Serve         Serve         `toml:"serve"`
	Secrets       Secrets       `toml:"secrets"`
	Notifications Notifications `toml:"notifications"`
	Bot           Bot           `toml:"bot"`
	Plugins       []Plugin      `toml:"plugins"`
	Hooks         []Hook        `toml:"hooks"`

	// Warnings are what the user should be told and what stops nothing.
	Warnings []Warning `toml:"-"`
	// Granted and Ungranted are the parts of the project's files that widen: those
	// that count because the user granted them, and those that are off.
	Granted, Ungranted []Part `toml:"-"`
	// UserFile, ProjectFile and EnvFile are absolute paths; the files need not
	// exist.
	UserFile, ProjectFile, EnvFile string `toml:"-"`

	origins      map[string][]Origin
	names        map[string][]string // canonical path -> segments, for masking
	secrets      secrets
	presetHidden bool // the user's own providers took the preset's place
	workspace    string
	environ      map[string]string // of the process
	project      projectEnv        // the workspace's .env
	jsonLines    map[string]int    // of the servers that .mcp.json declares
}

// UI is how the terminal looks.
type UI struct {
	ShortcutLayout string `toml:"shortcut_layout"`
	CursorShape    string `toml:"cursor_shape"`
}

// Agent is how the loop thinks: prompts, the models of its helpers, the limits
// of its context.
type Agent struct {
	SystemPrompt           string            `toml:"system_prompt"`
	SystemPromptFile       string            `toml:"system_prompt_file"` // absolute
	Temperature            *float64          `toml:"temperature"`        // nil: not sent
	ReasoningLanguage      string            `toml:"reasoning_language"`
	WorkMode               string            `toml:"work_mode"` // economy, balanced
	PlannerModel           string            `toml:"planner_model"`
	GuardianModel          string            `toml:"guardian_model"`
	SubagentModel          string            `toml:"subagent_model"`
	SubagentEffort         string            `toml:"subagent_effort"`
	SubagentModels         map[string]string `toml:"subagent_models"`
	SubagentEfforts        map[string]string `toml:"subagent_efforts"`
	CompactSoftRatio       float64           `toml:"compact_soft_ratio"`
	ToolResultSnipRatio    float64           `toml:"tool_result_snip_ratio"`
	CompactRatio           float64           `toml:"compact_ratio"`
	CompactForceRatio      float64           `toml:"compact_force_ratio"`
	CompactTailTurns       int               `toml:"compact_tail_turns"`
	CompactTailRatio       float64           `toml:"compact_tail_ratio"`
	CompactPinTokens       int               `toml:"compact_pin_tokens"` // of one user turn
	CompactMinGain         float64           `toml:"compact_min_gain"`
	MaxSubagentConcurrency int               `toml:"max_subagent_concurrency"`
	MaxParallelWriters     int               `toml:"max_parallel_writers"`
	PlanModeAllowedTools   []string          `toml:"plan_mode_allowed_tools"`

	// Retired: parsed, without effect.
	PlanModeReadOnlyCommands []string `toml:"plan_mode_read_only_commands"`
	MaxSteps                 int      `toml:"max_steps"`
	PlannerMaxSteps          int      `toml:"planner_max_steps"`
}

// Environment is the summary of the machine in the prompt.
type Environment struct {
	Enabled bool              `toml:"enabled"`
	Tools   map[string]string `toml:"tools"` // name -> absolute path
}

// Tools are the built-in tools and their limits.
type Tools struct {
	Enabled               []string `toml:"enabled"` // empty: all
	BashTimeoutSeconds    int      `toml:"bash_timeout_seconds"`
	MCPCallTimeoutSeconds int      `toml:"mcp_call_timeout_seconds"` // 0: 300
	MCPStartGraceSeconds  int      `toml:"mcp_start_grace_seconds"`
	MCPSchemaBudget       int      `toml:"mcp_schema_budget"` // tokens
	MCPDisabled           []string `toml:"mcp_disabled"`      // see Config.ServerOff
	Shell                 Shell    `toml:"shell"`
}

// Shell picks the interpreter of the shell tool.
type Shell struct {
	Prefer string `toml:"prefer"`
	Path   string `toml:"path"` // absolute, or a name to look up
}

// Skills says where skills are looked for.
type Skills struct {
	Paths          []string `toml:"paths"`
	ExcludedPaths  []string `toml:"excluded_paths"`
	DisabledSkills []string `toml:"disabled_skills"`
}

// Permissions are the rules of every call.
type Permissions struct {
	Mode     string   `toml:"mode"`
	Posture  string   `toml:"posture"`
	Headless string   `toml:"headless"`
	Allow    []string `toml:"allow"`
	Ask      []string `toml:"ask"`
	Deny     []string `toml:"deny"`

	ReadOnlyCommands bool `toml:"read_only_commands"`
}

// Sandbox is what commands and file tools can reach. Paths are absolute.
type Sandbox struct {
	WorkspaceRoot string   `toml:"workspace_root"`
	AllowWrite    []string `toml:"allow_write"`
	ForbidRead    []string `toml:"forbid_read"`
	Bash          string   `toml:"bash"`
	Network       bool     `toml:"network"`
}

// Serve is the browser front end.
type Serve struct {
	AuthMode     string `toml:"auth_mode"`
	Token        string `toml:"token"`
	PasswordHash string `toml:"password_hash"`
	BehindProxy  bool   `toml:"behind_proxy"`
}

// Secrets says where provider keys may come from.
type Secrets struct {
	FromEnv bool `toml:"from_env"`
}

// Notifications are those of the operating system.
type Notifications struct {
	Enabled bool `toml:"enabled"`
}

// Bot is unattended execution.
type Bot struct {
	MaxSteps int `toml:"max_steps"` // 0: no limit
}
