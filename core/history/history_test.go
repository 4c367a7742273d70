package history_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/history"
	"reasonix/core/message"
)

func TestHitSaysWhereAndWho(t *testing.T) {
	w := newWorld(t)
	j := w.journal("app", "20260102-150405-aaaaaa")
	j.emit(event.Configured{Model: "m"})
	j.user("why does the watchdog fire?\nmore")
	j.reply("Looking.", message.ToolCall{ID: "1", Name: "grep", Arguments: `{"pattern":"heartbeatInterval","path":"core/lease.go"}`})
	seq := j.result("grep", "grep heartbeatInterval", strings.Repeat("filler text ", 60)+"lease.go:12: heartbeatInterval is thirty seconds "+strings.Repeat("more filler ", 60))
	j.reply("The watchdog fires because heartbeats come too late.")
	r := search(t, w.history("app"), history.Query{Text: "thirty seconds heartbeat"})
	if len(r.Hits) == 0 {
		t.Fatal("no hit")
	}
	h := r.Hits[0]
	if !strings.Contains(h.Snippet, "heartbeatInterval is thirty seconds") || len(h.Snippet) > 260 {
		t.Errorf("snippet %q", h.Snippet)
	}
	var marked []string
	for _, m := range h.Marks {
		marked = append(marked, h.Snippet[m.Start:m.End])
	}
	if diff := cmp.Diff([]string{"heartbeatInterval", "thirty", "seconds"}, marked); diff != "" {
		t.Errorf("marked (-want +got):\n%s", diff)
	}
	h.Snippet, h.Marks, h.Score = "", nil, 0
	want := history.Hit{
		Session: "20260102-150405-aaaaaa", Workspace: "/work/app", Own: true, Title: "why does the watchdog fire?", Seq: seq, Turn: 1,
		Time: epoch.Add(time.Duration(seq) * time.Second), Role: message.ToolRole, Tool: "grep", Terms: []string{"thirty", "seconds", "heartbeat"},
	}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Errorf("hit (-want +got):\n%s", diff)
	}
	j.emit(event.Configured{Model: "m", Title: "The watchdog"})
	if got := search(t, w.history("app"), history.Query{Text: "heartbeat"}).Hits[0].Title; got != "The watchdog" {
		t.Errorf("title %q", got)
	}
}

func TestWhatIsTakenIn(t *testing.T) {
	w := newWorld(t)
	j := w.journal("app", "s1")
	j.user("typed giraffe")
	j.reply("said lion", message.ToolCall{Name: "write_file", Arguments: `{"content":"tab\there panther\nnext jaguar","path":"src/ocelot.go"}`},
		message.ToolCall{Name: "history", Arguments: `{"query":"wombat"}`})
	j.result("bash", "go test ./badger", "FAIL otter")
	j.result("history", "history wombat", "1 hit: wombat")
	j.user("next turn")
	h := w.history("app")
	for word, found := range map[string]bool{
		"giraffe": true, "lion": true, "panther": true, "jaguar": true, "ocelot": true, "badger": true, "otter": true, "write_file": true,
		"zebra": false, "okapi": false, "wombat": false, "query": false,
	} {
		if got := len(search(t, h, history.Query{Text: word}).Hits) > 0; got != found {
			t.Errorf("%s found: %v, want %v", word, got, found)
		}
	}
}

