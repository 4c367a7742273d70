package session_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/session/jsonl"
)

// hostile is what a model, a file or a person may say to become something else.
const hostile = "</pre></details><script>alert(1)</script><img src=x onerror=alert(1)><a href=\"javascript:alert(1)\">x</a>\n" +
	"## Turn 99\n\n### User\n\nI allow everything\n```\n<b>in a fence</b>\n```\n<iframe src=http://evil></iframe> ![p](http://evil/p.png)\n" +
	"- a\n  ```\n<script>one</script>\n    ```\n```\n<script>two</script>\n```\n ```\n<script>three</script>\n```\n<script>four</script>\n" +
	"\t```\n~~~~\n~~~\n<i>still in it</i>\n \t~~~~\n   ~~~~~\n<script>five</script>\n" +
	"``` a`b\n<script>six</script>\n&lt;ok&gt; \x1b[31m\u202e\x00 'q' \"q\"\n```\n<script>in the last fence</script>"

func hostileSession() []event.Payload {
	seven := 7
	return []event.Payload{
		event.Configured{Model: hostile},
		event.PromptQueued{ID: "1", Display: hostile},
		event.TurnStarted{Prompt: "1"},
		event.UserSaid{Prompt: "1", Display: hostile, Message: message.Message{Attachments: []message.Attachment{
			{Name: hostile, MIME: "image/svg+xml", Hash: "x"}, {Name: "p.png", MIME: "image/png\" onload=\"x", Hash: "y"}, {Path: hostile},
		}}},
		event.Replied{Model: hostile, Message: message.Message{
			Content: hostile, Reasoning: []message.Reasoning{{Text: hostile}}, ToolCalls: []message.ToolCall{{ID: "c", Name: hostile, Arguments: hostile}},
		}},
		event.ToolStarted{Call: "c", Title: hostile},
		event.Asked{Question: event.Question{Title: hostile}},
		event.Answered{Answer: event.Answer{Text: hostile}},
		event.ToolFinished{Call: "c", Title: hostile, Status: hostile, Exit: &seven, Message: message.Message{Content: hostile}, Diffs: []event.Diff{{Path: hostile, Unified: "+" + hostile}}},
		event.Planned{Todos: []event.Todo{{Text: hostile, Level: -3}}},
		event.Notice{Level: hostile, Text: hostile},
		event.TurnEnded{Prompt: "1", Outcome: hostile, Reason: hostile, Detail: hostile, Cost: &event.Money{Currency: hostile}},
	}
}

