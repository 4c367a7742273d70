package permission_test

import (
	"fmt"
	"strings"
	"testing"

	"reasonix/core/permission"
)

// remotely is a policy whose tools mcp__s__* are a server's.
func remotely(t *testing.T, rules string, r permission.Remote) permission.Policy {
	t.Helper()
	p := policy(t, rules)
	p.Remote = func(toolName string) permission.Remote {
		name, ok := strings.CutPrefix(toolName, "mcp__s__")
		if !ok {
			return permission.Remote{}
		}
		r.Server, r.Tool = "s", name
		return r
	}
	return p
}

// afterReview is what becomes of a call when the reviewer, where one is asked, says
// a(llow), d(eny) or anything else.
func afterReview(why permission.Reason, posture permission.Posture, interactive bool, headless permission.Decision, says byte) byte {
	if permission.Reviewed(why, posture) {
		switch says {
		case 'a', 'd':
			return says - 'a' + 'A'
		}
		why = why.Unreviewed("the reviewer is not sure")
	}
	return "a?d"[permission.Settle(why, posture, interactive, headless)]
}

// TestSettleEveryApprovalMode is the table of approval mode x kind of call x rule,
// by posture and by what the reviewer says. A small letter is what becomes of the
// call, as in TestSettleEveryPosture; a capital is the reviewer's own verdict.
func TestSettleEveryApprovalMode(t *testing.T) {
	kinds := []struct {
		name, rules string
		permission.Remote
	}{
		{"writer", "", permission.Remote{}},
		{"reader", "", permission.Remote{ReadOnly: true}},
		{"destructive", "", permission.Remote{Destructive: true}},
		{"both hints", "", permission.Remote{Destructive: true, ReadOnly: true}},
		{"allowed", "allow mcp__s__x", permission.Remote{}},
		{"asked", "ask mcp__s__x", permission.Remote{}},
		{"asked reader", "ask mcp__s", permission.Remote{ReadOnly: true}},
		{"denied", "deny mcp__s__*", permission.Remote{Destructive: true}},
		{"destr. allowed", "allow mcp__s__x", permission.Remote{Destructive: true}},
		{"nothing else", "mode deny", permission.Remote{}},
		{"destr. deny", "mode deny", permission.Remote{Destructive: true}},
		{"everything", "mode allow", permission.Remote{}},
	}
	const want = `
auto            ask:                      auto:                     yolo:
                user  allow deny  unsure  user  allow deny  unsure  user  allow deny  unsure
writer          ?ad   AAA   DDD   ?dd     aaa   aaa   aaa   aaa     aaa   aaa   aaa   aaa
reader          aaa   aaa   aaa   aaa     aaa   aaa   aaa   aaa     aaa   aaa   aaa   aaa
destructive     ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd
both hints      ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd
allowed         aaa   aaa   aaa   aaa     aaa   aaa   aaa   aaa     aaa   aaa   aaa   aaa
asked           ?ad   ?ad   ?ad   ?ad     ?ad   ?ad   ?ad   ?ad     aaa   aaa   aaa   aaa
asked reader    ?ad   ?ad   ?ad   ?ad     ?ad   ?ad   ?ad   ?ad     aaa   aaa   aaa   aaa
denied          ddd   ddd   ddd   ddd     ddd   ddd   ddd   ddd     ddd   ddd   ddd   ddd
destr. allowed  ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd
nothing else    ddd   ddd   ddd   ddd     ddd   ddd   ddd   ddd     ddd   ddd   ddd   ddd
destr. deny     ddd   ddd   ddd   ddd     ddd   ddd   ddd   ddd     ddd   ddd   ddd   ddd
everything      aaa   aaa   aaa   aaa     aaa   aaa   aaa   aaa     aaa   aaa   aaa   aaa
prompt          ask:                      auto:                     yolo:
                user  allow deny  unsure  user  allow deny  unsure  user  allow deny  unsure
writer          ?dd   AAA   DDD   ?dd     ?dd   AAA   DDD   ?dd     ?dd   AAA   DDD   ?dd
reader          ?dd   AAA   DDD   ?dd     ?dd   AAA   DDD   ?dd     ?dd   AAA   DDD   ?dd
destructive     ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd
both hints      ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd
allowed         ?dd   AAA   DDD   ?dd     ?dd   AAA   DDD   ?dd     ?dd   AAA   DDD   ?dd
asked           ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd
asked reader    ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd
denied          ddd   ddd   ddd   ddd     ddd   ddd   ddd   ddd     ddd   ddd   ddd   ddd
destr. allowed  ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd
nothing else    ?dd   AAA   DDD   ?dd     ?dd   AAA   DDD   ?dd     ?dd   AAA   DDD   ?dd
destr. deny     ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd
everything      ?dd   AAA   DDD   ?dd     ?dd   AAA   DDD   ?dd     ?dd   AAA   DDD   ?dd
writes          ask:                      auto:                     yolo:
                user  allow deny  unsure  user  allow deny  unsure  user  allow deny  unsure
writer          ?dd   AAA   DDD   ?dd     ?dd   AAA   DDD   ?dd     ?dd   AAA   DDD   ?dd
reader          aaa   aaa   aaa   aaa     aaa   aaa   aaa   aaa     aaa   aaa   aaa   aaa
destructive     ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd
both hints      ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd
allowed         ?dd   AAA   DDD   ?dd     ?dd   AAA   DDD   ?dd     ?dd   AAA   DDD   ?dd
asked           ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd
asked reader    ?ad   ?ad   ?ad   ?ad     ?ad   ?ad   ?ad   ?ad     aaa   aaa   aaa   aaa
denied          ddd   ddd   ddd   ddd     ddd   ddd   ddd   ddd     ddd   ddd   ddd   ddd
destr. allowed  ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd
nothing else    ?dd   AAA   DDD   ?dd     ?dd   AAA   DDD   ?dd     ?dd   AAA   DDD   ?dd
destr. deny     ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd
everything      ?dd   AAA   DDD   ?dd     ?dd   AAA   DDD   ?dd     ?dd   AAA   DDD   ?dd
approve         ask:                      auto:                     yolo:
                user  allow deny  unsure  user  allow deny  unsure  user  allow deny  unsure
writer          aaa   aaa   aaa   aaa     aaa   aaa   aaa   aaa     aaa   aaa   aaa   aaa
reader          aaa   aaa   aaa   aaa     aaa   aaa   aaa   aaa     aaa   aaa   aaa   aaa
destructive     ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd
both hints      ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd
allowed         aaa   aaa   aaa   aaa     aaa   aaa   aaa   aaa     aaa   aaa   aaa   aaa
asked           ?ad   ?ad   ?ad   ?ad     ?ad   ?ad   ?ad   ?ad     aaa   aaa   aaa   aaa
asked reader    ?ad   ?ad   ?ad   ?ad     ?ad   ?ad   ?ad   ?ad     aaa   aaa   aaa   aaa
denied          ddd   ddd   ddd   ddd     ddd   ddd   ddd   ddd     ddd   ddd   ddd   ddd
destr. allowed  ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd
nothing else    aaa   aaa   aaa   aaa     aaa   aaa   aaa   aaa     aaa   aaa   aaa   aaa
destr. deny     ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd     ?dd   ?dd   ?dd   ?dd
everything      aaa   aaa   aaa   aaa     aaa   aaa   aaa   aaa     aaa   aaa   aaa   aaa
`
	var got strings.Builder
	got.WriteByte('\n')
	for _, mode := range []permission.ApprovalMode{"auto", "prompt", "writes", "approve"} {
		fmt.Fprintf(&got, "%-15s ask:                      auto:                     yolo:\n", mode)
		got.WriteString("                user  allow deny  unsure  user  allow deny  unsure  user  allow deny  unsure\n")
		for _, k := range kinds {
			fmt.Fprintf(&got, "%-15s", k.name)
			for _, posture := range []permission.Posture{permission.PostureAsk, permission.PostureAuto, permission.PostureYolo} {
				for i, says := range []byte("uad?") {
					k.Mode, k.Review = mode, "user"
					if i > 0 {
						k.Review = permission.AutoReview
					}
					why := remotely(t, "mode ask; "+k.rules, k.Remote).Explain("mcp__s__x", false, []byte(`{}`))
					cell := []byte{
						afterReview(why, posture, true, allow, says), afterReview(why, posture, false, allow, says), afterReview(why, posture, false, deny, says),
					}
					fmt.Fprintf(&got, " %-5s", cell)
				}
				got.WriteString("  ")
			}
			text := strings.TrimRight(got.String(), " ")
			got.Reset()
			got.WriteString(text + "\n")
		}
	}
	if got.String() != want {
		t.Errorf("each cell is interactive, headless = allow, headless = deny; got%swant%s", got.String(), want)
	}
}

