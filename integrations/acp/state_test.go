package acp_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/message"
)

// whole is a client that shows notices and compactions.
var whole = object{"session": object{"notices": object{}, "compaction": object{}}}

var completed = event.TurnEnded{Outcome: event.Completed}

func thought(text string) object {
	return object{"sessionUpdate": "agent_thought_chunk", "content": object{"type": "text", "text": text}}
}

func notice(level, title, detail string) object {
	n := object{"sessionUpdate": "notice", "severity": level, "title": title}
	if detail != "" {
		n["description"] = detail
	}
	return n
}

func TestWhatChangesBesideTheConversationIsTold(t *testing.T) {
	failure := event.Failure{Text: "status 503"}
	for name, c := range map[string]struct {
		told        event.Payload
		plain, rich []any
	}{
		"plan": {
			event.Planned{Todos: []event.Todo{{Text: "one", Status: "completed"}, {Text: "two", Status: "in_progress", Level: 1}, {Text: "three", Status: "new"}}},
			[]any{object{"sessionUpdate": "plan", "entries": []any{
				object{"content": "one", "priority": "medium", "status": "completed"},
				object{"content": "two", "priority": "medium", "status": "in_progress", "_meta": object{"reasonix.io": object{"level": 1.0}}},
				object{"content": "three", "priority": "medium", "status": "pending"},
			}}},
			nil,
		},
		"no plan":   {event.Planned{}, []any{object{"sessionUpdate": "plan", "entries": []any{}}}, nil},
		"context":   {event.ContextUsed{Tokens: 12, Window: 100}, []any{object{"sessionUpdate": "usage_update", "used": 12.0, "size": 100.0}}, nil},
		"no window": {event.ContextUsed{Tokens: 12}, nil, nil},
		"mode":      {event.Configured{Mode: "plan"}, []any{object{"sessionUpdate": "current_mode_update", "currentModeId": "plan"}}, nil},
		"title":     {event.Configured{Title: "A name"}, []any{object{"sessionUpdate": "session_info_update", "title": "A name"}}, nil},
		"commands": {
			event.Offered{Commands: []event.Command{
				{Name: "explore", Hint: "[what]", Help: "Look around", Kind: event.CommandText}, {Name: "quit", Kind: event.CommandFront}, {Name: "help", Help: "Help", Kind: event.CommandReport},
			}},
			[]any{object{"sessionUpdate": "available_commands_update", "availableCommands": []any{
				object{"name": "explore", "description": "Look around", "input": object{"hint": "[what]"}}, object{"name": "help", "description": "Help"},
			}}},
			nil,
		},
		"report": {
			event.Notice{Level: event.LevelInfo, Code: event.NoticeReport, Args: []string{"cost"}, Text: "It cost much."},
			[]any{object{"sessionUpdate": "agent_message_chunk", "content": object{"type": "text", "text": "It cost much."}}},
			nil,
		},
		"warning": {
			event.Notice{Level: event.LevelWarning, Code: "new", Text: "Mind the gap."},
			[]any{thought("[warning] Mind the gap.\n")},
			[]any{notice("warning", "Mind the gap.", "")},
		},
		"server": {
			event.ServerChanged{Name: "db", State: event.ServerFailed, Detail: "exit status 1"},
			[]any{thought("[warning] The MCP server db does not run: exit status 1\n")},
			[]any{notice("warning", "The MCP server db does not run", "exit status 1")},
		},
		"server that works": {event.ServerChanged{Name: "db", State: event.ServerReady}, nil, nil},
		"workspace": {
			event.Phase{Name: event.PhaseWorkspace, Holder: "session 7 (pid 3)"},
			[]any{thought("[info] Waiting for the workspace, which is held by session 7 (pid 3)\n")},
			[]any{notice("info", "Waiting for the workspace, which is held by session 7 (pid 3)", "")},
		},
		"retry": {
			event.Retrying{Attempt: 2, Of: 5, After: 1500 * time.Millisecond, Failure: failure},
			[]any{thought("[warning] The request failed and is sent again in 1.5s (attempt 2 of 5): status 503\n")},
			[]any{notice("warning", "The request failed and is sent again in 1.5s (attempt 2 of 5)", "status 503")},
		},
		"compaction": {
			event.Folded{Stage: event.FoldSummary, Trigger: "manual", Before: 900, After: 100},
			[]any{thought("Compacted the conversation (summary): about 900 tokens before, 100 after.\n")},
			[]any{
				object{"sessionUpdate": "compaction_update", "compactionId": "compaction-1", "status": "in_progress"},
				object{
					"sessionUpdate": "compaction_update", "compactionId": "compaction-1", "status": "completed",
					"summary": []any{object{"type": "text", "text": "Compacted the conversation (summary): about 900 tokens before, 100 after."}},
					"_meta":   object{"reasonix.io": object{"stage": "summary", "trigger": "manual", "before": 900.0, "after": 100.0}},
				},
			},
		},
		"compaction that failed": {
			event.Folded{Stage: event.FoldSummary, Failure: &failure},
			[]any{thought("Compaction failed, the conversation is as it was: status 503\n")},
			[]any{
				object{"sessionUpdate": "compaction_update", "compactionId": "compaction-1", "status": "in_progress"},
				object{
					"sessionUpdate": "compaction_update", "compactionId": "compaction-1", "status": "failed", "error": "status 503",
					"_meta": object{"reasonix.io": object{"stage": "summary", "trigger": "", "before": 0.0, "after": 0.0}},
				},
			},
		},
	} {
		if c.rich == nil {
			c.rich = c.plain
		}
		for kind, can := range map[string]object{"plain": {}, "rich": whole} {
			want := c.plain
			if kind == "rich" {
				want = c.rich
			}
			got, _ := playTo(t, can, c.told, completed)
			if diff := cmp.Diff(got, want); diff != "" {
				t.Errorf("%s, %s: %s", name, kind, diff)
			}
		}
	}
}

