package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"reasonix/core/message"
	"reasonix/integrations/mcp/shape"
)

const (
	maxTools   = 10_000
	maxOffers  = 5000         // prompts, resources or templates of a server that are taken note of
	maxNamed   = 2 * maxTools // of tools that a server has named in a session, in all its lists
	maxPages   = 1000
	maxAbout   = 8 << 10 // bytes of a tool's description
	maxDropped = 100     // of a notice
)

// A list is the tools of a server, fit for a model, by raw name.
type list struct {
	Tools   []spec    `json:"tools"`
	Dropped []Dropped `json:"dropped,omitzero"`
}

// A spec is one tool as its server describes it.
type spec struct {
	Raw         string          `json:"raw"`
	About       string          `json:"about,omitzero"`
	Schema      json.RawMessage `json:"schema"`
	ReadOnly    bool            `json:"read_only,omitzero"`
	Idempotent  bool            `json:"idempotent,omitzero"`
	Destructive bool            `json:"destructive,omitzero"` // the server says so; silence is no claim
}

func (t spec) schema(full string) message.ToolSchema {
	return message.ToolSchema{Name: full, Description: t.About, Parameters: t.Schema}
}

func (t spec) same(o spec) bool {
	return t.Raw == o.Raw && t.About == o.About && string(t.Schema) == string(o.Schema)
}

func (l *list) equal(o *list) bool {
	return l != nil && slices.Equal(l.Dropped, o.Dropped) && slices.EqualFunc(l.Tools, o.Tools, func(a, b spec) bool {
		return a.same(b) && a.ReadOnly == b.ReadOnly && a.Idempotent == b.Idempotent && a.Destructive == b.Destructive
	})
}

func (l *list) find(raw string) (spec, bool) {
	if l == nil {
		return spec{}, false
	}
	i, ok := slices.BinarySearchFunc(l.Tools, raw, func(t spec, raw string) int { return strings.Compare(t.Raw, raw) })
	if !ok {
		return spec{}, false
	}
	return l.Tools[i], true
}

// A lister reads the lists of a server over a connection, whole and in order.
type lister struct {
	declared
	session *sdk.ClientSession
	log     *serverLog
}

// can is what the server says that it can do.
func (l lister) can() sdk.ServerCapabilities {
	if r := l.session.InitializeResult(); r != nil && r.Capabilities != nil {
		return *r.Capabilities
	}
	return sdk.ServerCapabilities{}
}

// tools reads the server's tools, page by page.
func (l lister) tools(ctx context.Context) (*list, error) {
	out := &list{}
	if l.can().Tools == nil {
		return out, nil
	}
	listed, seen, params := 0, map[string]bool{}, &sdk.ListToolsParams{}
	for page := 0; ; page++ {
		res, err := l.session.ListTools(ctx, params)
		if err != nil {
			return nil, err
		}
		listed += len(res.Tools)
		for _, t := range res.Tools {
			if t == nil {
				continue
			}
			if seen[t.Name] {
				out.drop(t.Name, "the server lists it twice")
				continue
			}
			seen[t.Name] = true
			out.add(t)
		}
		if res.NextCursor == "" || res.NextCursor == params.Cursor {
			break
		}
		if page == maxPages || listed > maxTools {
			return nil, fmt.Errorf("it has no end: %d tools on %d pages", listed, page)
		}
		params = &sdk.ListToolsParams{Cursor: res.NextCursor}
	}
	slices.SortFunc(out.Tools, func(a, b spec) int { return strings.Compare(a.Raw, b.Raw) })
	slices.SortStableFunc(out.Dropped, func(a, b Dropped) int { return strings.Compare(a.Tool, b.Tool) })
	return out, nil
}

func (l *list) add(t *sdk.Tool) {
	if fault, ok := t.Meta[faultKey].(string); ok {
		l.drop(t.Name, fault)
		return
	}
	if strings.TrimSpace(t.Name) == "" {
		l.drop("(without a name)", "it has no name")
		return
	}
	schema, err := shape.Schema(t.InputSchema)
	if err != nil {
		l.drop(t.Name, err.Error())
		return
	}
	about := atMostAbout(cmp.Or(strings.TrimSpace(t.Description), t.Title), maxAbout)
	one := spec{Raw: t.Name, About: about, Schema: schema}
	if a := t.Annotations; a != nil {
		one.ReadOnly, one.Idempotent = a.ReadOnlyHint, a.IdempotentHint
		one.Destructive = a.DestructiveHint != nil && *a.DestructiveHint
	}
	l.Tools = append(l.Tools, one)
}

func (l *list) drop(tool, why string) {
	l.Dropped = append(l.Dropped, Dropped{Tool: printable(tool), Why: printable(why)})
}

func (l lister) prompts(ctx context.Context) ([]Prompt, error) {
	if l.can().Prompts == nil {
		return nil, nil
	}
	var all []Prompt
	var names []string
	for p, err := range l.session.Prompts(ctx, nil) {
		if err != nil || len(all) == maxOffers {
			return l.commands(all), err
		}
		if p == nil || p.Name == "" || slices.Contains(names, p.Name) {
			continue
		}
		one := Prompt{Server: l.cfg.Name, Name: p.Name, Description: atMostAbout(cmp.Or(p.Description, p.Title), maxHelp)}
		for _, a := range p.Arguments {
			if a != nil && len(one.Args) < maxArgs {
				one.Args = append(one.Args, PromptArg{Name: atMostAbout(a.Name, maxHelp), Description: atMostAbout(a.Description, maxHelp), Required: a.Required})
			}
		}
		all, names = append(all, one), append(names, p.Name)
	}
	return l.commands(all), nil
}

// maxHelp bounds, in bytes, what a server says of a prompt, of one of its arguments and of a
// resource, which a person reads in a list; maxArgs is how many arguments a prompt has.
const (
	maxHelp = 1 << 10
	maxArgs = 64
)

// atMostAbout is the beginning of a text that is longer than most.
func atMostAbout(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + " [...]"
}

func (l lister) resources(ctx context.Context) ([]Resource, error) {
	if l.can().Resources == nil {
		return nil, nil
	}
	var all []Resource
	for r, err := range l.session.Resources(ctx, nil) {
		if err != nil || len(all) == maxOffers {
			return all, err
		}
		if r != nil && r.URI != "" {
			all = append(all, Resource{
				Server: l.cfg.Name, URI: r.URI, Name: atMostAbout(cmp.Or(r.Name, r.Title), maxHelp), Description: atMostAbout(r.Description, maxHelp), MIME: r.MIMEType,
			})
		}
	}
	slices.SortStableFunc(all, func(a, b Resource) int { return strings.Compare(a.URI, b.URI) })
	return all, nil
}

func (l lister) families(ctx context.Context) ([]family, error) {
	if l.can().Resources == nil {
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
				Server: l.cfg.Name, URI: r.URITemplate, Name: atMostAbout(cmp.Or(r.Name, r.Title), maxHelp), Description: atMostAbout(r.Description, maxHelp), MIME: r.MIMEType,
			}, t})
		} else {
			l.log.note("%.200q is no template of resources", r.URITemplate)
		}
	}
	slices.SortStableFunc(all, func(a, b family) int { return strings.Compare(a.URI, b.URI) })
	return all, nil
}
