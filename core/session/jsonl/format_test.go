package jsonl_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
)

// documented is the session of docs/session-format.md.
func documented() []event.Envelope {
	call := message.Message{ID: "m2", Role: message.Assistant, ToolCalls: []message.ToolCall{{ID: "c1", Name: "bash", Arguments: `{"command":"ls"}`}}}
	var all []event.Envelope
	for i, p := range []event.Payload{
		event.Opened{Reason: event.OpenedNew, Writer: "reasonix 1.0", Workspace: "/work"},
		event.Configured{Model: "deepseek/deepseek-chat", WorkMode: "balanced", Approval: "ask", Mode: "normal", By: "config"},
		event.PromptQueued{ID: "p1", Kind: event.KindPrompt, Display: "what is here?"},
		event.TurnStarted{Prompt: "p1", Trigger: "user"},
		event.UserSaid{Prompt: "p1", Display: "what is here?", Message: message.Message{ID: "m1", Role: message.User, Content: "what is here?"}},
		event.Replied{Message: call, Model: "deepseek/deepseek-chat", Finish: event.FinishCalls, Usage: message.Usage{Input: 40, CacheRead: 2000, Output: 12}, Cost: &event.Money{Amount: 0.0002, Currency: "USD"}},
		event.ToolStarted{Call: "c1", Title: "ls", Kind: "execute"},
	} {
		turn := 0
		if i > 2 {
			turn = 1
		}
		all = append(all, event.Envelope{Seq: event.Seq(i + 1), Time: created.Add(time.Duration(i) * 100 * time.Millisecond), Turn: turn, Payload: p})
	}
	return all
}

// The page others read the format from shows files as they are written.
func TestTheFormatIsAsDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "session-format.md"))
	noErr(t, err)
	shown := map[string]string{}
	for _, m := range regexp.MustCompile("(?s)`([^`\n]+)`:\n\n```text\n(.*?)```\n").FindAllStringSubmatch(string(page), -1) {
		shown[m[1]] = m[2]
	}

	dir := filepath.Join(t.TempDir(), "sessions")
	s := jsonl.New(dir, jsonl.Options{})
	l, err := s.Create(t.Context(), session.Meta{ID: id, Workspace: "/work", Created: created, Writer: "reasonix 1.0"})
	noErr(t, err)
	noErr(t, l.Append(documented()...))
	lock, err := os.ReadFile(filepath.Join(dir, string(id)+".lock"))
	noErr(t, err)
	noErr(t, l.Close())
	journal, idx := filepath.Join(dir, string(id)+".jsonl"), filepath.Join(dir, string(id)+".idx")
	at := created.Add(time.Second)
	noErr(t, os.Chtimes(journal, at, at))
	noErr(t, os.Remove(idx))
	_, err = s.Info(t.Context(), id)
	noErr(t, err)
	side := filepath.Join(dir, string(id)+".acp.json")
	for path, name := range map[string]string{journal: "<id>.jsonl", idx: "<id>.idx", side: "<id>.acp.json"} {
		got, err := os.ReadFile(path)
		noErr(t, err)
		if d := cmp.Diff(shown[name], string(got)); d != "" {
			t.Errorf("%s (-page +written):\n%s\nwritten:\n%s", name, d, got)
		}
	}

	// Of the lock and the list the form is shown.
	form := regexp.MustCompile(`\d+|[0-9a-f]{8}-[0-9a-f-]{27}`)
	words := func(s string) []string { return strings.Fields(form.ReplaceAllString(s, "")) }
	if got, want := words(string(lock)), words(shown["<id>.lock"]); len(got) > 6 && (got[0] != want[0] || got[1] != want[1] || got[3] != want[3] || got[5] != want[5]) {
		t.Errorf("lock %q, page %q", lock, shown["<id>.lock"])
	}
	many, manyDir := manySessions(t, 80)
	_, err = many.List(t.Context(), session.Query{})
	noErr(t, err)
	list, err := os.ReadFile(filepath.Join(manyDir, "list.idx"))
	noErr(t, err)
	if got, want := strings.Join(strings.SplitAfterN(string(list), "\n", 3)[:2], ""), shown["list.idx"]; got != want {
		t.Errorf("list.idx begins\n%q\npage\n%q", got, want)
	}
}

// The page names every kind of damage.
func TestThePageNamesEveryDamage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "session-format.md"))
	noErr(t, err)
	for _, kind := range []session.DamageKind{
		session.DamageHeader, session.DamageBroken, session.DamageEdited, session.DamageMissing, session.DamageRepeated,
		session.DamageUnknown, session.DamageTorn, session.DamageJoined, session.DamageFile,
	} {
		if !strings.Contains(string(page), "| `"+string(kind)+"` |") {
			t.Errorf("no row for %s", kind)
		}
	}
}
