package commands_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"reasonix/core/provider/providertest"
)

// callsUntil plays n steps of one call each, then an answer.
func callsUntil(n int) func(*providertest.Received) providertest.Reply {
	return func(r *providertest.Received) providertest.Reply {
		steps := 0
		for _, m := range r.Messages {
			if len(m.ToolCalls) > 0 {
				steps++
			}
		}
		switch {
		case steps >= n:
			return providertest.Text("done")
		case steps%10 == 9:
			return providertest.Calls(shell(fmt.Sprint("echo ", steps)))
		case steps%3 == 2:
			return providertest.Calls(read("a.txt"), read("b.txt"))
		}
		return providertest.Calls(providertest.Call{Name: "write_file", Arguments: fmt.Sprintf(`{"path":"n%d.txt","content":"%d\n"}`, steps, steps)})
	}
}

func TestTwoHundredCallsAreTwoHundredExtensions(t *testing.T) {
	v := newVictim(t, providertest.New(t))
	v.write(filepath.Join(v.workspace, "a.txt"), "a\n")
	v.write(filepath.Join(v.workspace, "b.txt"), "b <&> ü 漢\n")
	v.model.Respond(callsUntil(200))
	if out, err := v.command("run", "work").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := len(v.model.Requests()); n != 201 {
		t.Errorf("%d requests, want 201", n)
	}
	v.model.CheckPrefix(t)
}

// A resumed session extends what the first process sent, and two sessions of one
// day share everything before the user's words.
func TestThePrefixSurvivesResumeAndANewSession(t *testing.T) {
	v := newVictim(t, providertest.New(t))
	v.model.Respond(callsUntil(3))
	v.write(filepath.Join(v.workspace, "AGENTS.md"), "Be kind.\n")
	for _, args := range [][]string{{"run", "one"}, {"run", "--continue", "two"}, {"run", "three"}} {
		v.write(filepath.Join(v.workspace, "a.txt"), "a\n")
		v.write(filepath.Join(v.workspace, "b.txt"), "b\n")
		if out, err := v.command(args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	requests := v.model.Requests() // 4 of the first run, 1 of the resumed, 4 of the new
	if b := providertest.FirstBreak(requests[:5]); b != nil {
		t.Errorf("resume: %s", b)
	}
	first, _, ok := bytes.Cut(requests[0].Body, []byte(`"one"`))
	if !ok || !bytes.HasPrefix(requests[5].Body, first) {
		t.Errorf("a new session of the same day begins differently:\n%s\n%s", requests[0].Body, requests[5].Body)
	}
}
