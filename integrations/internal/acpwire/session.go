package acpwire

// Initialize is the params of initialize, as far as they are read.
type Initialize struct {
	ClientCapabilities struct {
		ClientCapabilities
		Auth struct {
			Terminal bool `json:"terminal"` // it can start us in a terminal
		} `json:"auth"`
	} `json:"clientCapabilities"`
	ClientInfo Implementation `json:"clientInfo"`
}

// SessionCapabilities says which methods of sessions there are.
type SessionCapabilities struct {
	List   *struct{} `json:"list,omitempty"`
	Resume *struct{} `json:"resume,omitempty"`
	Close  *struct{} `json:"close,omitempty"`
	Delete *struct{} `json:"delete,omitempty"`
}

// OpenSession is the params of session/new, session/load and session/resume.
type OpenSession struct {
	SessionID  string      `json:"sessionId"`
	Cwd        string      `json:"cwd"`
	MCPServers []MCPServer `json:"mcpServers"`
	AddDirs    []string    `json:"additionalDirectories"`
	Meta       struct {
		Relocate bool `json:"relocate"` // the session goes on in Cwd from now on
	} `json:"_meta"`
}

// MCPServer is a server that a client brings along.
type MCPServer struct {
	Type    string   `json:"type"` // stdio (default), http, sse
	Name    string   `json:"name"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Env     Pairs    `json:"env"`
	URL     string   `json:"url"`
	Headers Pairs    `json:"headers"`
}

// OpenedSession answers session/new, session/load and session/resume, and our fork.
type OpenedSession struct {
	SessionID     string         `json:"sessionId,omitzero"` // not of load and resume
	Models        *Models        `json:"models,omitzero"`    // of before version 1 was stable
	Modes         *Modes         `json:"modes,omitzero"`
	ConfigOptions []ConfigOption `json:"configOptions,omitzero"`
	Meta          map[string]any `json:"_meta,omitzero"`
}

// Models is what older clients choose a model from.
type Models struct {
	Available []Model `json:"availableModels"`
	Current   string  `json:"currentModelId"`
}

// Model is one of Models.
type Model struct {
	ID          string `json:"modelId"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
}

// Modes are the modes of a session.
type Modes struct {
	Current   string       `json:"currentModeId"`
	Available []ModeChoice `json:"availableModes"`
}

// ModeChoice is one of Modes.
type ModeChoice struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
}

// ConfigOption is something of a session that a client can choose.
type ConfigOption struct {
	Type        string         `json:"type"` // select
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Category    string         `json:"category,omitzero"`
	Current     string         `json:"currentValue"`
	Options     []ConfigChoice `json:"options"`
	Meta        map[string]any `json:"_meta,omitzero"`
}

// ConfigChoice is one value of an option.
type ConfigChoice struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
}

// SetConfigOption is the params of session/set_config_option.
type SetConfigOption struct {
	SessionID string `json:"sessionId"`
	ConfigID  string `json:"configId"`
	Value     string `json:"value"`
}

// ConfigOptions answers it.
type ConfigOptions struct {
	ConfigOptions []ConfigOption `json:"configOptions"`
	Meta          map[string]any `json:"_meta,omitzero"`
}

// SetMode is the params of session/set_mode.
type SetMode struct {
	SessionID string `json:"sessionId"`
	ModeID    string `json:"modeId"`
}

// SetModel is the params of session/set_model, which older clients send.
type SetModel struct {
	SessionID string `json:"sessionId"`
	ModelID   string `json:"modelId"`
}

// OfSession is the params of methods that are about a session and nothing more.
type OfSession struct {
	SessionID string `json:"sessionId"`
}

// ListSessions is the params of session/list.
type ListSessions struct {
	Cwd    string `json:"cwd"`
	Cursor string `json:"cursor"`
}

// SessionList answers session/list.
type SessionList struct {
	Sessions   []ListedSession `json:"sessions"`
	NextCursor string          `json:"nextCursor,omitzero"`
}

// ListedSession is one entry of it.
type ListedSession struct {
	SessionID string         `json:"sessionId"`
	Cwd       string         `json:"cwd"`
	Title     string         `json:"title,omitzero"`
	UpdatedAt string         `json:"updatedAt,omitzero"` // RFC 3339
	Meta      map[string]any `json:"_meta,omitzero"`
}