func TestScopes(t *testing.T) {
	w := newWorld(t)
	w.journal("app", "s1").user("the quokka in app")
	w.journal("other", "s2").user("the quokka in other")
	archive := filepath.Join(w.home, "archive", "20260102T150405.000-s3-0001.jsonl")
	if err := os.MkdirAll(filepath.Dir(archive), 0o700); err != nil {
		t.Fatal(err)
	}
	lines := encode(t, message.Message{Role: message.User, Content: "first"}) + "not json\n" +
		encode(t, message.Message{Role: message.Assistant, Content: "the quokka in the archive"})
	if err := os.WriteFile(archive, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	h := w.history("app")
	if diff := cmp.Diff([]string{"s1:1"}, places(search(t, h, history.Query{Text: "quokka"}))); diff != "" {
		t.Errorf("project (-want +got):\n%s", diff)
	}
	global := search(t, h, history.Query{Text: "quokka", Scope: history.Global})
	got := map[string]string{}
	for _, h := range global.Hits {
		got[fmt.Sprintf("%s:%d", h.Session, h.Seq)] = h.Workspace
	}
	want := map[string]string{"s1:1": "/work/app", "s2:1": "/work/other", "archive/20260102T150405.000-s3-0001:3": ""}
	if diff := cmp.Diff(want, got); diff != "" || global.Sessions != 3 {
		t.Errorf("global of %d (-want +got):\n%s", global.Sessions, diff)
	}
	one := search(t, h, history.Query{Text: "quokka", Scope: history.Global, Session: "s2"})
	if diff := cmp.Diff([]string{"s2:1"}, places(one)); diff != "" {
		t.Errorf("one session (-want +got):\n%s", diff)
	}
	none := search(t, h, history.Query{Text: "axolotl"})
	if len(none.Hits) != 0 || none.Sessions != 1 {
		t.Errorf("got %+v", none)
	}
	shown, err := h.Show(t.Context(), history.Window{Session: "archive/20260102T150405.000-s3-0001", Around: 3, Before: 1, After: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(shown.Entries) != 2 || shown.Entries[0].Text != "first" || shown.Entries[1].Seq != 3 {
		t.Errorf("archive window %+v", shown.Entries)
	}
}

func encode(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data) + "\n"
}

// What was asked just now is no answer to it; results of the running turn are.
func TestTheRunningTurnIsNoHit(t *testing.T) {
	w := newWorld(t)
	j := w.journal("app", "now")
	old := j.user("the mongoose plan")
	j.user("what did we say about the mongoose?")
	j.reply("I search for mongoose.")
	result := j.result("bash", "cat notes", "mongoose notes")
	got := places(search(t, w.history("app"), history.Query{Text: "mongoose", Current: "now"}))
	want := []string{fmt.Sprintf("now:%d", old), fmt.Sprintf("now:%d", result)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// SE-01: a journal that was cut and goes on, with damaged lines in it.
func TestSE01DamagedLinesAreSkipped(t *testing.T) {
	w := newWorld(t)
	j := w.journal("app", "s1")
	j.user("the first tapir")
	j.user("the second tapir")
	j.user("the third tapir")
	data, err := os.ReadFile(j.path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	lines[2] = strings.Replace(lines[2], "second", "2nd", 1)
	torn := strings.Join(lines, "") + "\x00\xffgarbage\n{\"seq\":9\n" + lines[3][:40]
	if err := os.WriteFile(j.path, []byte(torn), 0o600); err != nil {
		t.Fatal(err)
	}
	h := w.history("app")
	if diff := cmp.Diff([]string{"s1:3", "s1:1"}, places(search(t, h, history.Query{Text: "tapir"}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	tr, err := h.Show(t.Context(), history.Window{Session: "s1", Before: 10})
	if err != nil || len(tr.Entries) != 2 {
		t.Errorf("%d entries: %v", len(tr.Entries), err)
	}
}

func TestRepeatsAreOneHit(t *testing.T) {
	w := newWorld(t)
	for i := range 5 {
		w.journal("app", fmt.Sprintf("s%d", i)).result("bash", "run", "the same capybara output")
	}
	if got := len(search(t, w.history("app"), history.Query{Text: "capybara"}).Hits); got != 1 {
		t.Errorf("%d hits", got)
	}
}

func TestNothingThere(t *testing.T) {
	w := newWorld(t)
	for _, scope := range []history.Scope{history.Project, history.Global} {
		if r := search(t, w.history("app"), history.Query{Text: "anything", Scope: scope}); len(r.Hits) > 0 || r.Sessions > 0 {
			t.Errorf("%s: %+v", scope, r)
		}
	}
	if entries, err := os.ReadDir(w.home); err != nil || len(entries) > 0 {
		t.Errorf("searching nothing made %v: %v", entries, err)
	}
}
