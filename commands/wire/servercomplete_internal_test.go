package wire

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/slash"
	"reasonix/core/workspace"
)

// TestWhatServersHaveIsCompleted: addresses of resources go on by what the server lists
// and by its templates, a variable at a time, and the arguments of its prompts by what it
// suggests; a server that fails to suggest is told once, and its template is shown.
func TestWhatServersHaveIsCompleted(t *testing.T) {
	var asked []string
	notices := make(chan event.Notice, 10)
	s := webServer(t, `{"prompts":{},"resources":{},"completions":{}}`, map[string]func(json.RawMessage) string{
		"prompts/list": func(json.RawMessage) string {
			return `{"prompts":[{"name":"ask","arguments":[{"name":"who"},{"name":"what"}]}]}`
		},
		"resources/list": func(json.RawMessage) string { return `{"resources":[{"uri":"note://1","name":"one"}]}` },
		"resources/templates/list": func(json.RawMessage) string {
			return `{"resourceTemplates":[{"uriTemplate":"repo://{owner}/{repo}","name":"repo"},{"uriTemplate":"bad://{","name":"bad"}]}`
		},
		"completion/complete": func(params json.RawMessage) string {
			asked = append(asked, string(params))
			switch {
			case strings.Contains(string(params), `"what"`):
				return `{"completion":{"values":["is this","for"]}}`
			case strings.Contains(string(params), `"who"`):
				return `{"completion":{"values":["me too","me"]}}`
			case strings.Contains(string(params), `"value":"broken"`):
				return `{"completion":7}`
			case strings.Contains(string(params), `"owner":"me"`):
				return `{"completion":{"values":["a b","c"]}}`
			}
			return `{"completion":{"values":["me","you"]}}`
		},
	}, func(p event.Payload) error {
		if n, ok := p.(event.Notice); ok {
			notices <- n
		}
		return nil
	})
	if _, err := s.set.Prompt(t.Context(), "mcp__web__ask", func(int) []string { return nil }); err != nil {
		t.Fatal(err)
	}
	for known := false; !known; {
		changed := s.changes.next()
		if known = s.set.States()[0].Templates > 0; !known {
			<-changed
		}
	}
	files, err := workspace.Open(workspace.Roots{Dir: t.TempDir()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := references{files: files, servers: s, models: newModels(endpoints{}, model{})}
	for _, c := range []struct {
		text string
		want []string
	}{
		{"@", []string{"@web:note://1", "@web:repo://"}},
		{"see @web:", []string{"see @web:note://1", "see @web:repo://"}},
		{"@web:no", []string{"@web:note://1"}},
		{"@web:repo://", []string{"@web:repo://me/", "@web:repo://you/"}},
		{"@web:repo://me/", []string{"@web:repo://me/a%20b", "@web:repo://me/c"}},
		{"@web:repo://broken", []string{"@web:repo://broken"}},
		{"@web:repo://broken", []string{"@web:repo://broken"}},
		{"/mcp__web__ask ", []string{"/mcp__web__ask me"}},
		{"/mcp__web__ask you ", []string{"/mcp__web__ask you is this", "/mcp__web__ask you for"}},
		{"/mcp__web__ask you i  s", []string{"/mcp__web__ask you is this", "/mcp__web__ask you for"}},
		{"/mcp__web__ask you it ", nil},
	} {
		list, err := r.complete(t.Context(), slash.NewSet(s.commands()), c.text, len(c.text))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, item := range list {
			got = append(got, c.text[:item.From]+item.Insert+c.text[item.To:])
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.text, diff)
		}
	}
	if n := <-notices; n.Code != "mcp.complete" || len(notices) > 0 {
		t.Errorf("got %+v and %d more", n, len(notices))
	}
	if want := `{"argument":{"name":"repo","value":""},"context":{"arguments":{"owner":"me"}},"ref":{"type":"ref/resource","uri":"repo://{owner}/{repo}"}}`; len(asked) < 2 || asked[1] != want {
		t.Errorf("the server was asked %v", asked)
	}
	if err := s.set.Act(t.Context(), "web", protocol.ServerDisconnect); err != nil {
		t.Fatal(err)
	}
	if list, err := r.complete(t.Context(), slash.NewSet(), "@", 1); err != nil || len(list) > 0 {
		t.Errorf("a server that is gone offers %v, %v", list, err)
	}
}
