//go:build unix

package acp_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/provider/providertest"
)

// startFor is start for a client that can do more than the least, with more of a
// configuration.
func startFor(t *testing.T, can object, config string, replies ...providertest.Reply) *process {
	t.Helper()
	model := providertest.New(t, replies...)
	p := prepare(t, fmt.Sprintf(oneProvider, model.BaseURL(), "")+config)
	p.model = model
	p.run(t, exec.Command(os.Args[0], "acp", "--permission-mode", "yolo"))
	p.call("initialize", object{"protocolVersion": 1, "clientCapabilities": can})
	return p
}

// sees reports whether the model was sent words in request n.
func (p *process) sees(n int, words string) bool {
	requests := p.model.Requests()
	return n < len(requests) && bytes.Contains(requests[n].Body, []byte(words))
}

// An edit works on the unsaved buffer and is written through the client; the disk is not
// touched.
func TestARealEditGoesThroughTheClient(t *testing.T) {
	p := startFor(t, object{"fs": object{"readTextFile": true, "writeTextFile": true}}, "",
		providertest.Calls(providertest.Call{Name: "read_file", Arguments: `{"path":"a.txt"}`}),
		providertest.Calls(providertest.Call{ID: "edit", Name: "edit_file", Arguments: `{"path":"a.txt","old_string":"unsaved","new_string":"edited"}`}),
		providertest.Text("Done."))
	path := filepath.Join(p.dir, "a.txt")
	if err := os.WriteFile(path, []byte("on disk\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	session := p.open(p.dir)
	id := p.prompt(session, "x")
	p.reply(p.requested("fs/read_text_file"), object{"content": "unsaved\n"})
	for written := false; !written; {
		m := p.next("the buffer is used", func(m rpc) bool { return strings.HasPrefix(m.Method, "fs/") })
		if written = m.Method == "fs/write_text_file"; !written {
			p.reply(m, object{"content": "unsaved\n"})
			continue
		}
		var w struct{ Path, Content string }
		decode(t, m.Params, &w)
		if w.Content != "edited\n" || filepath.Base(w.Path) != "a.txt" {
			t.Errorf("written %+v", w)
		}
		p.reply(m, nil)
	}
	if got := p.stopped(id); got != "end_turn" {
		t.Errorf("stopped with %s", got)
	}
	if n := p.count("fs/read_text_file"); n != 2 { // the read and the edit
		t.Errorf("the client was asked %d times", n)
	}
	if text, err := os.ReadFile(path); string(text) != "on disk\n" {
		t.Errorf("the disk says %q, %v", text, err)
	}
	end := p.next("the edit has ended", func(m rpc) bool { return strings.Contains(m.raw, `"completed"`) && strings.Contains(m.raw, `"diff"`) })
	if !strings.Contains(end.raw, `"oldText":"unsaved\n","newText":"edited\n"`) {
		t.Errorf("the edit is shown as %s", end.raw)
	}
	p.in.Close()
	p.ends("")
}

// What the user types while an edit waits for their permission is not written over: the
// buffer is read again behind the answer.
func TestWhatIsTypedBeforeAnEditIsAllowedStays(t *testing.T) {
	for typed, want := range map[string]struct {
		written bool
		reads   int // the read, the preview, and the edit behind the answer; a refusal looks what is there
	}{"unsaved\n": {true, 3}, "unsaved, and more\n": {false, 4}} {
		p := startFor(t, object{"fs": object{"readTextFile": true, "writeTextFile": true}}, "",
			providertest.Calls(providertest.Call{Name: "read_file", Arguments: `{"path":"a.txt"}`}),
			providertest.Calls(providertest.Call{ID: "edit", Name: "edit_file", Arguments: `{"path":"a.txt","old_string":"unsaved","new_string":"edited"}`}),
			providertest.Text("Done."))
		if err := os.WriteFile(filepath.Join(p.dir, "a.txt"), []byte("on disk\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		session := p.open(p.dir)
		p.result("session/set_config_option", object{"sessionId": session, "configId": "tool_approval", "value": "ask"}, &object{})
		id, buffer, wrote := p.prompt(session, "x"), "unsaved\n", false
		for over := false; !over; {
			m := p.next("the client is asked", func(m rpc) bool {
				return m.Method != "" && len(m.ID) > 0 || m.Method == "" && string(m.ID) == id
			})
			switch m.Method {
			case "fs/read_text_file":
				p.reply(m, object{"content": buffer})
			case "session/request_permission":
				buffer = typed
				p.reply(m, selected("allow_once"))
			case "fs/write_text_file":
				wrote = true
				p.reply(m, nil)
			default:
				over = true
			}
		}
		if wrote != want.written {
			t.Errorf("with %q in the buffer it is written: %t", typed, wrote)
		}
		if n := p.count("fs/read_text_file"); n != want.reads {
			t.Errorf("with %q in the buffer the client was asked %d times", typed, n)
		}
		p.in.Close()
		p.ends("")
	}
}

// A client that only reads does not keep an edit from the disk.
func TestARealEditWithAClientThatOnlyReads(t *testing.T) {
	p := startFor(t, object{"fs": object{"readTextFile": true}}, "",
		providertest.Calls(providertest.Call{Name: "read_file", Arguments: `{"path":"a.txt"}`}),
		providertest.Calls(providertest.Call{Name: "edit_file", Arguments: `{"path":"a.txt","old_string":"saved","new_string":"edited"}`}),
		providertest.Text("Done."))
	path := filepath.Join(p.dir, "a.txt")
	if err := os.WriteFile(path, []byte("saved\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	id := p.prompt(p.open(p.dir), "x")
	for {
		m := p.next("a buffer is read or the turn ends", func(m rpc) bool {
			return m.Method == "fs/read_text_file" || m.Method == "" && string(m.ID) == id
		})
		if m.Method == "" {
			break
		}
		p.reply(m, object{"content": "saved\n"})
	}
	if text, err := os.ReadFile(path); string(text) != "edited\n" {
		t.Errorf("the disk says %q, %v", text, err)
	}
	p.in.Close()
	p.ends("")
}

// Without a sandbox a command runs in the client's terminal, and the model reads what it
// wrote there.
func TestARealCommandRunsInTheClientsTerminal(t *testing.T) {
	p := startFor(t, object{"terminal": true}, "[sandbox]\nbash = \"off\"\n",
		providertest.Calls(providertest.Call{ID: "run", Name: "bash", Arguments: `{"command":"make all"}`}), providertest.Text("Done."))
	id := p.prompt(p.open(p.dir), "x")
	ask := p.requested("terminal/create")
	var create struct {
		Command, Cwd string
		Args         []string
		Env          []struct{ Name, Value string }
	}
	decode(t, ask.Params, &create)
	script := ""
	for _, kv := range create.Env {
		if kv.Name == "REASONIX_SCRIPT" {
			script = kv.Value
		}
	}
	if script != "make all" || len(create.Args) == 0 || !filepath.IsAbs(create.Command) || !filepath.IsAbs(create.Cwd) {
		t.Errorf("the terminal runs %+v", create)
	}
	p.reply(ask, object{"terminalId": "t1"})
	p.reply(p.requested("terminal/wait_for_exit"), object{"exitCode": 2})
	p.reply(p.requested("terminal/output"), object{"output": "no rule\r\n", "truncated": false})
	if got := p.stopped(id); got != "end_turn" {
		t.Errorf("stopped with %s", got)
	}
	if !p.sees(1, `no rule\nexit code 2`) {
		t.Errorf("the model reads %s", p.model.Requests()[1].Body)
	}
	end := p.next("the call has ended", func(m rpc) bool { return strings.Contains(m.raw, `"rawOutput"`) })
	if !strings.Contains(end.raw, `"terminalId":"t1"`) || !strings.Contains(end.raw, `"exitCode":2`) {
		t.Errorf("the call is shown as %s", end.raw)
	}
	p.in.Close()
	p.ends("")
}

// A picture is shown to a model that sees, a linked file is read, and what is embedded
// has no references.
func TestARealPromptOfManyBlocks(t *testing.T) {
	p := startFor(t, object{}, "vision = true\n", providertest.Text("I see."))
	for name, text := range map[string]string{"linked.txt": "the linked text\n", "secret.txt": "not asked for\n"} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	session := p.open(p.dir)
	picture := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\nno picture"))
	id := p.send("session/prompt", object{"sessionId": session, "prompt": []object{
		{"type": "text", "text": "Compare "},
		{"type": "resource_link", "name": "linked.txt", "uri": address(filepath.Join(p.dir, "linked.txt"), "")},
		{"type": "image", "mimeType": "image/png", "data": picture},
		{"type": "resource", "resource": object{"uri": "file:///else", "text": "embedded @secret.txt"}},
	}})
	if got := p.stopped(id); got != "end_turn" {
		t.Errorf("stopped with %s", got)
	}
	for _, words := range []string{"the linked text", "embedded @secret.txt", "data:image/png;base64," + picture} {
		if !p.sees(0, words) {
			t.Errorf("the model does not read %q", words)
		}
	}
	if p.sees(0, "not asked for") {
		t.Error("a reference of embedded text was followed")
	}
	p.in.Close()
	p.ends("")
}

// A command is one here as in a terminal: its report is the answer, and no model is
// asked.
func TestARealCommandAnswers(t *testing.T) {
	p := startFor(t, object{}, "")
	session := p.open(p.dir)
	if got := p.stopped(p.prompt(session, "/help")); got != "end_turn" {
		t.Errorf("stopped with %s", got)
	}
	if text := p.text(session); !strings.Contains(text, "/compact") {
		t.Errorf("the answer is %q", text)
	}
	m := p.call("session/prompt", said(session, "/nonsense at all"))
	if m.Error == nil || m.Error.Code != -32602 || !strings.HasPrefix(m.Error.Message, "session/prompt: prompt: there is no command /nonsense") {
		t.Errorf("no such command: %s", m.raw)
	}
	p.in.Close()
	p.ends("")
}
