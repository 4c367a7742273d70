package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"reasonix/core/event"
	"reasonix/integrations/mcp/shape"
)

const defaultGrace = time.Second

// Set is the servers of one session. It is safe for concurrent use.
type Set struct {
	world   World
	life    context.Context // of everything that is started
	end     context.CancelFunc
	running sync.WaitGroup
	bell    *bell

	adding  sync.Mutex // held by Add; taken before mu
	mu      sync.Mutex
	servers []*server // by name
	closed  bool
	fixed   *fixed // what the model is told; nil before the first Tools
}

// A State is what is known of one server.
type State struct {
	Name     string
	State    string // as event.ServerChanged
	Detail   string // of a failure, with the end of its standard error
	Protocol string // revision agreed on
	Log      string // path of its log; empty: none

	Tools, Prompts       int
	Resources, Templates int
	Tokens               int               // what its tools add to a prompt when none is left out
	Noise                int               // lines of its standard output that were no messages
	Renamed              map[string]string // raw name to what the model knows, where they differ
	Dropped              []Dropped         // tools that cannot be offered
}

// Dropped is a tool that cannot be offered, and why.
type Dropped struct{ Tool, Why string }

// Start starts the servers, all at once, and returns without waiting for any.
// Close must be called.
func Start(w World, servers []Config) *Set {
	set := &Set{world: w}
	set.life, set.end = context.WithCancel(context.Background())
	set.bell = newBell(w.Emit)
	go set.bell.run()
	servers = slices.Clone(servers)
	slices.SortStableFunc(servers, func(a, b Config) int { return strings.Compare(a.Name, b.Name) })
	parts := w.parts(servers)
	for i, c := range servers {
		if i > 0 && c.Name == servers[i-1].Name {
			set.warn("mcp.twice", []string{c.Name}, fmt.Sprintf("MCP server %s is declared twice; the first one counts", c.Name))
			continue
		}
		set.servers = append(set.servers, newServer(set, c, parts[c.Name]))
	}
	for _, s := range set.servers {
		set.launch(s)
	}
	return set
}

func (set *Set) launch(s *server) {
	if s.cfg.kind() == TypeSSE {
		set.warn("mcp.sse", []string{s.cfg.Name}, fmt.Sprintf(
			"MCP server %s uses the transport sse, which is deprecated; ask for its Streamable HTTP address (type http)", s.cfg.Name))
	}
	_, _, _ = s.begin()
}

// Add starts one more server. What it offers is found by name from then on, and is
// in Tools after Refresh.
func (set *Set) Add(c Config) error {
	set.adding.Lock()
	defer set.adding.Unlock()
	servers, taken := []Config{c}, map[string]bool{}
	for _, s := range set.all() {
		if s.cfg.Name == c.Name {
			return fmt.Errorf("add MCP server %s: there is one of that name", c.Name)
		}
		servers = append(servers, s.cfg)
		taken[s.part] = true
	}
	part := set.world.parts(servers)[c.Name]
	if taken[part] { // the other one would have been named differently, had both been there
		part = part[:min(len(part), 20)] + "_" + c.identity(set.world)[:8]
	}
	s := newServer(set, c, part) // which reads a file
	set.mu.Lock()
	defer set.mu.Unlock()
	if set.closed {
		return fmt.Errorf("add MCP server %s: %w", c.Name, errClosed)
	}
	at, _ := slices.BinarySearchFunc(set.servers, c.Name, func(s *server, name string) int {
		return strings.Compare(s.cfg.Name, name)
	})
	set.servers = slices.Insert(slices.Clone(set.servers), at, s)
	set.launch(s)
	return nil
}

// all is the servers, by name; the caller does not change it.
func (set *Set) all() []*server {
	set.mu.Lock()
	defer set.mu.Unlock()
	return set.servers
}

func (set *Set) server(name string) (*server, error) {
	for _, s := range set.all() {
		if s.cfg.Name == name {
			return s, nil
		}
	}
	return nil, fmt.Errorf("there is no MCP server %q in this session", name)
}

// Named lists the servers that are there or on their way, by name: all that are
// neither stopped nor failed.
func (set *Set) Named() []string {
	var names []string
	for _, s := range set.all() {
		s.mu.Lock()
		if s.state != event.ServerStopped && s.state != event.ServerFailed {
			names = append(names, s.cfg.Name)
		}
		s.mu.Unlock()
	}
	return names
}

// Wait waits until every server is ready, has failed or is known from an earlier
// session, but no longer than grace.
func (set *Set) Wait(ctx context.Context, grace time.Duration) {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	for _, s := range set.all() {
		done, ok := s.settled()
		if ok {
			continue
		}
		select {
		case <-done:
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Listed waits until the prompts and resources were listed that a server which is there
// is asked for now. They are asked for when it is ready, and waited for by nobody else.
func (set *Set) Listed(ctx context.Context, name string) {
	s, err := set.server(name)
	if err != nil {
		return
	}
	s.mu.Lock()
	l := s.link
	s.mu.Unlock()
	if l != nil {
		l.lists.listed(ctx)
	}
}

// ServerOf finds the server that a tool of that full name would be of, whether or not it
// is there and has such a tool.
func (set *Set) ServerOf(tool string) (State, bool) {
	part, _, ok := shape.Split(tool)
	for _, s := range set.all() {
		if ok && s.part == part {
			return s.describe(), true
		}
	}
	return State{}, false
}

// States lists the servers by name.
func (set *Set) States() []State {
	var states []State
	for _, s := range set.all() {
		states = append(states, s.describe())
	}
	return states
}

func (s *server) describe() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := State{Name: s.cfg.Name, State: s.state, Detail: s.detail, Protocol: s.protocol, Log: s.log.path, Noise: s.noise.count()}
	s.known.describe(&st)
	return st
}

// Close ends every server in order, then by force, and returns when no process
// and no connection of any is left. Calls under way fail. It is idempotent.
func (set *Set) Close() error {
	set.mu.Lock()
	set.closed = true
	servers := set.servers
	set.mu.Unlock()
	var closing sync.WaitGroup
	for _, s := range servers {
		closing.Go(s.shut)
	}
	closing.Wait()
	set.end()
	set.running.Wait()
	for _, s := range servers {
		s.log.close()
	}
	set.bell.close()
	return nil
}

func (set *Set) grace() time.Duration { return first(set.world.Grace, defaultGrace) }

func (set *Set) tell(p event.Payload) { set.bell.ring(p) }

func (set *Set) warn(code string, args []string, text string) {
	set.note(event.Notice{Level: event.LevelWarning, Code: code, Args: args, Text: text})
}

// note tells something in which a server's own words may be.
func (set *Set) note(n event.Notice) {
	n.Text, n.Args = printable(n.Text), slices.Clone(n.Args)
	for i, arg := range n.Args {
		n.Args[i] = printable(arg)
	}
	set.tell(n)
}
