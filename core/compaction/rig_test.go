package compaction_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"reasonix/core/compaction"
	"reasonix/core/message"
)

// estimate is four bytes a token, as for plain English.
func estimate(m *message.Message) int {
	n := len(m.Content)
	for _, c := range m.ToolCalls {
		n += len(c.Name) + len(c.Arguments)
	}
	return n/4 + 4 + 1000*len(m.Attachments)
}

func total(ms []message.Message) int {
	sum := 0
	for i := range ms {
		sum += estimate(&ms[i])
	}
	return sum
}

// talk builds conversations; ids count up.
type talk struct {
	ms    []message.Message
	calls int
	said  int // messages
}

func newTalk() *talk {
	t := &talk{}
	t.add(message.System, "You are a careful assistant.")
	return t
}

func (t *talk) add(r message.Role, text string) *message.Message {
	t.ms = append(t.ms, message.Message{ID: message.ID(fmt.Sprintf("m%d", t.said)), Role: r, Content: text})
	t.said++
	return &t.ms[len(t.ms)-1]
}

func (t *talk) user(text string) *talk { t.add(message.User, text); return t }
func (t *talk) says(text string) *talk { t.add(message.Assistant, text); return t }

// work is one reply with a call for each result.
func (t *talk) work(results ...string) *talk {
	m := t.add(message.Assistant, "")
	first := t.calls
	for range results {
		m.ToolCalls = append(m.ToolCalls, message.ToolCall{ID: fmt.Sprintf("c%d", t.calls), Name: "read_file", Arguments: `{"path":"a.go"}`})
		t.calls++
	}
	for i, text := range results {
		r := t.add(message.ToolRole, text)
		r.Name, r.ToolCallID = "read_file", fmt.Sprintf("c%d", first+i)
	}
	return t
}

func (t *talk) input() compaction.Input {
	return compaction.Input{History: t.ms, Tokens: total(t.ms), Estimate: estimate, Archive: "a.jsonl"}
}

// lines is n bytes of numbered lines.
func lines(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "%06d the quick brown fox jumps over the lazy dog\n", i)
	}
	return b.String()[:n]
}

func apply(t interface {
	Helper()
	Fatal(...any)
}, ms []message.Message, p compaction.Plan,
) []message.Message {
	t.Helper()
	out, err := compaction.Apply(ms, p.Edits)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// wrong says what a strict endpoint would refuse, or what must never happen
// between before and after: ids twice, a call without its results right behind it,
// a user turn that is gone.
func wrong(before, after []message.Message) string {
	ids := map[message.ID]bool{}
	for i := 0; i < len(after); i++ {
		m := after[i]
		if ids[m.ID] {
			return fmt.Sprintf("id %s twice", m.ID)
		}
		ids[m.ID] = true
		if m.Role == message.ToolRole {
			return fmt.Sprintf("result %s answers no call", m.ID)
		}
		for _, c := range m.ToolCalls {
			i++
			if i == len(after) || after[i].Role != message.ToolRole || after[i].ToolCallID != c.ID {
				return fmt.Sprintf("call %s is not answered in its place", c.ID)
			}
			if ids[after[i].ID] {
				return fmt.Sprintf("id %s twice", after[i].ID)
			}
			ids[after[i].ID] = true
		}
	}
	return lost(before, after)
}

// lost names a user turn of before that after does not have, in whole when it is
// short and by its beginning otherwise.
func lost(before, after []message.Message) string {
	at := 0
	for i := range before {
		m := &before[i]
		if m.Role != message.User || compaction.IsDigest(m) || strings.HasPrefix(m.Content, compaction.HostMark) {
			continue
		}
		found := slices.IndexFunc(after[at:], func(n message.Message) bool {
			return n.Role == message.User && (n.Content == m.Content || estimate(m) > 2000 && strings.HasPrefix(n.Content, m.Content[:400]))
		})
		if found < 0 {
			return fmt.Sprintf("user turn %s is gone or out of order", m.ID)
		}
		at += found + 1
	}
	return ""
}

func check(t *testing.T, before, after []message.Message) {
	t.Helper()
	if w := wrong(before, after); w != "" {
		t.Error(w)
	}
}