func TestACompactionThatChangesNothingIsOver(t *testing.T) {
	got, _ := playTo(t, whole, event.Phase{Name: event.PhaseCompacting}, event.Phase{Name: event.PhaseCompacting}, event.Phase{Name: event.PhaseModel}, completed)
	at := func(status string) object {
		return object{"sessionUpdate": "compaction_update", "compactionId": "compaction-1", "status": status}
	}
	if diff := cmp.Diff(got, []any{at("in_progress"), at("cancelled")}); diff != "" {
		t.Error(diff)
	}
}

// The cost is that of the whole session; a cost in several currencies is no number.
func TestUsageSaysWhatTheSessionCost(t *testing.T) {
	reply := func(amount float64, currency string) event.Payload {
		return event.Replied{Message: message.Message{ID: "m"}, Cost: &event.Money{Amount: amount, Currency: currency}}
	}
	got, _ := play(t, event.ContextUsed{Tokens: 1, Window: 10}, reply(0.25, "USD"), reply(0.5, "USD"), reply(1, "CNY"), completed)
	used := func(cost object) object {
		u := object{"sessionUpdate": "usage_update", "used": 1.0, "size": 10.0}
		if cost != nil {
			u["cost"] = cost
		}
		return u
	}
	want := []any{used(nil), used(object{"amount": 0.25, "currency": "USD"}), used(object{"amount": 0.75, "currency": "USD"}), used(nil)}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Error(diff)
	}
}

// What was said without the client, by an earlier process for example, it is shown; what
// the host tells the model is nobody's word.
func TestWordsOfOthersAreShown(t *testing.T) {
	got, _ := play(t,
		event.UserSaid{Message: message.Message{ID: "h", Content: "[host] x"}, Sources: []event.Source{{Kind: "host"}}},
		event.UserSaid{Prompt: "other", Display: "from before", Message: message.Message{
			ID: "u", Content: "from before, expanded", Attachments: []message.Attachment{{MIME: "image/png", Name: "shot.png", Hash: "abc", Size: 3}},
		}}, completed)
	want := []any{
		object{"sessionUpdate": "user_message_chunk", "messageId": "u", "content": object{"type": "text", "text": "from before"}},
		object{"sessionUpdate": "user_message_chunk", "messageId": "u", "content": object{
			"type": "resource_link", "uri": "attachment:abc", "name": "shot.png", "mimeType": "image/png", "size": 3.0,
		}},
		object{"sessionUpdate": "session_info_update", "title": "from before"},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Error(diff)
	}
}

