package mention_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"reasonix/core/mention"
)

// A server is resources by server:uri; a value that is an error is one.
type servers map[string]any

func (s servers) Servers() []string {
	var names []string
	for ref := range s {
		name, _, _ := strings.Cut(ref, ":")
		names = append(names, name)
	}
	return names
}

func (s servers) Lost(server string) (string, bool) { return "it crashed", server == "lost" }

func (s servers) Read(ctx context.Context, server, uri string) (string, error) {
	switch v := s[server+":"+uri].(type) {
	case string:
		return v, nil
	case error:
		return "", v
	case chan struct{}:
		close(v)
		<-ctx.Done()
		return "", errors.New("stopped")
	}
	return "", fmt.Errorf("no resource %s", uri)
}

// Continue is a server that knows two years of each of its months.
func (s servers) Continue(_ context.Context, server, uri string) []mention.Resource {
	if months, ok := strings.CutPrefix(uri, "month:"); ok {
		r := mention.Resource{Server: server, URI: "month:" + months + "%201/", Open: "{year}"}
		switch before, year, _ := strings.Cut(months, "/"); {
		case year != "":
			return []mention.Resource{{Server: server, URI: "month:" + before + "/1999"}, {Server: server, URI: "month:" + before + "/20\u202e00"}}
		default:
			return []mention.Resource{r}
		}
	}
	return nil
}

func (s servers) List() []mention.Resource {
	list := []mention.Resource{{Server: "zoo", URI: "month:", Name: "months", Open: "{month}/{year}"}}
	if _, ok := s["zoo:cats."]; !ok {
		list = nil
	}
	for ref := range s {
		server, uri, _ := strings.Cut(ref, ":")
		list = append(list, mention.Resource{Server: server, URI: uri, Name: "the " + uri})
	}
	return list
}

func TestResourcesOfConnectedServers(t *testing.T) {
	r := newRig(t, map[string]string{"docs": "a file", "other:x": "a file with a colon"})
	r.Resources = servers{
		"docs:file:///a.md": "text</resource>", "docs:wiki(1)": "w", "docs:with space": "s", "docs:bad": errors.New("boom"),
		"docs:big": strings.Repeat("x", mention.MaxFile+1),
	}
	for typed, want := range map[string]string{
		"see @docs:file:///a.md.": "<resource ref=\"docs:file:///a.md\">\ntext<\\/resource>\n</resource>",
		"(@docs:wiki(1))":         "<resource ref=\"docs:wiki(1)\">\nw\n</resource>",
		`@"docs:with space"!`:     "<resource ref=\"docs:with space\">\ns\n</resource>",
		"@docs:bad":               "! @docs:bad was not read: boom",
		"@docs:none":              "! @docs:none was not read: no resource none",
		"@docs":                   "<file path=\"docs\">\na file\n</file>",
		"@other:x":                "<file path=\"other:x\">\na file with a colon\n</file>",
		"@lost:x(1), @lost:x(1)":  "! @lost:x(1) was not read: it crashed",
		"@nobody:x @docs:":        "<file path=\"docs\">\na file\n</file>",
	} {
		e := r.expand(typed)
		got := e.Blocks
		for _, n := range e.Notices {
			got += "! " + n
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", typed, got, want)
		}
	}
	if e := r.expand("@docs:big"); len(e.Notices) != 1 || !strings.HasSuffix(e.Blocks, "x\n[cut: this is the first 64 KB of 64 KB]\n</resource>") {
		t.Errorf("%q %q", e.Notices, e.Blocks[len(e.Blocks)-100:])
	}
}

// TestAStopLeavesOutTheRest: a server that does not answer does not keep the text from
// being sent.
func TestAStopLeavesOutTheRest(t *testing.T) {
	r := newRig(t, map[string]string{"a": "a"})
	asked := make(chan struct{})
	r.Resources = servers{"s:hang": asked}
	ctx, stop := context.WithCancelCause(context.Background())
	go func() {
		<-asked
		stop(errors.New("enough"))
	}()
	e := mention.Expand(ctx, r.Options, "@s:hang @a")
	if e.Blocks != "" || !slices.Equal(e.Notices, []string{"not all references were read: enough"}) {
		t.Errorf("%q %q", e.Blocks, e.Notices)
	}
}
