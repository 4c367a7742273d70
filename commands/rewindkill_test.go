package commands_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
)

// SE-03: a process is killed while a command runs that has changed one of everything.
// The next one knows what it changed and takes it back.
func TestRewindOfACommandThatWasKilled(t *testing.T) {
	v := bare(t)
	begun := v.files()
	v.model.Respond(func(*providertest.Received) providertest.Reply {
		return providertest.Calls(shell(ravage + "; rm calc.sh; touch ravaged; sleep 60"))
	})
	cmd := v.command("run", "ravage")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	protocoltest.Until(t, "the command did its work", func() bool {
		_, err := os.Stat(filepath.Join(v.workspace, "ravaged"))
		return err == nil
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed

	s, c := v.open(protocol.Spec{Session: v.onlySession()})
	done := rewind(t, c, protocol.Rewind{To: users(c)[0], Conversation: true, Files: true})
	v.same("taken back", begun)
	if len(done.Kept) > 0 {
		t.Errorf("kept %+v", done.Kept)
	}
	rewind(t, c, protocol.Rewind{To: done.Was, Conversation: true, Files: true})
	if _, err := os.Stat(filepath.Join(v.workspace, "ravaged")); err != nil {
		t.Errorf("undone: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(v.home, "projects", "*", "checkpoints", "*", "sight.*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A rewind is killed while it puts files back, wherever it is: the next process ends it,
// and it can be undone as a whole.
func TestARewindThatWasKilledIsFinished(t *testing.T) {
	v := newVictim(t, providertest.New(t))
	const n = 400
	for i := range n {
		v.write(filepath.Join(v.workspace, fmt.Sprintf("f%04d", i)), fmt.Sprintf("text of %d\n", i))
	}
	begun := v.files()
	v.model.Add(providertest.Calls(shell("for f in f*; do echo changed > $f; done")), providertest.Text("done"))
	if out, err := v.command("run", "change them").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	changed := v.files()
	id := v.onlySession()
	cmd := v.command("session", "rewind", string(id), "--to", "1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	protocoltest.Until(t, "the first files are back", func() bool {
		data, err := os.ReadFile(filepath.Join(v.workspace, "f0050"))
		return err == nil && strings.HasPrefix(string(data), "text")
	})
	_ = cmd.Process.Kill() // it may have ended by now
	_ = cmd.Wait()
	between := v.files()
	back := 0
	for name, text := range between {
		if text == begun[name] {
			back++
		}
	}
	t.Logf("%d of %d were back when it was killed", back, n)

	_, c := v.open(protocol.Spec{Session: id})
	v.same("finished", begun)
	all := protocoltest.Payloads[event.Rewound](c.Durable())
	if len(all) != 1 || len(all[0].Files) != n || len(all[0].Kept) > 0 {
		t.Fatalf("%d rewinds", len(all))
	}
	rewind(t, c, protocol.Rewind{To: all[0].Was, Conversation: true, Files: true})
	v.same("undone", changed)
}

// What a command in the background changes while no call runs is known when the turn
// ends, and taken back with it.
func TestRewindOfABackgroundCommand(t *testing.T) {
	v := bare(t)
	begun := v.files()
	late := filepath.Join(v.workspace, "late")
	v.model.Respond(func(r *providertest.Received) providertest.Reply {
		if len(r.Messages) <= 2 {
			return providertest.Calls(providertest.Call{Name: "bash", Arguments: `{"command":"sleep 0.3; echo job > calc.sh; rm bin; touch late","run_in_background":true}`})
		}
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); <-tick.C {
			if _, err := os.Stat(late); err == nil {
				break
			}
		}
		return providertest.Text("it runs")
	})
	_, c := v.open(protocol.Spec{})
	c.Say("in the background")
	if _, err := os.Stat(late); err != nil {
		t.Fatal(err)
	}
	done := rewind(t, c, protocol.Rewind{To: users(c)[0], Conversation: true, Files: true})
	v.same("taken back", begun)
	if len(done.Kept) > 0 {
		t.Errorf("kept %+v", done.Kept)
	}
}

// The result of a call says when it began, how long it took, how it ended and what it
// read and wrote, without another record.
func TestAResultSaysWhatACallDid(t *testing.T) {
	v := bare(t)
	v.model.Add(
		providertest.Calls(read("calc.sh")), providertest.Calls(edit("- $2", "+ $2")), providertest.Calls(shell("rm bin; exit 3")),
		providertest.Text("done"),
	)
	before := time.Now()
	s, c := v.open(protocol.Spec{Client: "a test"})
	c.Say("go")
	at := func(name string) []string { return []string{filepath.ToSlash(filepath.Join(v.workspace, name))} }
	want := []struct{ reads, writes []string }{{at("calc.sh"), nil}, {nil, at("calc.sh")}, {nil, at("bin")}}
	for i, f := range protocoltest.Payloads[event.ToolFinished](c.Durable()) {
		if !slices.Equal(f.Reads, want[i].reads) || !slices.Equal(f.Writes, want[i].writes) {
			t.Errorf("call %d: reads %q, writes %q", i, f.Reads, f.Writes)
		}
		if f.Started.Before(before) || f.Took <= 0 || f.Started.Add(f.Took).After(time.Now()) {
			t.Errorf("call %d: began %s, took %s", i, f.Started, f.Took)
		}
		if i == 2 && (f.Exit == nil || *f.Exit != 3) {
			t.Errorf("exit %v", f.Exit)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := v.command("session", "show", string(s.ID()), "--output-format", "json").Output()
	if err != nil || !strings.Contains(string(out), `"client": "a test"`) || !strings.Contains(string(out), `"outcome": "completed"`) {
		t.Errorf("%v\n%s", err, out)
	}
}
