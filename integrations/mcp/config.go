package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"reasonix/core/event"
	"reasonix/sandbox"
)

// Transports (Config.Type).
const (
	TypeStdio = "stdio"
	TypeHTTP  = "http" // Streamable HTTP
	TypeSSE   = "sse"  // HTTP with server-sent events, of 2024-11-05: deprecated
)

// What holds where a Config or a World says nothing.
const (
	DefaultStartTimeout = 30 * time.Second
	DefaultCallTimeout  = 300 * time.Second
	DefaultBudget       = 6000  // tokens
	DefaultOutputCap    = 16000 // bytes
	// DefaultProtocol is offered at the handshake. Later revisions begin with a
	// request that some servers never answer.
	DefaultProtocol = "2025-11-25"
)

// Config is one server, with every variable expanded.
type Config struct {
	Name    string
	Type    string // TypeStdio, TypeHTTP or TypeSSE; empty: by whether there is a Command
	Command string
	Args    []string
	Env     map[string]string // on top of World.Environ
	Dir     string            // where the process starts, absolute; empty: the workspace
	URL     string
	Headers map[string]string // sent to URL's own host only
	// HeadersHelper is a shell command that prints a JSON object of more headers;
	// it runs before every connect, as the Runner of the server does.
	HeadersHelper string
	StartTimeout  time.Duration            // 0: DefaultStartTimeout
	CallTimeout   time.Duration            // without progress; 0: World.CallTimeout
	ToolTimeouts  map[string]time.Duration // by raw name; 0: CallTimeout

	FromProject bool // declared by the workspace, not by its user
	Sandboxed   bool
	Sampling    bool // the server may ask the session's model
	// ProtocolVersion is offered at the handshake; empty: DefaultProtocol.
	ProtocolVersion string
	TrustedReadOnly []string // raw or full names of tools that somebody has looked at
	OAuth           OAuthConfig
	// Identity tells this declaration from another under the same name; the schema
	// cache of another identity is not used, and neither are the state directory and
	// the log of another one that a project declares. Empty: made of the other fields
	// and, for a project's, of the workspace.
	Identity string
}

// World is what the servers of a session share. Emit, Ask and Sample are called
// from several goroutines; everything is optional but Workspace and, for servers
// that are processes, Runner.
type World struct {
	Workspace string // absolute
	// Names are those of all configured servers, also of the ones that are not
	// started: off, broken or not trusted. What a server's tools and files are called
	// depends on them and not on which servers a run has.
	Names []string
	// Own are those of them that the user declares, whether or not the workspace has a
	// hand in them too. They are given out first: nothing that the workspace declares
	// changes what the tools of these are called, and with that which rules they meet.
	// nil: all but those of servers that come with Config.FromProject.
	Own      []string
	Roots    []string // absolute, told to servers; empty: the Workspace
	Environ  []string // of processes, secrets already removed
	StateDir string   // a directory for each server below it is its own to write; see Config.Identity
	CacheDir string   // lists of tools and prompts between sessions
	LogDir   string   // a bounded file for each server

	// Runner runs a server's process, and its headers helper; Set.Close leaves it
	// open. Hold is the Cmd with what confines it, and Env when it is not Environ.
	Runner func(c Config) sandbox.Runner
	Hold   func(c Config) sandbox.Cmd

	// Ask puts a server's question to the user; nil: no server may ask.
	Ask func(ctx context.Context, q event.Question) (event.Answer, error)
	// Emit takes events: ServerChanged, ToolProgress, Notice.
	Emit func(event.Payload) error
	// Sample answers a server that may ask the model; nil: none may.
	Sample func(ctx context.Context, r SampleRequest) (SampleReply, error)
	// Authorize makes what authorizes requests to a Streamable HTTP server that no
	// header of its configuration authorizes; nil: nothing does. A nil handler too.
	Authorize func(c Config, client *http.Client) (auth.OAuthHandler, error)
	HTTP      *http.Client // its Transport is used; nil: the standard one
	// Open shows an address that a person agreed to open, without waiting; nil: they
	// see it in the question.
	Open    func(url string) error
	Now     func() time.Time // nil: time.Now
	Version string           // of this program, told to servers

	CallTimeout time.Duration // 0: DefaultCallTimeout
	// Budget is how many tokens the schemas of all servers may take before they are
	// left out for tool_search; 0: DefaultBudget, negative: any number.
	Budget    int
	OutputCap int // bytes of a result the model sees; 0: DefaultOutputCap
	// Grace is how long a server may take to leave when its input ends; 0: a second.
	Grace time.Duration
}

func (w World) now() time.Time {
	if w.Now == nil {
		return time.Now()
	}
	return w.Now()
}

func (c Config) kind() string {
	switch {
	case c.Type != "":
		return c.Type
	case c.Command != "":
		return TypeStdio
	}
	return TypeHTTP
}

func (c Config) protocol() string {
	if c.ProtocolVersion == "" {
		return DefaultProtocol
	}
	return c.ProtocolVersion
}

func (c Config) startTimeout() time.Duration {
	return first(c.StartTimeout, DefaultStartTimeout)
}

func (c Config) callTimeout(w World, raw string) time.Duration {
	return first(c.ToolTimeouts[raw], c.CallTimeout, w.CallTimeout, DefaultCallTimeout)
}

func (c Config) trusts(raw, full string) bool {
	return slices.Contains(c.TrustedReadOnly, raw) || slices.Contains(c.TrustedReadOnly, full)
}

// identity is a short hash that a file name can hold.
func (c Config) identity(w World) string {
	id := c.Identity
	if id == "" {
		names := func(m map[string]string) (keys []string) {
			for k := range m {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			return keys
		}
		data, _ := json.Marshal([]any{c.kind(), c.Command, c.Args, names(c.Env), c.URL, names(c.Headers), c.FromProject})
		id = string(data)
		if c.FromProject {
			id += w.Workspace
		}
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:8])
}

// first returns the first duration that is set.
func first(ds ...time.Duration) time.Duration {
	for _, d := range ds {
		if d > 0 {
			return d
		}
	}
	return 0
}
