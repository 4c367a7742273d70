// Package provider is model endpoints: the Provider interface, the registry of
// kinds, the wire buffer that keeps a conversation encoded, and what an endpoint
// can do wrong. It knows no vendor; the packages below it register themselves.
// The agent streams from a Provider and decides about retries.
package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sort"
	"strings"
	"sync"
	"time"

	"reasonix/core/message"
)

// Config is one resolved provider instance with one model.
type Config struct {
	Name    string // instance name, e.g. "deepseek"
	BaseURL string
	Model   string
	APIKey  string // empty: no Authorization header
	Options Options
	Extra   map[string]any // what only one kind understands
	HTTP    *http.Client   // nil: a client of the provider's own
	// Blob returns an attachment's bytes by content hash.
	Blob func(hash string) ([]byte, error)
}

// Options are the settings every HTTP kind shares.
type Options struct {
	ChatURL           string // full chat request URL instead of BaseURL + path
	ModelsURL         string
	Headers           map[string]string
	ExtraBody         map[string]any
	MaxOutputTokens   int
	Temperature       *float64
	ReasoningProtocol string // auto, deepseek, openai, glm, kimi, plain
	Effort            string // resolved; empty: not sent
	Vision            bool
	Connect           time.Duration // 0: the kind's default
	FirstByte         time.Duration
	Idle              time.Duration
}

// Request carries the conversation twice on purpose: Messages for anyone, Wire
// for the provider that encoded it. A nil Wire is encoded from Messages.
type Request struct {
	Messages  []message.Message
	Wire      *Wire
	Tools     []message.ToolSchema
	MaxTokens int
}

// ChunkType says what a Chunk carries.
type ChunkType int

// The chunk types. A stream is any number of the first five, then exactly one
// Done or Error.
const (
	ChunkText ChunkType = iota
	ChunkReasoning
	ChunkProgress // a call is being written
	ChunkCall     // one whole call
	ChunkNotice   // the provider adapted itself and says so once
	ChunkDone
	ChunkError
)

// Chunk is one piece of a reply.
type Chunk struct {
	Type      ChunkType
	Text      string             // text, or reasoning for people
	Reasoning *message.Reasoning // on Done-adjacent reasoning chunks: the replayable part
	Call      *message.ToolCall
	Progress  *CallProgress
	Notice    *Notice
	Finish    Finish // on Done
	Usage     *message.Usage
	Err       error // on Error; a *Failure when the endpoint or network is to blame
}

// CallProgress is a call that is still being written.
type CallProgress struct {
	Index, Bytes int
	Name         string
}

// Notice is something the user should be told once.
type Notice struct {
	Code string
	Args []string
	Text string
}

// Finish says how a complete stream ended.
type Finish string

// The ways a stream that was not cut can end.
const (
	FinishStop    Finish = "stop"    // also when calls are there
	FinishLength  Finish = "length"  // the endpoint's output limit
	FinishRefusal Finish = "refusal" // refused by the model or a content filter
)

// Phases of a request that can fail.
const (
	PhaseConnect   = "connect"
	PhaseFirstByte = "first_byte"
	PhaseStream    = "stream"
)

// Kinds of failure.
const (
	KindAuth        = "auth"         // 401, 403
	KindRequest     = "request"      // other 4xx
	KindContext     = "context"      // the prompt does not fit
	KindRateLimit   = "rate_limit"   // 429
	KindOverloaded  = "overloaded"   // 5xx, 408, 409, 425, vendor codes
	KindConnection  = "connection"   // DNS, TCP, TLS, reset
	KindCut         = "cut"          // the stream ended before its end
	KindStalled     = "stalled"      // a time limit ran out
	KindNotAStream  = "not_a_stream" // HTML, an empty body, garbage
	KindEmptyReply  = "empty_reply"
	KindServerError = "server_error" // an error object in the stream
)

// Failure is what an endpoint or the network did wrong. Text is one line without
// secrets; the agent decides whether to try again.
type Failure struct {
	Kind, Phase string
	Provider    string
	Text        string
	Status      int           // HTTP
	After       time.Duration // Retry-After
	Retryable   bool
	Err         error
}

func (f *Failure) Error() string {
	var b strings.Builder
	b.WriteString(f.Provider)
	if f.Status != 0 {
		fmt.Fprintf(&b, ": HTTP %d", f.Status)
	}
	if f.Text != "" {
		b.WriteString(": " + f.Text)
	} else if f.Err != nil {
		b.WriteString(": " + f.Err.Error())
	}
	return b.String()
}

func (f *Failure) Unwrap() error { return f.Err }

// Provider is one endpoint with one model. It is safe for concurrent use.
type Provider interface {
	Encoder
	Name() string
	// Stream sends req and returns its reply. The channel carries text, reasoning
	// and whole calls, then exactly one Done or Error, and is closed by the
	// provider. Cancelling ctx ends it within 100 ms; nobody has to drain it.
	// Chunks merge what one read delivered.
	Stream(ctx context.Context, req Request) (<-chan Chunk, error)
}

// Encoder turns the messages added since the last request into wire bytes, once.
// A batch is one or more whole messages; dst grows by their encoding, with the
// separators that make the concatenation of batches valid.
type Encoder interface {
	Encode(dst []byte, batch []message.Message) ([]byte, error)
}

// Lister is a provider that can list its endpoint's models.
type Lister interface {
	Models(ctx context.Context) ([]string, error)
}

// DefaultTries is how often a request is sent in total, the first one included.
const DefaultTries = 5

// Factory builds a Provider from a resolved instance.
type Factory func(cfg Config) (Provider, error)

var registry struct {
	sync.RWMutex
	kinds map[string]Factory
}

// Register adds a kind. It is called from the init of the package that
// implements it and panics on a duplicate.
func Register(kind string, f Factory) {
	registry.Lock()
	defer registry.Unlock()
	if registry.kinds == nil {
		registry.kinds = map[string]Factory{}
	}
	if _, dup := registry.kinds[kind]; dup {
		panic("provider: kind registered twice: " + kind)
	}
	registry.kinds[kind] = f
}

// New instantiates a provider of the given kind.
func New(kind string, cfg Config) (Provider, error) {
	registry.RLock()
	f, ok := registry.kinds[kind]
	registry.RUnlock()
	if !ok {
		return nil, fmt.Errorf("provider %s: unknown kind %q (known: %s)", cfg.Name, kind, strings.Join(Kinds(), ", "))
	}
	return f(cfg)
}

// Kinds lists the registered kinds, sorted.
func Kinds() []string {
	registry.RLock()
	defer registry.RUnlock()
	names := make([]string, 0, len(registry.kinds))
	for k := range registry.kinds {
		names = append(names, k)
	}
	sort.Strings(names)
	return names
}

// ValidArguments returns args as the text of a JSON object: "{}" for blank or
// null, ok false when it is anything else than an object.
func ValidArguments(args string) (string, bool) {
	trimmed := strings.TrimSpace(args)
	if trimmed == "" || trimmed == "null" {
		return "{}", true
	}
	if trimmed[0] != '{' || !json.Valid([]byte(trimmed)) {
		return args, false
	}
	return args, true
}