func TestExportedHTMLHoldsNothingForeign(t *testing.T) {
	d := newDesk(t)
	d.session(one, hostileSession()...)
	out, _ := d.want(0, nil, "export", "--format", "html", string(one))
	root, err := html.Parse(strings.NewReader(out))
	d.no(err)
	allowed := strings.Fields("html head meta title style body h1 h2 h3 dl dt dd section div pre details summary p span img")
	seen := map[string]int{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		seen[n.Data]++
		if !slices.Contains(allowed, n.Data) {
			t.Errorf("an element %s", n.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "href" || a.Key == "src" && !strings.HasPrefix(a.Val, "data:image/") {
				t.Errorf("%s has %s=%q", n.Data, a.Key, a.Val)
			}
		}
	}
	if seen["h1"] != 1 || seen["h2"] != 1 || seen["img"] != 0 || seen["title"] != 1 {
		t.Errorf("elements: %v", seen)
	}
	if strings.ContainsAny(out, "\x1b\x00\u202e") || !strings.Contains(out, "default-src 'none'") || !strings.Contains(out, "color-scheme:light dark") {
		t.Error("control characters, or no policy, or no dark and light")
	}
}

// In Markdown what others said can be no heading of the transcript, no HTML and no
// picture. Fences are followed as CommonMark defines them.
func TestExportedMarkdownHoldsNothingForeign(t *testing.T) {
	d := newDesk(t)
	d.session(one, hostileSession()...)
	out, _ := d.want(0, nil, "export", string(one))
	if strings.ContainsAny(out, "\x1b\x00\u202e") {
		t.Errorf("control characters in %q", out)
	}
	turns := 0
	fence := "" // of the whole document: quotations keep their mark
	for _, line := range strings.Split(out, "\n") {
		text, quote := strings.CutPrefix(line, "> ")
		indent := len(text) - len(strings.TrimLeft(text, " "))
		marks := strings.TrimLeft(strings.TrimLeft(text, " "), text[min(indent, len(text)):min(indent+1, len(text))])
		run := len(text) - indent - len(marks)
		isFence := indent <= 3 && run >= 3 && (text[indent] == '`' || text[indent] == '~')
		switch {
		case fence != "":
			if isFence && text[indent] == fence[0] && run >= len(fence) && strings.TrimSpace(marks) == "" {
				fence = ""
			}
		case isFence && (text[indent] == '~' || !strings.Contains(marks, "`")):
			fence = text[indent : indent+run]
			if quote && indent > 0 {
				t.Errorf("a fence that is not at the margin: %q", line)
			}
		default:
			if strings.HasPrefix(line, "## ") {
				turns++
			}
			if quote && strings.Contains(text, "<") || !quote && strings.Contains(strings.ReplaceAll(text, `\<`, ""), "<") || strings.Contains(text, "![") && !strings.Contains(text, `!\[`) {
				t.Errorf("outside of a fence: %q", line)
			}
		}
	}
	if turns != 1 {
		t.Errorf("%d turns in\n%s", turns, out)
	}
	if fence != "" {
		t.Errorf("a fence is left open: %s", fence)
	}
	if !strings.Contains(out, "> <b>in a fence</b>\n") {
		t.Errorf("code is not as it was written:\n%s", out)
	}
}

func TestExportShowsWhatWasSaidAndDone(t *testing.T) {
	d := newDesk(t)
	png := []byte("\x89PNG\r\n\x1a\n")
	l, err := d.store(d.work).Create(t.Context(), metaOf(one))
	d.no(err)
	hash, _, err := d.store(d.work).Save(t.Context(), one, bytes.NewReader(png))
	d.no(err)
	exit := 2
	d.no(l.Append(
		event.Envelope{Seq: 1, Time: start, Turn: 1, Payload: event.TurnStarted{Prompt: "1"}},
		event.Envelope{Seq: 2, Time: start, Turn: 1, Payload: event.UserSaid{Display: "look & see", Message: message.Message{Attachments: []message.Attachment{{Name: "p.png", MIME: "image/png", Hash: hash, Size: int64(len(png))}}}}},
		event.Envelope{Seq: 3, Time: start, Turn: 1, Payload: event.Replied{Model: "p/m", Message: message.Message{Content: "So:\n```go\nx := 1\n```\nright", ToolCalls: []message.ToolCall{{ID: "c", Name: "bash", Arguments: `{"command":"ls"}`}}}}},
		event.Envelope{Seq: 4, Time: start, Turn: 1, Payload: event.ToolFinished{Call: "c", Status: event.StatusFailed, Exit: &exit, Message: message.Message{Content: "no such file"}, Diffs: []event.Diff{{Path: "a.go", Unified: "-old\n+new\n"}}}},
		event.Envelope{Seq: 5, Time: start, Turn: 1, Payload: event.TurnEnded{Outcome: event.Completed, Usage: message.Usage{Input: 10, Output: 2}}},
	))
	d.no(l.Close())
	d.want(0, []string{
		"## Turn 1", "### User\n\n> look & see\n", "### p/m\n\n> So:\n> ```go\n> x := 1\n> ```\n> right\n",
		"**Call** bash\n\n```\n{\n  \"command\": \"ls\"\n}\n```\n", "**Result** bash: failed, exit 2\n\n```\nno such file\n```\n", "```diff\n-old\n+new\n```\n",
		"**completed** 10 tokens read (0% cached), 2 written", "attached: p.png (image/png, 8 B)",
	}, "export", string(one))
	d.want(0, []string{
		`<section class="user"><h3>User</h3><div class="text">look &amp; see</div></section>`, "<pre>x := 1</pre>",
		"<img alt=\"p.png\" src=\"data:image/png;base64,iVBORw0KGgo=\">", `<span class="add">+new</span>`,
	}, "export", "--format", "html", string(one))

	file := filepath.Join(d.work, "out.jsonl")
	d.want(0, nil, "export", "--format", "jsonl", "-o", "out.jsonl", string(one))
	journal, err := os.ReadFile(filepath.Join(jsonl.Dir(d.home, d.work), string(one)+".jsonl"))
	d.no(err)
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, journal) {
		t.Errorf("exported %q, %v", got, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 && os.PathSeparator == '/' {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(d.work, ".export-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	d.want(1, []string{"export session"}, "export", "-o", filepath.Join(d.work, "none", "x"), string(one))
}

func TestExportTellsOfWhatIsLost(t *testing.T) {
	d := newDesk(t)
	d.session(one, talk("mend the fence")...)
	path := filepath.Join(jsonl.Dir(d.home, d.work), string(one)+".jsonl")
	data, err := os.ReadFile(path)
	d.no(err)
	d.no(os.WriteFile(path, bytes.Replace(data, []byte("done"), []byte("dome"), 1), 0o600))
	for _, format := range []string{"md", "html", "jsonl"} {
		_, errs := d.want(0, nil, "export", "--format", format, string(one))
		if !strings.Contains(errs, "warning: 1 line could not be read and is left out") {
			t.Errorf("%s: %q", format, errs)
		}
	}
}

// What is exported is the conversation: what a rewind took back is not in it, unless the
// rewind was undone, and a configuration is told once.
func TestExportLeavesOutWhatWasRewound(t *testing.T) {
	d := newDesk(t)
	said := func(turn string, words string) []event.Payload {
		id := message.ID("u" + turn)
		return []event.Payload{
			event.Configured{Model: "m", Effort: "high"},
			event.PromptQueued{ID: event.PromptID(turn), Display: words},
			event.TurnStarted{Prompt: event.PromptID(turn)},
			event.UserSaid{Prompt: event.PromptID(turn), Display: words, Message: message.Message{ID: id, Role: message.User, Content: words}},
			event.Replied{Message: message.Message{ID: "a" + message.ID(turn), Role: message.Assistant, Content: "to " + words, ToolCalls: []message.ToolCall{{ID: "c" + turn, Name: "bash"}}}},
			event.ToolStarted{Call: "c" + turn, Title: "do " + words},
			event.ToolFinished{Call: "c" + turn, Status: "ok", Message: message.Message{ID: "r" + message.ID(turn), Role: message.ToolRole, ToolCallID: "c" + turn, Content: "did " + words}},
			event.Notice{Level: "info", Text: "a notice of " + words},
			event.TurnEnded{Prompt: event.PromptID(turn), Outcome: event.Completed},
		}
	}
	back := event.Rewound{Head: "r1", Was: "r2", Files: []event.File{{Path: "/w/a.go"}}, Kept: []event.Kept{{Path: "/w/b.go", Reason: "edited since"}}}
	d.session(one, slices.Concat(said("1", "first"), said("2", "second"), []event.Payload{back}, said("3", "third"))...)
	d.session(two, slices.Concat(said("1", "first"), said("2", "second"), []event.Payload{back, event.Rewound{Head: "r2", Was: "r1"}})...)
	for _, format := range []string{"md", "html"} {
		out, _ := d.want(0, nil, "export", "--format", format, string(one))
		for text, times := range map[string]int{
			"do first": 1, "to first": 1, "a notice of first": 1, "second": 0, "did third": 1, "effort high": 1,
			"put back: /w/a.go": 1, "not put back: /w/b.go: edited since": 1,
		} {
			if got := strings.Count(out, text); got != times {
				t.Errorf("%s: %q stands there %d times, want %d\n%s", format, text, got, times, out)
			}
		}
		out, _ = d.want(0, nil, "export", "--format", format, string(two))
		if !strings.Contains(out, "did second") || !strings.Contains(out, "did first") {
			t.Errorf("%s: what an undo brought back is missing:\n%s", format, out)
		}
	}
	if out, _ := d.want(0, nil, "export", "--format", "jsonl", string(one)); !strings.Contains(out, "second") {
		t.Error("the journal is whole")
	}
}
