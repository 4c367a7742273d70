package commands_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/commands/wire"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
)

// host is an engine in this process, in the victim's world.
func (v *victim) host() protocol.Host {
	v.t.Helper()
	host, err := wire.New(wire.World{Home: v.home, Version: "v0", Environ: os.Environ(), Now: time.Now})
	if err != nil {
		v.t.Fatal(err)
	}
	return host
}

func (v *victim) open(spec protocol.Spec) (protocol.Session, *protocoltest.Client) {
	v.t.Helper()
	spec.Workspace = v.workspace
	s, err := v.host().Open(v.t.Context(), spec)
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() { s.Close() })
	return s, protocoltest.NewClient(v.t, s, nil)
}

// files is the workspace: mode and content of everything.
func (v *victim) files() map[string]string {
	v.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(v.workspace, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		var text []byte
		switch info.Mode().Type() {
		case 0:
			text, err = os.ReadFile(path)
		case fs.ModeSymlink:
			var target string
			target, err = os.Readlink(path)
			text = []byte(target)
		}
		rel, _ := filepath.Rel(v.workspace, path)
		all[rel] = info.Mode().String() + " " + string(text)
		return err
	})
	if err != nil {
		v.t.Fatal(err)
	}
	return all
}

func (v *victim) same(what string, want map[string]string) {
	v.t.Helper()
	if d := cmp.Diff(want, v.files()); d != "" {
		v.t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// rewind submits the op and returns what came of it.
func rewind(t *testing.T, c *protocoltest.Client, op protocol.Rewind) event.Rewound {
	t.Helper()
	n := len(protocoltest.Payloads[event.Rewound](c.Durable()))
	if err := c.Session.Submit(t.Context(), op); err != nil {
		t.Fatal(err)
	}
	var all []event.Rewound
	protocoltest.Until(t, "the session is rewound", func() bool {
		all = protocoltest.Payloads[event.Rewound](c.Durable())
		return len(all) > n
	})
	return all[n]
}

func users(c *protocoltest.Client) (ids []message.ID) {
	for _, s := range protocoltest.Payloads[event.UserSaid](c.Durable()) {
		ids = append(ids, s.Message.ID)
	}
	return ids
}

const ravage = `chmod 600 tool.sh; printf 'by bash\000' > bin; rm -r dir; ln -sfn tool.sh link; mkdir made; echo x > made/x`

// furnished is a workspace whose first turn edits a file and whose second has bash
// change one of everything.
func furnished(t *testing.T) *victim {
	v := bare(t)
	v.model.Add(
		providertest.Calls(read("calc.sh")), providertest.Calls(edit("- $2", "+ $2")), providertest.Text("edited"),
		providertest.Calls(shell(ravage)), providertest.Text("ravaged"),
	)
	return v
}

// bare is its files alone.
func bare(t *testing.T) *victim {
	v := newVictim(t, providertest.New(t))
	v.write(filepath.Join(v.workspace, "calc.sh"), "add() { echo $(($1 - $2)); }\n")
	v.write(filepath.Join(v.workspace, "tool.sh"), "#!/bin/sh\n")
	v.write(filepath.Join(v.workspace, "bin"), "\x00\xff\x01")
	for _, step := range []error{
		os.Chmod(filepath.Join(v.workspace, "tool.sh"), 0o755), os.Mkdir(filepath.Join(v.workspace, "dir"), 0o750),
		os.Symlink("nowhere", filepath.Join(v.workspace, "link")),
	} {
		if step != nil {
			t.Fatal(step)
		}
	}
	v.write(filepath.Join(v.workspace, "dir", "inner"), "inner\n")
	return v
}

// Files come back byte for byte, with modes, links and deletions, whether a tool or bash
// changed them; undoing brings the other state back; both survive a resume.
func TestRewindRestoresFilesAndConversation(t *testing.T) {
	v := furnished(t)
	begun := v.files()
	s, c := v.open(protocol.Spec{})
	c.Say("edit")
	edited := v.files()
	c.Say("ravage")
	ravaged := v.files()
	said := users(c)

	to2 := rewind(t, c, protocol.Rewind{To: said[1], Conversation: true, Files: true})
	v.same("before the second turn", edited)
	to1 := rewind(t, c, protocol.Rewind{To: said[0], Files: true})
	v.same("before the first turn", begun)
	if to1.Head != to2.Head || len(to1.Kept)+len(to2.Kept) > 0 {
		t.Errorf("%+v, then %+v", to2, to1)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, c = v.open(protocol.Spec{Session: s.ID()})
	rewind(t, c, protocol.Rewind{To: to2.Was, Conversation: true, Files: true})
	v.same("undone", ravaged)

	v.model.Add(providertest.Text("still here"))
	if end := sayAs(t, c, "again"); end.Outcome != event.Completed {
		t.Errorf("after all: %+v", end)
	}
	requests := v.model.Requests()
	last := requests[len(requests)-1]
	if !strings.Contains(string(last.Body), "ravaged") {
		t.Error("the model was not sent the conversation that came back")
	}
	rewind(t, c, protocol.Rewind{To: said[1], Conversation: true})
	v.model.Add(providertest.Text("elsewhere"))
	sayAs(t, c, "another way")
	requests = v.model.Requests()
	if last := requests[len(requests)-1]; strings.Contains(string(last.Body), "ravage") || !strings.Contains(string(last.Body), "edited") {
		t.Errorf("the model was sent what was rewound: %s", last.Body)
	}
}

func sayAs(t *testing.T, c *protocoltest.Client, id event.PromptID) event.TurnEnded {
	t.Helper()
	if err := c.Session.Submit(t.Context(), protocol.Prompt{ID: id, Text: string(id)}); err != nil {
		t.Fatal(err)
	}
	return c.Ended(id)
}

// From the command line: one message back, and the undo.
func TestSessionRewindCommand(t *testing.T) {
	v := furnished(t)
	for _, text := range []string{"first", "second"} {
		args := []string{"run", text}
		if text == "second" {
			args = []string{"run", "--continue", text}
		}
		if out, err := v.command(args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	ravaged := v.files()
	id := string(v.onlySession())
	out, err := v.command("session", "rewind", id, "--to", "2").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "restored  ") || !strings.Contains(string(out), "removed  ") {
		t.Fatalf("%v\n%s", err, out)
	}
	if text := v.files()["dir/inner"]; !strings.HasSuffix(text, "inner\n") {
		t.Errorf("dir/inner is %q", text)
	}
	if out, err := v.command("session", "rewind", id, "--to", "#1").CombinedOutput(); err == nil || !strings.Contains(string(out), "no message of yours") {
		t.Errorf("a record that is no message: %v\n%s", err, out)
	}
	if out, err := v.command("session", "rewind", id, "--to", "2").CombinedOutput(); err == nil {
		t.Errorf("a second message is still there:\n%s", out)
	}
	if out, err := v.command("session", "rewind", id, "--undo").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	v.same("undone", ravaged)
	if out, err := v.command("session", "delete", "--yes", id).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if left, _ := filepath.Glob(filepath.Join(v.home, "projects", "*", "checkpoints", "*")); len(left) > 0 {
		t.Errorf("left of the deleted session: %v", left)
	}
}

// From the command line one rewind after the other is taken back, and then brought again
// by its record; a message that a rewind left behind is reached by its own.
func TestSessionRewindWalksBack(t *testing.T) {
	v := furnished(t)
	begun := v.files()
	s, c := v.open(protocol.Spec{})
	c.Say("edit")
	edited := v.files()
	sayAs(t, c, "ravage")
	ravaged := v.files()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	run := func(want map[string]string, args ...string) string {
		t.Helper()
		out, err := v.command(append([]string{"session", "rewind", string(s.ID())}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
		v.same(strings.Join(args, " "), want)
		_, after, _ := strings.Cut(string(out), "--to '")
		record, _, _ := strings.Cut(after, "'")
		return record
	}
	second := ""
	for _, env := range c.Durable() {
		if said, ok := env.Payload.(event.UserSaid); ok && said.Display == "ravage" {
			second = fmt.Sprint("#", env.Seq)
		}
	}
	run(edited, "--to", "2")
	run(begun, "--to", "1")
	run(edited, "--undo")
	undone := run(ravaged, "--undo")
	if out, err := v.command("session", "rewind", string(s.ID()), "--undo").CombinedOutput(); err == nil || !strings.Contains(string(out), undone) {
		t.Errorf("a third undo: %v\n%s", err, out)
	}
	run(edited, "--to", undone)
	run(begun, "--to", "1")
	run(edited, "--to", second)
}

// Who writes while a command runs is not known: a rewind says so of what it puts back,
// and its undo brings it again.
func TestRewindMarksWhatChangedWhileACommandRan(t *testing.T) {
	v := newVictim(t, providertest.New(t))
	at := func(name string) string { return filepath.Join(v.workspace, name) }
	v.model.Add(
		providertest.Calls(shell("touch begun; until [ -e go ]; do sleep 0.02; done")), providertest.Text("done"),
		providertest.Calls(read("calc.sh")), providertest.Calls(edit("edit", "change")), providertest.Text("done"),
	)
	v.write(at("calc.sh"), "to edit\n")
	v.write(at("notes"), "notes\n")
	s, c := v.open(protocol.Spec{})
	if err := s.Submit(t.Context(), protocol.Prompt{ID: "p", Text: "x"}); err != nil {
		t.Fatal(err)
	}
	protocoltest.Until(t, "the command runs", func() bool { _, err := os.Stat(at("begun")); return err == nil })
	v.write(at("notes"), "by hand\n")
	v.write(at("go"), "")
	c.Ended("p")
	sayAs(t, c, "edit")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	after := v.files()
	run := func(args ...string) string {
		out, err := v.command(append([]string{"session", "rewind", string(s.ID())}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	const mark = "(changed while a command ran)"
	out := run("--to", "1", "--files")
	if !strings.Contains(out, "notes  "+mark) || strings.Contains(out, "calc.sh  "+mark) || !strings.Contains(out, "--undo brings it back") {
		t.Errorf("said:\n%s", out)
	}
	if got := v.files()["notes"]; !strings.HasSuffix(got, "notes\n") {
		t.Errorf("notes are %q", got)
	}
	if out := run("--undo"); strings.Contains(out, mark) {
		t.Errorf("the undo said:\n%s", out)
	}
	v.same("undone", after)
}

// So are rewinds of files alone, which leave the conversation where it is.
func TestRewindsOfFilesWalkBack(t *testing.T) {
	v := furnished(t)
	begun := v.files()
	s, c := v.open(protocol.Spec{})
	c.Say("edit")
	edited := v.files()
	sayAs(t, c, "ravage")
	ravaged := v.files()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	run := func(want map[string]string, args ...string) {
		t.Helper()
		if out, err := v.command(append([]string{"session", "rewind", string(s.ID())}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
		v.same(strings.Join(args, " "), want)
	}
	run(edited, "--to", "2", "--files")
	run(begun, "--to", "1", "--files")
	run(edited, "--undo")
	run(ravaged, "--undo")
	if out, err := v.command("session", "rewind", string(s.ID()), "--undo").CombinedOutput(); err == nil {
		t.Errorf("a third undo:\n%s", out)
	}
	run(begun, "--to", "1")
	run(ravaged, "--undo")
}

// What the user wrote between turns and since is theirs.
func TestRewindKeepsWhatTheUserWrote(t *testing.T) {
	v := furnished(t)
	_, c := v.open(protocol.Spec{})
	c.Say("edit")
	v.write(filepath.Join(v.workspace, "bin"), "mine\n") // then bash writes it too
	c.Say("ravage")
	v.write(filepath.Join(v.workspace, "calc.sh"), "all mine\n")
	v.write(filepath.Join(v.workspace, "made", "mine"), "mine\n")
	done := rewind(t, c, protocol.Rewind{To: users(c)[0], Conversation: true, Files: true})
	got := v.files()
	for name, want := range map[string]string{"calc.sh": "all mine\n", "bin": "mine\n", "made/mine": "mine\n", "dir/inner": "inner\n"} {
		if _, text, _ := strings.Cut(got[name], " "); text != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
	kept := map[string]bool{}
	for _, k := range done.Kept {
		kept[filepath.Base(k.Path)] = true
	}
	if !kept["calc.sh"] || !kept["made"] || len(kept) != 2 {
		t.Errorf("warned of %+v", done.Kept)
	}
}

// The directory a command went to, exports aside, is where a resumed session's next
// command starts; the todo list comes back too.
func TestAResumedSessionGoesOnWhereItWas(t *testing.T) {
	v := newVictim(t, providertest.New(t))
	v.model.Add(
		providertest.Calls(shell("mkdir -p sub/deep && cd sub/deep")), providertest.Text("there"),
		providertest.Calls(shell("pwd")), providertest.Text("still there"),
	)
	s, c := v.open(protocol.Spec{})
	c.Say("go")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, c = v.open(protocol.Spec{Session: s.ID()})
	sayAs(t, c, "where")
	finished := protocoltest.Payloads[event.ToolFinished](c.Durable())
	if text := finished[1].Message.Content; !strings.Contains(text, filepath.Join("sub", "deep")) {
		t.Errorf("the resumed session is in %s", text)
	}
}

// A turn that writes has the workspace to itself; another waits, says for whom, and can
// be cancelled; reading waits for nobody.
func TestOneTurnWritesAWorkspaceAtATime(t *testing.T) {
	v := newVictim(t, providertest.New(t))
	gate := make(chan struct{})
	v.model.Respond(func(r *providertest.Received) providertest.Reply {
		body, done := string(r.Body), r.Messages[len(r.Messages)-1].Role == "tool"
		switch {
		case done && strings.Contains(body, "holder"):
			return providertest.Text("done").GateAt(0, gate)
		case done:
			return providertest.Text("done")
		case strings.Contains(body, "reader"):
			return providertest.Calls(read("a.txt"))
		}
		return providertest.Calls(shell("echo x >> a.txt"))
	})
	v.write(filepath.Join(v.workspace, "a.txt"), "a\n")
	holder, first := v.open(protocol.Spec{})
	if err := holder.Submit(t.Context(), protocol.Prompt{ID: "h", Text: "holder"}); err != nil {
		t.Fatal(err)
	}
	protocoltest.Wait[event.ToolFinished](t, first.Collector, nil)

	if _, c := v.open(protocol.Spec{}); c.Say("reader").Outcome != event.Completed {
		t.Error("reading waits")
	}
	second, c := v.open(protocol.Spec{})
	for _, id := range []event.PromptID{"cancelled", "patient"} {
		n := len(c.Events())
		if err := second.Submit(t.Context(), protocol.Prompt{ID: id, Text: "writer"}); err != nil {
			t.Fatal(err)
		}
		protocoltest.Until(t, "the second waits", func() bool {
			for _, p := range protocoltest.Payloads[event.Phase](c.Events()[n:]) {
				if p.Name == event.PhaseWorkspace && strings.HasPrefix(p.Holder, "pid ") {
					return true
				}
			}
			return false
		})
		if id == "cancelled" {
			if err := second.Submit(t.Context(), protocol.Cancel{}); err != nil {
				t.Fatal(err)
			}
			if end := c.Ended(id); end.Outcome != event.Cancelled {
				t.Errorf("%+v", end)
			}
		}
	}
	close(gate)
	if end := c.Ended("patient"); end.Outcome != event.Completed {
		t.Errorf("%+v", end)
	}
}