// A mode nobody knows is the strictest one.
func TestAnUnknownApprovalModePrompts(t *testing.T) {
	for _, mode := range []permission.ApprovalMode{"", "odd", "Approve"} {
		got := remotely(t, "", permission.Remote{Mode: mode, ReadOnly: true}).Explain("mcp__s__x", true, nil)
		if outcome(got) != "fresh" || !strings.Contains(got.Why, "mode prompt of s") {
			t.Errorf("%q: %s, %s", mode, outcome(got), got.Why)
		}
	}
}

// What a server says is about its own tools: a built-in one and what is kept for
// later sessions are judged as ever.
func TestAServerSpeaksOfItsOwnToolsOnly(t *testing.T) {
	p := policy(t, "")
	p.Remote = func(string) permission.Remote { return permission.Remote{Server: "s", Mode: permission.RemoteApprove} }
	for tool, want := range map[string]string{"bash": "ask", "write_file": "ask", "remember": "fresh", "forget": "fresh", "mcp__s__x": "allow"} {
		if got := outcome(p.Explain(tool, false, []byte(`{"command":"make","path":"a"}`))); got != want {
			t.Errorf("%s: %s, want %s", tool, got, want)
		}
	}
	p.Remote = func(string) permission.Remote { return permission.Remote{} }
	if got := p.Explain("mcp__s__x", false, nil); got.Source != permission.Fallback || got.Decision != ask {
		t.Errorf("a tool of no known server: %+v", got)
	}
}

// A rule with a pattern, and what a grant would store, work as for any other tool.
func TestRulesAboutAServersTools(t *testing.T) {
	p := remotely(t, "mode ask; deny mcp__s__read(secret/**); ask mcp__s__read(a)", permission.Remote{Mode: permission.RemoteApprove})
	for args, want := range map[string]string{`{"path":"secret/x"}`: "deny", `{"path":"a"}`: "ask", `{"path":"b"}`: "allow"} {
		if got := outcome(p.Explain("mcp__s__read", false, []byte(args))); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
	p = remotely(t, "mode ask", permission.Remote{Mode: permission.RemoteAuto})
	if got := p.Suggest("mcp__s__x", []byte(`{}`)).Session.Rules; len(got) != 1 || got[0] != "mcp__s__x" {
		t.Errorf("offered in mode auto: %q", got)
	}
	p = remotely(t, "mode ask", permission.Remote{Mode: permission.RemotePrompt})
	if got := p.Suggest("mcp__s__x", []byte(`{}`)).Session.Rules; len(got) != 0 {
		t.Errorf("a grant is offered that would not hold: %q", got)
	}
}