// A turn that ends while a failed command in the background needs attention has failed;
// one whose model was told has not.
func TestABackgroundJobThatFailedFailsItsTurn(t *testing.T) {
	exit := 3
	begun := event.TurnStarted{}
	job := []event.Payload{
		begun,
		event.JobStarted{Job: "bash-1", Call: "c1", Title: "make all"},
		event.JobEnded{Job: "bash-1", Status: event.JobFailed, Exit: &exit},
	}
	_, got := play(t, append(job, completed)...)
	if want := "session/prompt: background bash failed: needs attention (job bash-1, exit code 3): make all"; got.Code != -32603 || got.Text != want {
		t.Errorf("%+v, want %s", got, want)
	}
	if data, _ := got.Data.(map[string]any); data["outcome"] != "background_failed" || data["reason"] != "bash-1" {
		t.Errorf("data %v", got.Data)
	}
	if _, got := play(t, append(job, event.TurnEnded{Prompt: "q", Outcome: event.Cancelled}, completed)...); !got.Error {
		t.Errorf("a prompt that waited was cancelled meanwhile: %+v", got)
	}
	told := event.UserSaid{Message: message.Message{ID: "n"}, Sources: []event.Source{{Kind: "job", Ref: "bash-1"}}}
	if _, got := play(t, append(job, told, completed)...); got.Error {
		t.Errorf("told: %+v", got)
	}
	if _, got := play(t, append(job, event.TurnEnded{Outcome: event.Cancelled})...); got.Error {
		t.Errorf("cancelled: %+v", got)
	}
	if _, got := play(t, begun, job[1], event.JobEnded{Job: "bash-1", Status: event.JobDone}, completed); got.Error {
		t.Errorf("done: %+v", got)
	}
	if _, got := play(t, job[1], job[2], begun, completed); got.Error {
		t.Errorf("between turns: %+v", got)
	}
}

// Live output is the end of what a call has written; its result takes its place.
func TestARunningCallShowsItsOutputAndHowFarItIs(t *testing.T) {
	got, _ := play(t,
		event.Replied{Message: message.Message{ID: "m", ToolCalls: []message.ToolCall{{ID: "c1", Name: "bash", Arguments: `{}`}}}},
		event.ToolStarted{Call: "c1", Title: "make", Kind: "execute"},
		event.ToolOutput{Call: "c1", Text: "one\n"},
		event.ToolOutput{Call: "c1", Offset: 2, Text: "e\ntwo\n"},
		event.ToolOutput{Call: "c1", Offset: 100, Text: "much later\n"},
		event.ToolOutput{Call: "nobody's", Text: "x"},
		event.ToolProgress{Call: "c1", Done: 3, Total: 4, Text: "linking"},
		event.ToolFinished{Call: "c1", Title: "make", Status: event.StatusCancelled, Message: message.Message{Content: "a ``` fence"}, Took: 1500 * time.Millisecond},
		completed,
	)
	shows := func(text string) object {
		return object{"sessionUpdate": "tool_call_update", "toolCallId": "c1", "content": []any{object{"type": "content", "content": object{"type": "text", "text": text}}}}
	}
	progress := shows("linking (3 of 4)")
	progress["_meta"] = object{"reasonix.io": object{"progress": object{"done": 3.0, "total": 4.0, "text": "linking"}}}
	end := shows("````console\na ``` fence\n````")
	end["status"], end["title"] = "failed", "make"
	end["rawOutput"] = object{"output": "a ``` fence", "status": "cancelled", "seconds": 1.5}
	want := []any{shows("```console\none\n```"), shows("```console\none\ntwo\n```"), shows("```console\nmuch later\n```"), progress, end}
	if diff := cmp.Diff(got[2:], want); diff != "" {
		t.Error(diff)
	}
}

// An edit is shown as a diff of each place, one that made a file without an old text, and
// one that cannot be shown so in words.
func TestEveryEditIsShownAsADiff(t *testing.T) {
	text := func(s string) object {
		return object{"type": "content", "content": object{"type": "text", "text": s}}
	}
	changed := func(was any, is string) object {
		d := object{"type": "diff", "path": "/w/a", "newText": is}
		if was != nil {
			d["oldText"] = was
		}
		return d
	}
	long := "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-" + strings.Repeat("x", 5000) + "\n+y\n"
	for name, c := range map[string]struct {
		unified string
		want    []any
	}{
		"one place":  {"--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n", []any{changed("one\ntwo\nthree\n", "one\n2\nthree\n")}},
		"two places": {"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+1\n@@ -9 +9,2 @@\n nine\n+9\n", []any{changed("one\n", "1\n"), changed("nine\n", "nine\n9\n")}},
		"made":       {"--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+new\n", []any{changed(nil, "new\n")}},
		"no end": {
			"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n\\ No newline at end of file\n+two\n\\ No newline at end of file\n",
			[]any{changed("one", "two")},
		},
		"cut":      {"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n... 9 more lines of diff\n", []any{text("```diff\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n... 9 more lines of diff\n```")}},
		"cut line": {long, []any{text("```diff\n" + long + "```")}},
		"moved":    {"diff --git a/b b/a\nrename from b\nrename to a\n", []any{text("```diff\ndiff --git a/b b/a\nrename from b\nrename to a\n```")}},
	} {
		got, _ := play(t, event.ToolFinished{Call: "c1", Title: "Edit a", Status: event.StatusOK, Diffs: []event.Diff{{Path: "/w/a", Unified: c.unified}}}, completed)
		if diff := cmp.Diff(got[1].(object)["content"], any(c.want)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
