package commands_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/provider/providertest"
)

// isSummary reports whether a request asks for the summary of a conversation.
func isSummary(r *providertest.Received) bool { return len(r.Tools) == 0 }

// reader reads the file the user names, then answers.
func reader(r *providertest.Received) providertest.Reply {
	reply := providertest.Text("read")
	switch {
	case isSummary(r):
		reply = providertest.Text("Aim: the files are read one by one.")
	case r.Last().Role == "user":
		words := strings.Fields(r.Last().Content)
		reply = providertest.Calls(read(words[len(words)-1]))
	}
	return reply.Usage(len(r.Body)/4, 0, 10)
}

// newSmall is a victim whose model has a small window, and files to read.
func newSmall(t *testing.T, files int) *victim {
	v := newVictim(t, providertest.New(t))
	config := filepath.Join(v.home, "config.toml")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	v.write(config, string(text)+"context_window = 16000\n")
	for i := range files {
		v.write(filepath.Join(v.workspace, fmt.Sprintf("f%d.txt", i)), strings.Repeat(fmt.Sprintf("line of file %d\n", i), 400))
	}
	v.model.Respond(reader)
	return v
}

// said are the user's words in a request.
func said(r *providertest.Received) string {
	var all strings.Builder
	for _, m := range r.Messages {
		if m.Role == "user" {
			all.WriteString(m.Content + "\n")
		}
	}
	return all.String()
}

// A conversation longer than the window goes on; what was folded is in the archive,
// and a file that was read stays one that may be written.
func TestALongSessionCompactsItself(t *testing.T) {
	v := newSmall(t, 16)
	args, told := []string{"run"}, ""
	for i := range 16 {
		args = append(args, fmt.Sprintf("look at f%d.txt", i))
		if i >= 12 {
			args = append(args, "--output-format", "stream-json")
		}
		out, err := v.command(args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		args, told = []string{"run", "--continue"}, told+string(out)
	}
	boundaries := strings.Count(told, `"subtype":"compact_boundary"`)
	if boundaries == 0 || strings.Count(told, `"cache_lost_tokens"`) != 2*boundaries { // and in the final objects
		t.Errorf("%d boundaries in\n%s", boundaries, told)
	}
	if !strings.Contains(told, "· compacted (") || !strings.Contains(told, "originals in archive/") {
		t.Errorf("told:\n%s", told)
	}
	if n := strings.Count(told, "of the context window is used"); n == 0 {
		t.Errorf("nobody said that the window fills up:\n%s", told)
	}
	archives, err := os.ReadDir(filepath.Join(v.home, "archive"))
	if err != nil || len(archives) != strings.Count(told, "originals in archive/")+boundaries {
		t.Errorf("%d archives: %v", len(archives), err)
	}
	requests := v.model.Requests()
	last := said(requests[len(requests)-1])
	for i := range 16 {
		if !strings.Contains(last, fmt.Sprintf("look at f%d.txt", i)) {
			t.Errorf("turn %d is lost", i)
		}
	}
	v.model.Respond(func(r *providertest.Received) providertest.Reply {
		if r.Last().Role == "user" && !isSummary(r) {
			return providertest.Calls(providertest.Call{Name: "write_file", Arguments: `{"path":"f0.txt","content":"new\n"}`})
		}
		return providertest.Text("done")
	})
	if out, err := v.command("run", "--continue", "write f0.txt").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if text, err := os.ReadFile(filepath.Join(v.workspace, "f0.txt")); err != nil || string(text) != "new\n" {
		t.Errorf("%.20q %v: what was read before a compaction is not known any more", text, err)
	}
}

// A kill while the summary is written leaves the conversation as it was.
func TestAKillDuringTheSummaryLosesNothing(t *testing.T) {
	v := newSmall(t, 12)
	args := []string{"run"}
	for i := range 12 {
		if out, err := v.command(append(args, fmt.Sprintf("look at f%d.txt", i), "--model", "m")...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		args = []string{"run", "--continue"}
	}
	config := filepath.Join(v.home, "config.toml")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	v.write(config, strings.Replace(string(text), "16000", "4000", 1)) // now it must fold
	cmd := v.command("run", "--continue", "look at f0.txt")
	begun := make(chan struct{})
	v.model.Respond(func(r *providertest.Received) providertest.Reply {
		if isSummary(r) {
			close(begun)
			return providertest.Text("never").Gate(nil)
		}
		return reader(r)
	})
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		<-begun
		_ = cmd.Process.Kill() // it is this test's to end
	}()
	if err := cmd.Wait(); err == nil {
		t.Fatal("there was no summary to kill it at")
	}
	v.model.Respond(reader)
	v.write(config, string(text))
	if out, err := v.command("run", "--continue", "look at f1.txt").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	requests := v.model.Requests()
	last := said(requests[len(requests)-1])
	for i := range 12 {
		if !strings.Contains(last, fmt.Sprintf("look at f%d.txt", i)) {
			t.Errorf("turn %d is lost", i)
		}
	}
}

// The planner reads on its own endpoint, and the model that works gets its plan.
func TestAPlannerPlans(t *testing.T) {
	v := newSmall(t, 1)
	plans := providertest.New(t)
	plans.Respond(func(r *providertest.Received) providertest.Reply {
		if r.Last().Role == "user" {
			return providertest.Calls(read("f0.txt"))
		}
		return providertest.Text("1. Look at line 400.")
	})
	config := filepath.Join(v.home, "config.toml")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	v.write(config, strings.Replace(string(text), "[environment]", "[agent]\nplanner_model = \"p\"\n[environment]", 1)+
		fmt.Sprintf("[[providers]]\nname = \"p\"\nbase_url = %q\nmodel = \"two\"\napi_key_env = \"\"\n", plans.BaseURL()))
	v.write(filepath.Join(v.workspace, "AGENTS.md"), "Be kind to the gophers.\n")
	for _, args := range [][]string{{"run", "look at f0.txt"}, {"run", "--continue", "continue"}, {"run", "--continue", "now look at f0.txt"}} {
		v.model.Respond(func(r *providertest.Received) providertest.Reply { return providertest.Text("done") })
		if out, err := v.command(args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	v.model.CheckPrefix(t)
	plans.CheckPrefix(t)
	if n := len(v.model.Requests()); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
	if sent := said(v.model.Requests()[2]); strings.Count(sent, "1. Look at line 400.") != 2 {
		t.Errorf("sent %s", sent)
	}
	asked := plans.Requests()
	if len(asked) != 4 {
		t.Fatalf("%d requests to the planner, want 4", len(asked))
	}
	if tools := strings.Join(asked[0].Tools, " "); tools != "glob grep history ls memory read_file web_fetch" {
		t.Errorf("the planner has %s", tools)
	}
	if !strings.Contains(asked[0].Messages[0].Content, "Be kind to the gophers.") {
		t.Error("the planner does not know the instructions")
	}
}
