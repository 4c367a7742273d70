package mcp

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"reasonix/core/event"
)

// A reader keeps what is known of a server as the server says it is, over one connection
// to it. What cannot be read stays as it was last.
type reader struct {
	server *server
	link   *link
}

// tools reads the tools again, because the server says that they changed.
func (r reader) tools(ctx context.Context) {
	offer, err := r.link.lister().tools(ctx)
	if err != nil {
		r.server.log.note("list tools: %v", err)
		return
	}
	r.update(offer)
}

func (r reader) update(offer *list) {
	s := r.server
	s.mu.Lock()
	if s.link != r.link {
		s.mu.Unlock()
		return
	}
	before := s.known.live
	s.take(offer)
	if before.equal(offer) { // a server may say that it changed as often as it likes
		s.mu.Unlock()
		return
	}
	s.turn(event.ServerReady, "")
	s.mu.Unlock()
	s.remember()
	s.set.differs(s)
}

// prompts reads the prompts, and tells when they are not what they were.
func (r reader) prompts(ctx context.Context) {
	defer r.link.known()
	prompts, err := r.link.lister().prompts(ctx)
	if err != nil {
		r.server.log.note("list prompts: %v", err)
		return
	}
	if r.turned(func(c *catalogue) bool {
		before := c.prompts
		c.prompts = prompts
		return !slices.EqualFunc(before, prompts, Prompt.same)
	}) {
		r.server.remember()
	}
}

// resources does the same for resources and their templates.
func (r reader) resources(ctx context.Context) {
	resources, err := r.link.lister().resources(ctx)
	if err != nil {
		r.server.log.note("list resources: %v", err)
		return
	}
	families, err := r.link.lister().families(ctx)
	if err != nil {
		r.server.log.note("list resource templates: %v", err) // many a server has none, and says so like this
	}
	r.turned(func(c *catalogue) bool {
		same := slices.Equal(c.resources, resources) && slices.EqualFunc(c.families, families, family.same)
		c.resources, c.families = resources, families
		return !same
	})
}

// turned makes a change to what is known of the server while the link is its connection,
// and tells of it where change says so.
func (r reader) turned(change func(*catalogue) bool) bool {
	s := r.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link != r.link || !change(&s.known) {
		return false
	}
	s.turn(event.ServerReady, "")
	return true
}

// take makes offer the live list and says what is wrong with it; the caller has the lock.
func (s *server) take(offer *list) {
	dropped := s.known.take(offer)
	if len(dropped) == 0 {
		return
	}
	var told []string
	for _, d := range dropped[:min(len(dropped), maxDropped)] {
		told = append(told, fmt.Sprintf("%.80s (%.200s)", d.Tool, d.Why))
	}
	list := strings.Join(told, "; ")
	s.set.warn("mcp.dropped", []string{s.cfg.Name, strconv.Itoa(len(dropped)), list}, fmt.Sprintf(
		"%d of the tools of MCP server %s cannot be used: %s", len(dropped), s.cfg.Name, list))
}
