package acp_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
)

// address is the address of a file.
func address(path, fragment string) string {
	slashed := filepath.ToSlash(path)
	if slashed[0] != '/' {
		slashed = "/" + slashed
	}
	return (&url.URL{Scheme: "file", Path: slashed, Fragment: fragment}).String()
}

// What a person typed is text, with references to the files they linked; what was
// embedded nobody typed; pictures come as they are.
func TestEveryBlockOfAPromptReachesTheModel(t *testing.T) {
	dir := t.TempDir()
	for name, size := range map[string]int{"a.go": 10, "my notes.md": 10, "large.log": 64<<10 + 1} {
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	text := func(s string) object { return object{"type": "text", "text": s} }
	link := func(uri string) object { return object{"type": "resource_link", "uri": uri, "name": "it"} }
	resource := func(r object) object { return object{"type": "resource", "resource": r} }
	in := func(name string) string { return filepath.Join(dir, name) }
	away := t.TempDir()
	if err := os.WriteFile(filepath.Join(away, "secret"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"way-out": filepath.Join(away, "secret"), "out": away} {
		if err := os.Symlink(to, in(name)); err != nil && runtime.GOOS != "windows" {
			t.Fatal(err)
		}
	}
	type prompted struct {
		blocks []object
		want   event.PromptQueued
	}
	linked := func(name, path string) prompted {
		uri := address(path, "")
		return prompted{[]object{link(uri)}, event.PromptQueued{Display: "[link 1]", Data: fmt.Sprintf("<link number=\"1\" uri=%q name=%q/>", uri, name)}}
	}
	for name, c := range map[string]prompted{
		"paragraphs": {[]object{text("one"), text("two")}, event.PromptQueued{Display: "one\n\ntwo"}},
		"a text cut at its links": {
			[]object{text("look at "), link(address(in("a.go"), "L3:9")), text(" please")},
			event.PromptQueued{Display: "look at @a.go#L3-9 please"},
		},
		"a command":        {[]object{text("/explore"), link(address(in("a.go"), ""))}, event.PromptQueued{Display: "/explore\n\n@a.go"}},
		"a name in quotes": {[]object{link(address(in("my notes.md"), ""))}, event.PromptQueued{Display: `@"my notes.md"`}},
		"a directory":      {[]object{link(address(in("sub"), ""))}, event.PromptQueued{Display: "@sub/"}},
		"one line":         {[]object{link(address(in("a.go"), "L7"))}, event.PromptQueued{Display: "@a.go#L7"}},
		"a large file":     linked("it", in("large.log")),
		"a missing file":   linked("it", in("no.go")),
		"outside":          linked("it", filepath.Dir(dir)),
		"a way out":        linked("it", in("way-out")),
		"below a way out":  linked("it", filepath.Join(in("out"), "secret")),
		"another host":     {[]object{link("file://other" + strings.TrimPrefix(address(in("a.go"), ""), "file://"))}, event.PromptQueued{Display: "[link 1]", Data: `<link number="1" uri="file://other` + strings.TrimPrefix(address(in("a.go"), ""), "file://") + `" name="it"/>`}},
		"this host":        {[]object{link("file://localhost" + strings.TrimPrefix(address(in("a.go"), ""), "file://"))}, event.PromptQueued{Display: "@a.go"}},
		"elsewhere":        {[]object{link("https://example.com/x")}, event.PromptQueued{Display: "[link 1]", Data: `<link number="1" uri="https://example.com/x" name="it"/>`}},
		"a name that refers": {
			[]object{text("see "), {"type": "resource_link", "uri": "x:@a.go", "name": "@a.go"}, text(" and "), {"type": "resource_link", "uri": "x:2"}},
			event.PromptQueued{Display: "see [link 1] and [link 2]", Data: "<link number=\"1\" uri=\"x:@a.go\" name=\"@a.go\"/>\n\n<link number=\"2\" uri=\"x:2\"/>"},
		},
		"embedded text": {
			[]object{text("see"), resource(object{"uri": "file:///w/b.go", "text": "package b // @a.go\n", "mimeType": "text/x-go"})},
			event.PromptQueued{Display: "see", Data: "<resource uri=\"file:///w/b.go\" type=\"text/x-go\">\npackage b // @a.go\n</resource>"},
		},
		"embedded bytes": {
			[]object{resource(object{"uri": "u:1", "blob": "aGk="}), resource(object{"uri": "u:2", "blob": "AP8="}), resource(object{"uri": "u:3"})},
			event.PromptQueued{Data: "<resource uri=\"u:1\">\nhi\n</resource>\n\n<resource uri=\"u:2\">not shown: 2 bytes that are no text</resource>\n\n<resource uri=\"u:3\"/>"},
		},
	} {
		host := &seeing{}
		s := serveHost(t, &host.Fake, protocol.Host{Opener: host})
		session := s.open(dir)
		told := protocoltest.Collect(t.Context(), host.session, 0)
		s.stopped(s.send("session/prompt", object{"sessionId": session, "prompt": c.blocks}))
		got := protocoltest.Wait[event.PromptQueued](t, told, nil)
		c.want.ID, c.want.Kind = got.ID, event.KindPrompt
		if diff := cmp.Diff(got, c.want); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestPicturesComeWithThePrompt(t *testing.T) {
	host := &seeing{}
	s := serveHost(t, &host.Fake, protocol.Host{Opener: host})
	session := s.open(t.TempDir())
	told := protocoltest.Collect(t.Context(), host.session, 0)
	s.stopped(s.send("session/prompt", object{"sessionId": session, "prompt": []object{
		{"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="},
		{"type": "image", "mimeType": "image/webp", "data": "UklGRgAAAABXRUJQVlA4IA==", "uri": "file:///tmp/shot.webp"},
		{"type": "resource", "resource": object{"uri": "file:///w/c.gif", "blob": "R0lGODlh", "mimeType": "image/gif"}},
	}}))
	var got []string
	for _, a := range protocoltest.Wait[event.PromptQueued](t, told, nil).Attachments {
		got = append(got, a.MIME+" "+a.Name)
	}
	if diff := cmp.Diff(got, []string{"image/png image-1", "image/webp shot.webp", "image/gif c.gif"}); diff != "" {
		t.Error(diff)
	}
}

func TestABlockThatCannotBeReadIsNamed(t *testing.T) {
	s := serve(t, &protocoltest.Fake{})
	session := s.open(t.TempDir())
	for field, block := range map[string]object{
		"prompt[0].type":          {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
		"prompt[0].data":          {"type": "image", "data": "!", "mimeType": "image/png"},
		"prompt[1].data":          {"type": "image", "data": "AAAA", "mimeType": "image/png"},
		"prompt[0].mimeType":      {"type": "image", "data": "AAAA", "mimeType": "text/plain"},
		"prompt[0].uri":           {"type": "resource_link", "name": "x"},
		"prompt[0].resource":      {"type": "resource"},
		"prompt[0].resource.blob": {"type": "resource", "resource": object{"uri": "u:1", "blob": "!"}},
		"prompt[1].resource.blob": {"type": "resource", "resource": object{"uri": "u:1", "mimeType": "image/png", "blob": "AAAA"}},
		"prompt":                  {"type": "text", "text": " \n"},
	} {
		all := []object{block}
		if strings.HasPrefix(field, "prompt[1]") {
			all = []object{{"type": "text", "text": "see"}, block}
		}
		m := s.call("session/prompt", object{"sessionId": session, "prompt": all})
		if m.Error == nil || m.Error.Code != -32602 || m.Error.Data["field"] != field {
			t.Errorf("%s: %s", field, m.raw)
		}
	}
}

func TestServersOfAClientAreCheckedByName(t *testing.T) {
	host := &seeing{}
	s := serveHost(t, &host.Fake, protocol.Host{Opener: host})
	opened := func(servers ...object) rpc {
		return s.call("session/new", object{"cwd": t.TempDir(), "mcpServers": servers})
	}
	for want, server := range map[string]object{
		"session/new: mcpServers: MCP server name is required":                       {"command": "x"},
		`session/new: mcpServers: MCP server "a" command is required`:                {"name": "a"},
		`session/new: mcpServers: MCP server "h" url is required`:                    {"name": "h", "type": "http"},
		`session/new: mcpServers: MCP server "z" uses unsupported transport "weird"`: {"name": "z", "type": "weird"},
	} {
		if m := opened(server); m.Error == nil || m.Error.Code != -32602 || m.Error.Message != want {
			t.Errorf("%s: %s", want, m.raw)
		}
	}
	a := object{"name": "a", "command": "/bin/a", "args": []string{"-x"}, "env": []object{{"name": "K", "value": "v"}}}
	if m := opened(a, a); m.Error == nil {
		t.Errorf("twice: %s", m.raw)
	}
	legacy := object{"name": "l", "command": "/bin/l", "env": object{"K": "v"}}
	h := object{"name": "h", "type": "http", "url": "https://h/", "headers": []object{{"name": "X", "value": "y"}}}
	e := object{"name": "e", "type": "sse", "url": "https://e/", "headers": []object{}}
	if m := opened(a, legacy, h, e); m.Error != nil {
		t.Fatal(m.raw)
	}
	want := []protocol.ServerSpec{
		{Name: "a", Type: "stdio", Command: "/bin/a", Args: []string{"-x"}, Env: map[string]string{"K": "v"}},
		{Name: "l", Type: "stdio", Command: "/bin/l", Env: map[string]string{"K": "v"}},
		{Name: "h", Type: "http", URL: "https://h/", Headers: map[string]string{"X": "y"}},
		{Name: "e", Type: "sse", URL: "https://e/", Headers: map[string]string{}},
	}
	if diff := cmp.Diff(host.specs[len(host.specs)-1].Servers, want); diff != "" {
		t.Error(diff)
	}
}
