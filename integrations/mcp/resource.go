package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Resource is something that a server lets be read, or many such things by a template.
type Resource struct {
	Server, URI, Name, Description, MIME string
	// Open is what of a template follows URI, such as {id}; empty: URI is an address.
	Open string
}

// A family is resources that have a template in common.
type family struct {
	Resource
	template template
}

func (f family) same(o family) bool {
	return f.Resource == o.Resource && slices.Equal(f.template, o.template)
}

// Resources lists what the servers that are ready let be read, by server and URI; a
// template by its beginning.
func (set *Set) Resources() []Resource {
	var all []Resource
	for _, s := range set.all() {
		_, resources, families := s.readable()
		for _, f := range families {
			resources = append(resources, f.from(place{}))
		}
		slices.SortStableFunc(resources, func(a, b Resource) int { return strings.Compare(a.URI, b.URI) })
		all = append(all, resources...)
	}
	return all
}

// readable is the server's connection and what can be read over it; without one there
// is nothing.
func (s *server) readable() (l *link, resources []Resource, families []family) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link == nil {
		return nil, nil, nil
	}
	return s.link, slices.Clone(s.known.resources), slices.Clone(s.known.families)
}

// from is f as it goes on from a place: with the text there, up to the next variable.
func (f family) from(at place) Resource {
	r, rest := f.Resource, f.template[at.next:]
	r.URI = at.done
	if len(rest) > 0 && rest[0].variable == "" {
		r.URI, rest = r.URI+rest[0].text, rest[1:]
	}
	r.Open = rest.String()
	return r
}

// Continue lists how an address that somebody types, of a resource of a server, may go on
// by the server's templates, a variable at a time: to the next one, or with each value
// that the server suggests for it. Where it suggests none, what is open is told. The
// server is given a moment for all of them; whatever keeps it from answering is a notice,
// once until it does.
func (set *Set) Continue(ctx context.Context, server, typed string) []Resource {
	s, err := set.server(server)
	if err != nil {
		return nil
	}
	var all []Resource
	l, _, families := s.readable()
	for _, f := range families {
		at, ok := f.template.find(typed)
		switch {
		case !ok || at.next == len(f.template):
		case f.template[at.next].variable == "":
			all = append(all, f.from(at))
		default:
			all = append(all, f.values(ctx, l, at, typed)...)
		}
	}
	return all
}

// values are the addresses with what the server suggests for the variable at a place.
func (f family) values(ctx context.Context, l *link, at place, typed string) []Resource {
	var all []Resource
	for _, value := range l.complete(ctx, &sdk.CompleteReference{Type: "ref/resource", URI: f.URI}, f.template[at.next].variable, at.value, at.given) {
		r := f.Resource
		address, open := f.template.put(at, value)
		r.URI, r.Open = address, open.String()
		all = append(all, r)
	}
	rest := f.template[at.next+1:].String()
	if at.value == "" {
		rest = f.template[at.next:].String()
	}
	if len(all) == 0 && rest != "" {
		r := f.Resource
		r.URI, r.Open = typed, rest
		all = append(all, r)
	}
	return all
}

// maxAnswer is how much of a resource or a prompt is returned, in bytes; whoever
// puts it before a model has a smaller limit.
const maxAnswer = 1 << 20

// ReadResource returns the text of a resource, at most a MiB; what is no text is
// named in its place. It waits until the server is ready, no longer than that may
// take to start.
func (set *Set) ReadResource(ctx context.Context, server, uri string) (string, error) {
	s, err := set.server(server)
	if err != nil {
		return "", err
	}
	l, err := s.ready(ctx)
	if err != nil {
		return "", err
	}
	res, err := request(ctx, l, s.cfg.callTimeout(*s.world, ""), func(ctx context.Context, _ string) (*sdk.ReadResourceResult, error) {
		return l.session.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
	})
	if err != nil {
		return "", s.error(fmt.Sprintf("read %s: %v", uri, err))
	}
	s.worked()
	var parts []string
	for _, c := range res.Contents {
		switch {
		case c == nil:
		case c.Blob != nil:
			parts = append(parts, fmt.Sprintf("[%s: %d bytes that are no text, %s]", c.URI, len(c.Blob), cmp.Or(c.MIMEType, "of an unknown kind")))
		default:
			parts = append(parts, strings.ToValidUTF8(c.Text, "\uFFFD"))
		}
	}
	return atMost(strings.Join(parts, "\n")), nil
}

// atMost is the beginning of a text that is longer than maxAnswer.
func atMost(text string) string {
	if len(text) <= maxAnswer {
		return text
	}
	return strings.ToValidUTF8(text[:maxAnswer], "") + fmt.Sprintf("\n[... %d of %d bytes left out]", len(text)-maxAnswer, len(text))
}
