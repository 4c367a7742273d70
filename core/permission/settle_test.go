package permission_test

import (
	"fmt"
	"strings"
	"testing"

	"reasonix/core/permission"
)

// TestSettleEveryPosture is the whole table of fallback x posture x who answers x
// kind of call. A letter is what becomes of the call: a(llow), ?(a person is asked), d(eny).
func TestSettleEveryPosture(t *testing.T) {
	kinds := []struct {
		name, tool, args string
		readOnly         bool
	}{
		{"reader", "read_file", `{"path":"a"}`, true},
		{"writer no rule", "write_file", `{"path":"a"}`, false},
		{"allow rule", "write_file", `{"path":"docs/a"}`, false},
		{"ask rule", "write_file", `{"path":"asked/a"}`, false},
		{"deny rule", "write_file", `{"path":"denied/a"}`, false},
		{"fresh write", "write_file", `{"path":".envrc"}`, false},
		{"fresh read", "read_file", `{"path":"/home/me/.ssh/id"}`, true},
		{"hidden read", "read_file", `{"path":"secret.txt"}`, true},
		{"remember", "remember", `{"title":"a"}`, false},
		{"forget", "forget", `{"id":"a"}`, false},
		{"shell no rule", "bash", `{"command":"make"}`, false},
		{"shell allow rule", "bash", `{"command":"go test"}`, false},
		{"shell ask rule", "bash", `{"command":"git push"}`, false},
		{"shell deny rule", "bash", `{"command":"rm -rf x"}`, false},
		{"shell opaque", "bash", `{"command":"$X y"}`, false},
		{"shell only reads", "bash", `{"command":"ls"}`, false},
		{"shell outside", "bash", `{"command":"go test > /etc/x"}`, false},
		{"shell fresh", "bash", `{"command":"go test > .envrc"}`, false},
	}
	const want = `
                 fallback ask                 fallback allow               fallback deny
                 ask     auto    yolo         ask     auto    yolo         ask     auto    yolo
reader           aaa     aaa     aaa          aaa     aaa     aaa          aaa     aaa     aaa
writer no rule   ?ad     aaa     aaa          aaa     aaa     aaa          ddd     ddd     ddd
allow rule       aaa     aaa     aaa          aaa     aaa     aaa          aaa     aaa     aaa
ask rule         ?ad     ?ad     aaa          ?ad     ?ad     aaa          ?ad     ?ad     aaa
deny rule        ddd     ddd     ddd          ddd     ddd     ddd          ddd     ddd     ddd
fresh write      ?dd     ?dd     ?dd          ?dd     ?dd     ?dd          ddd     ddd     ddd
fresh read       ?dd     ?dd     ?dd          ?dd     ?dd     ?dd          ?dd     ?dd     ?dd
hidden read      ddd     ddd     ddd          ddd     ddd     ddd          ddd     ddd     ddd
remember         ?dd     ?dd     ?dd          ?dd     ?dd     ?dd          ddd     ddd     ddd
forget           ?dd     ?dd     ?dd          ?dd     ?dd     ?dd          ddd     ddd     ddd
shell no rule    ?ad     aaa     aaa          aaa     aaa     aaa          ddd     ddd     ddd
shell allow rule aaa     aaa     aaa          aaa     aaa     aaa          aaa     aaa     aaa
shell ask rule   ?ad     ?ad     aaa          ?ad     ?ad     aaa          ?ad     ?ad     aaa
shell deny rule  ddd     ddd     ddd          ddd     ddd     ddd          ddd     ddd     ddd
shell opaque     ?dd     ?dd     ?dd          ?dd     ?dd     ?dd          ddd     ddd     ddd
shell only reads aaa     aaa     aaa          aaa     aaa     aaa          ddd     ddd     ddd
shell outside    ddd     ddd     ddd          ddd     ddd     ddd          ddd     ddd     ddd
shell fresh      ?dd     ?dd     ?dd          ?dd     ?dd     ?dd          ddd     ddd     ddd
`
	var got strings.Builder
	got.WriteString("\n                 fallback ask                 fallback allow               fallback deny\n")
	got.WriteString("                 ask     auto    yolo         ask     auto    yolo         ask     auto    yolo\n")
	for _, kind := range kinds {
		fmt.Fprintf(&got, "%-16s", kind.name)
		for i, mode := range []permission.Decision{ask, allow, deny} {
			p := places(t, "allow Edit(docs/**); ask Edit(asked/**); deny Edit(denied/**); allow Bash(go test:*); ask Bash(git push:*); deny Bash(rm -rf*)")
			p.Mode, p.ReadOnlyCommands = mode, true
			why := p.Explain(kind.tool, kind.readOnly, []byte(kind.args))
			for j, posture := range []permission.Posture{permission.PostureAsk, permission.PostureAuto, permission.PostureYolo} {
				pad := "     "
				if j == 0 {
					pad = "          "
				}
				if i == 0 && j == 0 {
					pad = " "
				}
				got.WriteString(pad)
				got.WriteByte("a?d"[permission.Settle(why, posture, true, allow)])
				got.WriteByte("a?d"[permission.Settle(why, posture, false, allow)])
				got.WriteByte("a?d"[permission.Settle(why, posture, false, deny)])
			}
		}
		got.WriteByte('\n')
	}
	if got.String() != want {
		t.Errorf("each cell is interactive, headless = allow, headless = deny; got%swant%s", got.String(), want)
	}
}

func TestAnUnknownHeadlessAnswerRefuses(t *testing.T) {
	why := permission.Reason{Decision: ask}
	for _, headless := range []permission.Decision{ask, deny, 7} {
		if got := permission.Settle(why, permission.PostureAsk, false, headless); got != deny {
			t.Errorf("headless %v: %v", headless, got)
		}
	}
}

// What is kept for later sessions is a person's to say, whatever a rule allows.
func TestNoRuleAnswersForWhatIsKept(t *testing.T) {
	for _, tool := range []string{"remember", "forget"} {
		for text, want := range map[string]string{"allow " + tool: "fresh", "mode allow": "fresh", "mode allow; allow " + tool + "(*)": "fresh", "ask " + tool: "fresh", "deny " + tool: "deny", "allow " + tool + "; deny " + tool: "deny"} {
			got := policy(t, text).Explain(tool, false, []byte(`{"id":"a"}`))
			if outcome(got) != want || want == "fresh" && !strings.Contains(got.Why, "later sessions") {
				t.Errorf("[%s] %s: %s (%s), want %s", text, tool, outcome(got), got.Why, want)
			}
		}
		if got := (permission.Policy{}).Explain(tool, false, nil); !got.Fresh {
			t.Errorf("%s without a policy: %+v", tool, got)
		}
	}
	if got := policy(t, "mode ask").Decide("memory", true, []byte(`{"op":"list"}`)); got != allow {
		t.Errorf("to read it: %v", got)
	}
}
