package recall_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
	"reasonix/core/tool"
	_ "reasonix/core/tool/recall"
	"reasonix/core/tool/tooltest"
)

func historyTool(t testing.TB) tool.Tool {
	t.Helper()
	for _, tl := range tool.Builtins() {
		if tl.Name() == "history" {
			return tl
		}
	}
	t.Fatal("history is not registered")
	return nil
}

// saved writes a session into a project of home and returns the tool's settings.
func saved(t testing.TB, home, project, id string, payloads ...event.Payload) tool.Settings {
	t.Helper()
	dirs := tool.HistoryDirs{Projects: filepath.Join(home, "projects"), Archive: filepath.Join(home, "archive")}
	dirs.Sessions = filepath.Join(dirs.Projects, project, "sessions")
	log, err := jsonl.New(dirs.Sessions, jsonl.Options{Workspace: "/work/" + project}).Create(t.Context(), session.Meta{ID: event.SessionID(id)})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range payloads {
		at := time.Date(2026, 1, 2, 3, 4, i, 0, time.UTC)
		if err := log.Append(event.Envelope{Seq: event.Seq(i + 1), Turn: i + 1, Time: at, Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	return tool.Settings{HistoryDirs: dirs}
}

func said(text string) event.Payload { return event.UserSaid{Display: text} }

func ran(name, text string) event.Payload {
	return event.ToolFinished{Message: message.Message{Role: message.ToolRole, Name: name, Content: text}}
}

func history(t testing.TB, set tool.Settings, args string) string {
	t.Helper()
	out, err := tooltest.Bind(t, historyTool(t), tooltest.Env(t, t.TempDir(), tooltest.Settings(set))).Execute(t.Context(), json.RawMessage(args))
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	return out
}

func TestHistoryConformance(t *testing.T) {
	set := saved(t, t.TempDir(), "app", "s1", said("why does the watchdog fire?"))
	tooltest.Run(t, historyTool(t), tooltest.Args(`{"query":"watchdog","limit":3}`), tooltest.In(tooltest.Settings(set)))
	tl := historyTool(t)
	if got := len(tl.Name()) + len(tl.Description()) + len(tl.Schema()); !tl.ReadOnly() || got > 315 {
		t.Errorf("%d bytes of a request", got)
	}
}

func TestHistoryLeadsFromAHitToItsSurroundings(t *testing.T) {
	home := t.TempDir()
	saved(t, home, "other", "s2", said("the watchdog of another project"))
	set := saved(t, home, "app", "s1", said("why does the watchdog fire?"), ran("bash", "heartbeat late by 30 s"), said("thanks"))
	found := history(t, set, `{"query":"heartbeat late"}`)
	for _, want := range []string{"s1 #2 2026-01-02 03:04Z tool bash, \"why does the watchdog fire?\"\n  heartbeat late by 30 s", "around"} {
		if !strings.Contains(found, want) {
			t.Errorf("lacks %q:\n%s", want, found)
		}
	}
	shown := history(t, set, `{"session":"s1","around":2,"limit":1}`)
	want := "s1 \"why does the watchdog fire?\"\n#1 2026-01-02 03:04Z user: why does the watchdog fire?\n" +
		"#2 2026-01-02 03:04Z tool bash: heartbeat late by 30 s\n#3 2026-01-02 03:04Z user: thanks"
	if shown != want {
		t.Errorf("got\n%s\nwant\n%s", shown, want)
	}
	if got := history(t, set, `{"query":"watchdog","scope":"global"}`); !strings.Contains(got, "s2 #1 2026-01-02 03:04Z user in /work/other") {
		t.Errorf("a hit elsewhere does not say whose:\n%s", got)
	}
}

func TestHistoryGuidesWhenNothingFits(t *testing.T) {
	set := saved(t, t.TempDir(), "app", "s1", said("something"))
	got := history(t, set, `{"query":"axolotl"}`)
	if !strings.Contains(got, "in 1 session of this workspace") || !strings.Contains(got, "rarer") || !strings.Contains(got, "global") {
		t.Errorf("got %s", got)
	}
	if got := history(t, set, `{"query":"axolotl","scope":"global"}`); strings.Contains(got, "Scope global") {
		t.Errorf("got %s", got)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	var list []event.Payload
	for i := range 40 {
		list = append(list, ran("bash", fmt.Sprintf("platypus %d ", i)+strings.Repeat(fmt.Sprintf("word%d ", i), 4000)))
	}
	set := saved(t, t.TempDir(), "app", "s1", list...)
	set.OutputCap = 3000
	for _, args := range []string{`{"query":"platypus","limit":20}`, `{"session":"s1","around":20,"limit":20}`, `{"session":"s1"}`} {
		if got := history(t, set, args); len(got) > 3000 || len(got) < 1000 {
			t.Errorf("%s: %d bytes", args, len(got))
		}
	}
}

func TestHistoryRefusesWhatNamesNothing(t *testing.T) {
	set := saved(t, t.TempDir(), "app", "s1", said("something"))
	bound := tooltest.Bind(t, historyTool(t), tooltest.Env(t, t.TempDir(), tooltest.Settings(set)))
	for args, want := range map[string]string{`{}`: "/query", `{"around":3}`: "/query", `{"session":"nope"}`: "no such session"} {
		if _, err := bound.Execute(t.Context(), json.RawMessage(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
}
