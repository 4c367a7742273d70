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

// readResources reads the resources and templates, and tells when they are not what they
// were. When they cannot be read the last word counts.
func (s *server) readResources(ctx context.Context, l *link) {
	resources, err := l.resources(ctx)
	if err != nil {
		s.log.note("list resources: %v", err)
		return
	}
	families, err := l.families(ctx)
	if err != nil {
		s.log.note("list resource templates: %v", err) // many a server has none, and says so like this
	}
	s.turned(l, func() bool {
		same := slices.Equal(s.resources, resources) && slices.EqualFunc(s.families, families, family.same)
		s.resources, s.families = resources, families
		return !same
	})
}

func (l *link) resources(ctx context.Context) ([]Resource, error) {
	if !l.readable() {
		return nil, nil
	}
	var all []Resource
	for r, err := range l.session.Resources(ctx, nil) {
		if err != nil || len(all) == maxOffers {
			return all, err
		}
		if r != nil && r.URI != "" {
			all = append(all, Resource{
				Server: l.server.cfg.Name, URI: r.URI, Name: cmp.Or(r.Name, r.Title), Description: r.Description, MIME: r.MIMEType,
			})
		}
	}
	slices.SortStableFunc(all, func(a, b Resource) int { return strings.Compare(a.URI, b.URI) })
	return all, nil
}

func (l *link) families(ctx context.Context) ([]family, error) {
	if !l.readable() {
		return nil, nil
	}
	var all []family
	for r, err := range l.session.ResourceTemplates(ctx, nil) {
		if err != nil || len(all) == maxOffers {
			return all, err
		}
		if r == nil {
			continue
		}
		if t, ok := parseTemplate(r.URITemplate); ok {
			all = append(all, family{Resource{
				Server: l.server.cfg.Name, URI: r.URITemplate, Name: cmp.Or(r.Name, r.Title), Description: r.Description, MIME: r.MIMEType,
			}, t})
		} else {
			l.server.log.note("%.200q is no template of resources", r.URITemplate)
		}
	}
	slices.SortStableFunc(all, func(a, b family) int { return strings.Compare(a.URI, b.URI) })
	return all, nil
}

// readable reports whether the server says that it has resources.
func (l *link) readable() bool {
	r := l.session.InitializeResult()
	return r != nil && r.Capabilities != nil && r.Capabilities.Resources != nil
}

// Resources lists what the servers that are ready let be read, by server and URI; a
// template by its beginning.
func (set *Set) Resources() []Resource {
	var all []Resource
	for _, s := range set.all() {
		resources, families := s.readable()
		for _, f := range families {
			resources = append(resources, f.from(place{}))
		}
		slices.SortStableFunc(resources, func(a, b Resource) int { return strings.Compare(a.URI, b.URI) })
		all = append(all, resources...)
	}
	return all
}

func (s *server) readable() (resources []Resource, families []family) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link == nil {
		return nil, nil
	}
	return slices.Clone(s.resources), slices.Clone(s.families)
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
	_, families := s.readable()
	for _, f := range families {
		at, ok := f.template.find(typed)
		switch {
		case !ok || at.next == len(f.template):
		case f.template[at.next].variable == "":
			all = append(all, f.from(at))
		default:
			all = append(all, s.values(ctx, f, at, typed)...)
		}
	}
	return all
}

// values are the addresses with what the server suggests for the variable at a place.
func (s *server) values(ctx context.Context, f family, at place, typed string) []Resource {
	var all []Resource
	for _, value := range s.complete(ctx, &sdk.CompleteReference{Type: "ref/resource", URI: f.URI}, f.template[at.next].variable, at.value, at.given) {
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
	res, err := request(ctx, l, s.cfg.callTimeout(s.set.world, ""), func(ctx context.Context, _ string) (*sdk.ReadResourceResult, error) {
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
	text := strings.Join(parts, "\n")
	if len(text) > maxAnswer {
		text = strings.ToValidUTF8(text[:maxAnswer], "") + fmt.Sprintf("\n[... %d of %d bytes left out]", len(text)-maxAnswer, len(text))
	}
	return text, nil
}
